// Package wide provides the loops in which the algorithms spend most of their time. They return the
// same bits on every processor: with AVX2 and in plain Go.
//
// This works because the definition of each function fixes the order of every sum, and because
// every product is fused with the sum that it is added to (math.FMA, which is exactly defined),
// unless a function says otherwise:
//
//   - An element of a matrix product, of a triangular solve or of a Cholesky factor
//     is one chain: products are added to it, or subtracted, one at a time, in the
//     order of the inner index. Registers hold several elements, so their width and
//     the size of blocks change nothing.
//   - Dot and the rows of Gemv have 16 partial sums. Product i is added to sum i mod
//     16; then the upper half of the sums is added to the lower, four times. Shorter
//     vectors, most of them coordinates, are summed in order, each product rounded.
//   - AddScaled, Scale, ExpNeg and their kind work element by element.
//
// A NaN is a NaN everywhere, but its bits are undefined. The sign of a zero is defined.
//
// Matrices are row-major; the stride is the distance between rows. Functions panic if a matrix or a
// vector is too short. None allocates.
package wide

//go:generate go run ./gen
