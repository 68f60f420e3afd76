// Package wide has the loops that the algorithms spend their time in. They return
// the same bits on every processor: with AVX-512, with AVX2, and in plain Go.
//
// That is possible because the order of every sum belongs to what a function
// computes, and because every product is fused with the sum that it is added to
// (math.FMA, which is exact by definition), unless a function says otherwise:
//
//   - An element of a matrix product, of a triangular solve or of a Cholesky factor
//     is one chain: products are added to it, or subtracted, one at a time, in the
//     order of the inner index. Registers hold several elements, so their width and
//     the size of blocks change nothing.
//   - Dot and the rows of Gemv have 16 partial sums. Product i is added to sum i mod
//     16; then the upper half of the sums is added to the lower, four times. Shorter
//     vectors, most of them coordinates, are summed in order, each product rounded.
//   - AddScaled, Scale, Exp and their kind work element by element.
//
// NaNs are NaNs everywhere, but which bits a NaN has is not defined. The sign of a
// zero is.
//
// Matrices are row-major; the stride is the distance of rows. Functions panic if a
// matrix or a vector is too short. None allocates.
package wide

//go:generate go run ./gen
