package wide

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"popbench/internal/math/fmath"
)

// sameBits reports whether two results are the same. All NaNs are equal.
func sameBits(a, b float64) bool {
	return math.Float64bits(a) == math.Float64bits(b) || a != a && b != b
}

// agree calls work at every level and compares the vectors that it returns with those of plain Go.
func agree(t *testing.T, what string, work func() []float64) {
	t.Helper()
	var want []float64
	levels(t, func(name string) {
		got := work()
		if want == nil {
			want = got
			return
		}
		for i, v := range got {
			if !sameBits(v, want[i]) {
				t.Fatalf("%s: element %d is %v with %s, %v in Go", what, i, v, name, want[i])
			}
		}
	})
}

var lengths = func() (n []int) {
	for i := range 71 {
		n = append(n, i)
	}
	return append(n, 127, 128, 129, 200, 333)
}()

// numbers fills vectors from a source, mostly with plain numbers.
type numbers struct{ *rand.Rand }

func (r numbers) vector(n int) []float64 {
	v := make([]float64, n+1)[1:] // not on the boundary of a register
	for i := range v {
		v[i] = r.NormFloat64()
	}
	return v
}

// odd is a vector with some special values.
func (r numbers) odd(n int) []float64 {
	special := []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(), 5e-324, -5e-324, 1e-310, 1e-170, -1e-170, 1e300, -1e300, 1e-200}
	v := r.vector(n)
	for i := range v {
		if r.IntN(4) == 0 {
			v[i] = special[r.IntN(len(special))]
		}
	}
	return v
}

// agreeOnVectors compares what each function makes of x and y, of the same length, and of a matrix a with such rows.
func agreeOnVectors(t *testing.T, c float64, x, y, a []float64) {
	t.Helper()
	n := len(x)
	for name, work := range map[string]func(z []float64){
		"Dot":             func(z []float64) { z[0] = Dot(x, y) },
		"AddScaled":       func(z []float64) { AddScaled(z, c, x) },
		"Scale":           func(z []float64) { Scale(z, c) },
		"Scaled":          func(z []float64) { Scaled(z, c, x) },
		"Product":         func(z []float64) { Product(z, c, x, z) },
		"AddProduct":      func(z []float64) { AddProduct(z, c, x, x) },
		"Combine":         func(z []float64) { Combine(z, c, x, a[0], z) },
		"ExpNeg":          func(z []float64) { ExpNeg(z, c, x) },
		"LogisticMeans":   func(z []float64) { LogisticMeans(z, x) },
		"AddLogistic":     func(z []float64) { AddLogistic(z, x) },
		"Gemv":            func(z []float64) { Gemv(z[:min(n, 3)], c, a, n, x) },
		"GemvT":           func(z []float64) { GemvT(z, c, a, n, x[:min(n, 3)]) },
		"SubtractSquares": func(z []float64) { SubtractSquares(z, a, n, min(n, 3)) },
	} {
		if n > 0 {
			agree(t, fmt.Sprint(name, " of ", n), func() []float64 { z := slices.Clone(y); work(z); return z })
		}
	}
	agree(t, fmt.Sprint("Cap.Lower of ", n), func() []float64 {
		z := slices.Clone(a[:n])
		Cap{Ball: 2, Least: 1, Rest: c}.Lower(z, x, y, 0.3, 0.1, 0.01)
		return z
	})
	for _, d := range []int{1, 2, 3, 4, 7, 12, 15, 16, 25} {
		agree(t, fmt.Sprintf("differences of %d in %d-D", n/d, d), func() []float64 {
			z := slices.Concat(y, y, x)[:2*min(d, n)]
			for i, add := range []func(dst, x, pts, g []float64){AddDifferences, AddSquares} {
				if d <= n {
					add(z[i*d:(i+1)*d], x[:d], a[:n/d*d], y[:n/d])
				}
			}
			return z
		})
	}
	agree(t, fmt.Sprint("CombineTo of ", n), func() []float64 {
		dst, z := make([]float64, n), slices.Clone(y)
		CombineTo(dst, c, x, -2, y, z, c, 3)
		return append(dst, z...)
	})
}

func TestVectors(t *testing.T) {
	r := numbers{rand.New(rand.NewPCG(1, 1))}
	for _, n := range lengths {
		for _, make := range []func(int) []float64{r.vector, r.odd} {
			agreeOnVectors(t, make(1)[0], make(n), make(n), make(3*n))
		}
	}
}

// Nothing is read or written beyond the end.
func TestEnds(t *testing.T) {
	r := numbers{rand.New(rand.NewPCG(2, 1))}
	for _, n := range lengths {
		x, y := r.vector(n+16), r.vector(n+16)
		for i := n; i < n+16; i++ {
			x[i] = math.NaN()
		}
		end := slices.Clone(y[n:])
		agree(t, fmt.Sprint("Dot of ", n), func() []float64 { return []float64{Dot(x[:n], y)} })
		levels(t, func(name string) {
			AddScaled(y[:n], 2, x)
			Scale(y[:n], 3)
			Scaled(y[:n], 3, x)
			ExpNeg(y[:n], 2, x)
			LogisticMeans(y[:n], x)
			AddLogistic(y[:n], x)
			Product(y[:n], 2, x, y)
			AddProduct(y[:n], 2, x, y)
			Combine(y[:n], 2, x, 3, y)
			CombineTo(y[:n], 2, x, 3, y, slices.Clone(y), 2, 3)
			CombineTo(slices.Clone(y)[:n], 2, x, 3, x, y, 2, 3)
			GemvT(y[:n], 1, x, n, []float64{3}[:min(n, 1)])
			SubtractSquares(y[:n], x, n, min(n, 1))
			Fly(y[:n], slices.Clone(y), make([]float64, n*n), 2)
			Fly(slices.Clone(y)[:n], y, make([]float64, n*n), 2)
			Cap{2, 1, 1}.Lower(y[:n], x[:n], x[:n], 0, 0, 0)
			AddDifferences(y[:n], x[:n], x[:n], []float64{1}[:min(n, 1)])
			AddSquares(y[:n], x[:n], x[:n], []float64{1}[:min(n, 1)])
			if !slices.Equal(y[n:], end) {
				t.Fatalf("%d elements, %s: what follows was changed", n, name)
			}
		})
	}
}

// A negative size does not reach the kernels, which would count down to it.
func TestNegativeSizes(t *testing.T) {
	a := Matrix{make([]float64, 400), 20}
	for name, call := range map[string]func(){
		"Cholesky, n":  func() { Cholesky(a.Data, a.Stride, -4, 0, 0) },
		"Cholesky, m":  func() { Cholesky(a.Data, a.Stride, 9, -3, 1) },
		"SolveL, n":    func() { SolveL(a.Data, a.Stride, -4, a, 3) },
		"SolveU, m":    func() { SolveU(a.Data, a.Stride, 9, a, -3) },
		"Gemm, m":      func() { Gemm(a, true, a, a, -3, 9, 9) },
		"Gemm, n":      func() { Gemm(a, true, a, a, 9, -3, 9) },
		"Gemm, k":      func() { Gemm(a, true, a, Matrix{a.Data, 0}, 9, 9, -3) },
		"GemmT, k":     func() { GemmT(a, true, a, Matrix{a.Data, 0}, 9, 9, -3) },
		"Transpose, n": func() { Transpose(a, a, 9, -3) },
	} {
		levels(t, func(level string) {
			defer func() {
				if recover() == nil {
					t.Errorf("%s, %s: no panic", name, level)
				}
			}()
			call()
		})
	}
}

func TestExpIsThatOfNumbers(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	x := []float64{0, math.Copysign(0, -1), 1, -1, 709.782712893384, 709.78271289338409, 710, 1e9, -708.4, -709, -744.4, -745.13321910194122, -745.1332191019412, -745.2, -746, -1e9,
		math.Inf(1), math.Inf(-1), math.NaN(), 5e-324, 1e-20, -1e-20, 0.34657359027997264, 0.3465735902799727}
	for range 5000 {
		x = append(x, 1500*(r.Float64()-0.5), r.NormFloat64(), -r.ExpFloat64())
	}
	for _, v := range x[:len(x):len(x)] {
		x = append(x, -v)
	}
	slices.Sort(x) // numbers with and without a second factor are seldom together
	var dst [15]float64
	levels(t, func(name string) {
		for part := range slices.Chunk(x, len(dst)) {
			ExpNeg(dst[:len(part)], 1, part)
			for i, v := range part {
				if want := fmath.Exp(-v); !sameBits(dst[i], want) {
					t.Fatalf("%s: e^-%v is %v, want %v", name, v, dst[i], want)
				}
			}
		}
	})
}

// Where the nodes of one of four expectations have ended, the next may overflow or be NaN, and do not count.
func TestLogitSums(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 1))
	for _, n := range []int{0, 1, 2, 5} {
		nodes := make([]LogitNodes, n)
		for k := range nodes {
			for i := range 4 {
				centre, up := math.Exp(600*(r.Float64()-0.5)), math.Exp(-r.Float64())
				nodes[k].Z[i], nodes[k].Step[i], nodes[k].End[i] = 0.1, 0.1, math.Ldexp(0.1, r.IntN(6)-1)
				nodes[k].Weight[i], nodes[k].Ratio[i], nodes[k].Shrink[i] = 1, 0.99, 0.98
				nodes[k].Low[i], nodes[k].High[i], nodes[k].Down[i], nodes[k].Up[i] = centre, centre, 1/up, up
				nodes[k].Value[i], nodes[k].D1[i], nodes[k].W[i] = r.Float64(), r.Float64(), r.Float64()
				if r.IntN(9) == 0 {
					nodes[k].Low[i], nodes[k].High[i] = math.NaN(), math.NaN()
				}
			}
		}
		if n > 1 {
			nodes[1].End = [4]float64{0, 0.1, 1, 60}
			nodes[1].Low = [4]float64{1e140, 1e140, 1, 1e-100}
			nodes[1].Down = [4]float64{10, 10, 1.1, 1.1}
		}
		agree(t, fmt.Sprint("LogitSums of ", n), func() (sums []float64) {
			nodes := slices.Clone(nodes)
			LogitSums(nodes)
			for _, k := range nodes {
				sums = slices.Concat(sums, k.Value[:], k.D1[:], k.W[:], k.Slope[:], k.Total[:])
			}
			return sums
		})
	}
}

func TestLog1p(t *testing.T) {
	r := rand.New(rand.NewPCG(14, 1))
	x := []float64{0, 5e-324, 1e-310, 0x1p-54, 0x1p-53, 1e-8, math.Sqrt2 - 1, math.Nextafter(math.Sqrt2-1, 0), math.Nextafter(1, 0), 1, 0x1p53, 0x1p54, math.MaxFloat64, math.NaN()}
	for range 5000 {
		x = append(x, math.Ldexp(r.Float64(), r.IntN(3)*400*r.IntN(2)-r.IntN(4)*r.IntN(20)))
	}
	for _, n := range append(slices.Clone(lengths), len(x)) {
		levels(t, func(level string) {
			dst := make([]float64, n+1)
			Log1p(dst[:n], x)
			for i, v := range x[:n] {
				if want := fmath.Log1p(v); !sameBits(dst[i], want) {
					t.Fatalf("%s: log1p of %v, one of %d, is %v, want %v", level, v, n, dst[i], want)
				}
			}
			if dst[n] != 0 {
				t.Fatalf("%s: log1p of %d numbers: what follows was changed", level, n)
			}
		})
	}
}

func TestMatern52(t *testing.T) {
	r := numbers{rand.New(rand.NewPCG(15, 1))}
	levels(t, func(name string) {
		for _, n := range lengths {
			for _, far := range []float64{0, 5e-324, ExpMax * ExpMax, 709 * 709, math.NaN(), math.Inf(1)} {
				s, value, slope := make([]float64, n), r.vector(n+1), r.vector(n+1)
				for i := range s {
					a := ExpMax * r.Float64() * r.Float64()
					s[i] = a * a
				}
				if n > 0 {
					s[r.IntN(n)] = far
				}
				alone, ends := slices.Clone(value), []float64{value[n], slope[n], value[n]}
				near := Matern52(value[:n], slope[:n], 3, s)
				if Matern52(alone[:n], nil, 3, s) != near || near != (n == 0 || far <= ExpMax*ExpMax) {
					t.Fatalf("%s: %d numbers, one of them %v, are near: %t", name, n, far, near)
				}
				if !slices.Equal([]float64{value[n], slope[n], alone[n]}, ends) {
					t.Fatalf("%s: %d numbers: what follows was changed", name, n)
				}
				for i, v := range s[:n] {
					a := math.Sqrt(v)
					e := fmath.Exp(-a)
					f, df := float64(3*(1+a+float64(v*(1./3))))*e, float64(-3*(1+a)*(1./3))*e
					if near && !(sameBits(value[i], f) && sameBits(alone[i], f) && sameBits(slope[i], df)) {
						t.Fatalf("%s: at %v, %d of %d: %v, %v and slope %v, want %v and %v", name, v, i, n, value[i], alone[i], slope[i], f, df)
					}
				}
			}
		}
	})
}

func TestExpNeg(t *testing.T) {
	r := numbers{rand.New(rand.NewPCG(4, 1))}
	levels(t, func(name string) {
		for _, n := range lengths[1:40] {
			for _, far := range []float64{-1, 0, ExpMax, 709, math.NaN(), math.Inf(1)} {
				x, dst := make([]float64, n), make([]float64, n)
				for i := range x {
					x[i] = ExpMax * r.Float64()
				}
				x[r.IntN(n)] = far
				if got := ExpNeg(dst, 3, x); got != (far <= ExpMax) {
					t.Fatalf("%s: %d numbers, one of them %v, are near: %t", name, n, far, got)
				}
				for i, v := range x {
					if want := 3 * fmath.Exp(-v); v <= ExpMax && !sameBits(dst[i], want) {
						t.Fatalf("%s: 3 e^-%v is %v, want %v", name, v, dst[i], want)
					}
				}
			}
		}
	})
}

func TestSquaredDistances(t *testing.T) {
	r := numbers{rand.New(rand.NewPCG(12, 1))}
	for d := range 14 {
		for n := range 23 {
			for _, make := range []func(int) []float64{r.vector, r.odd} {
				x, scale, points, dst := make(d), make(d), make(n*d), r.vector(n+1)
				end := dst[n]
				levels(t, func(name string) {
					SquaredDistances(dst[:n], x, scale, points)
					for i := range n {
						var want float64
						for j, v := range x {
							u := scale[j] * (v - points[i*d+j])
							want += float64(u * u)
						}
						if !sameBits(dst[i], want) {
							t.Fatalf("%s, %d points in %d-D: distance %d is %v, want %v", name, n, d, i, dst[i], want)
						}
					}
					if dst[n] != end {
						t.Fatalf("%s, %d points in %d-D: what follows was changed", name, n, d)
					}
				})
			}
		}
	}
}

func TestMeanRows(t *testing.T) {
	r := numbers{rand.New(rand.NewPCG(13, 1))}
	var rows [256][4]float64
	for i := range rows {
		copy(rows[i][:], r.odd(4))
	}
	for n := 1; n < 12; n++ {
		for lists := range 11 {
			drawn, dst := make([]uint8, n*lists), make([]float64, 4*(lists+1))
			for i := range drawn {
				drawn[i] = uint8(r.IntN(256))
			}
			levels(t, func(name string) {
				MeanRows(dst[:4*lists], &rows, drawn, n)
				for k := range lists + 1 {
					var want [4]float64
					for c, got := range dst[4*k:][:4] {
						for i := k * n; k < lists && i < (k+1)*n; i++ {
							want[c] += rows[drawn[i]][c]
						}
						if want[c] /= float64(n); !sameBits(got, want[c]) {
							t.Fatalf("%s, %d of %d means of %d rows: %v, want %v", name, k, lists, n, got, want[c])
						}
					}
				}
			})
		}
	}
}

func TestWeightedSums(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 2))
	for pairs := 1; pairs < 5; pairs++ {
		for blocks := range 4 {
			stride := 8*blocks + 3
			weights, values := make([]uint8, 16*pairs*blocks), make([][8][2]int16, pairs)
			for i := range weights {
				weights[i] = uint8(r.IntN(256))
			}
			for i := range 16 * pairs {
				values[i/16][i/2%8][i%2] = int16(r.IntN(1 << 15))
			}
			want := slices.Repeat([]int32{-1}, 8*stride)
			for i := range 8 * 8 * blocks {
				c, k := i/(8*blocks), i%(8*blocks)
				want[c*stride+k] = 0
				for p := range 2 * pairs {
					want[c*stride+k] += int32(weights[(k/8*pairs+p/2)*16+k%8*2+p%2]) * int32(values[p/2][c][p%2])
				}
			}
			levels(t, func(name string) {
				got := slices.Repeat([]int32{-1}, 8*stride)
				WeightedSums(got, stride, weights, values)
				if !slices.Equal(got, want) {
					t.Fatalf("%s, %d blocks of %d pairs: %v, want %v", name, blocks, pairs, got, want)
				}
			})
		}
	}
}

func TestWithin(t *testing.T) {
	for n := range 20 {
		x := slices.Repeat([]int32{6, 10, -3}, 7)[:n]
		for at := range n + 1 {
			for _, v := range []int32{7, 9} {
				if at < n {
					x[at] = v
				}
				levels(t, func(name string) {
					if got := Within(x, 7, 2); got != at {
						t.Fatalf("%s: %d is from 7 to 9 in %v, want %d", name, got, x, at)
					}
				})
			}
			if at < n {
				x[at] = 10
			}
		}
	}
}

func TestFly(t *testing.T) {
	r := numbers{rand.New(rand.NewPCG(14, 1))}
	total := 0
	for _, n := range lengths {
		for _, values := range []int{1 << 30, 3} { // of a few numbers many quotients are the same
			x, s, sigma := make([]float64, n), make([]float64, n), make([]float64, n*n)
			for i := range n {
				x[i], s[i] = float64(-r.IntN(values)), float64(r.IntN(values)-values/2)
				for j := range n {
					sigma[i*n+j] = float64(r.IntN(values)) / float64(values*n)
				}
				sigma[i*n+i] = 1
			}
			wantX, wantS, bounces := slices.Clone(x), slices.Clone(s), 0
			const limit = 50
			wall := firstWall(wantX, wantS)
			for ; wall >= 0 && bounces < limit; bounces++ {
				time, speed := max(-wantX[wall]/wantS[wall], 0), wantS[wall]
				for i := range n {
					wantX[i] = math.FMA(time, wantS[i], wantX[i])
					wantS[i] = math.FMA(-2*speed/sigma[wall*n+wall], sigma[wall*n+i], wantS[i])
				}
				next := firstWall(wantX, wantS)
				wantX[wall], wantS[wall] = 0, -speed
				wall = next
			}
			total += bounces
			levels(t, func(name string) {
				atX, atS := slices.Clone(x), slices.Clone(s)
				got, limited := Fly(atX, atS, sigma, limit)
				if got != bounces || limited != (wall >= 0) || !slices.Equal(atX, wantX) || !slices.Equal(atS, wantS) {
					t.Fatalf("%s, %d: %d bounces, limited %v, from %v with %v to %v with %v; want %d, %v, to %v with %v", name, n,
						got, limited, x, s, atX, atS, bounces, wall >= 0, wantX, wantS)
				}
			})
		}
	}
	if total < 1000 {
		t.Errorf("%d bounces are too few", total)
	}
}

func firstWall(x, s []float64) int {
	wall, least := -1, math.Inf(1)
	for i := range x {
		if q := -x[i] / s[i]; s[i] > 0 && q < least {
			wall, least = i, q
		}
	}
	return wall
}

func TestScaleBoth(t *testing.T) {
	r := numbers{rand.New(rand.NewPCG(8, 1))}
	for _, n := range lengths[:45] {
		for _, make := range []func(int) []float64{r.vector, r.odd} {
			a, b, d := Matrix{make(n * (n + 1)), n + 1}, Matrix{make(n * (n + 2)), n + 2}, make(n)
			agree(t, fmt.Sprint("ScaleBoth of ", n), func() []float64 {
				got := Matrix{slices.Clone(b.Data), b.Stride}
				ScaleBoth(got, a, d)
				for i := range n {
					for j := i; j < n; j++ {
						if v := got.Data[i*got.Stride+j]; !sameBits(v, d[i]*a.Data[i*a.Stride+j]*d[j]) {
							t.Fatalf("n = %d: element %d, %d is %g", n, i, j, v)
						}
					}
				}
				return got.Data
			})
		}
	}
}

func TestTranspose(t *testing.T) {
	r := numbers{rand.New(rand.NewPCG(10, 1))}
	for range 500 {
		m, n := r.IntN(20), r.IntN(20)
		a, dst := Matrix{r.vector((m + 1) * (n + 1)), n + 1}, Matrix{make([]float64, (m+2)*(n+1)), m + 2}
		levels(t, func(name string) {
			clear(dst.Data)
			Transpose(dst, a, m, n)
			for i := range dst.Stride {
				for j := range n + 1 {
					if got := dst.Data[j*dst.Stride+i]; i < m && j < n && got != a.Data[i*a.Stride+j] || (i >= m || j >= n) && got != 0 {
						t.Fatalf("%s, %d×%d: element %d, %d is %g", name, m, n, j, i, got)
					}
				}
			}
		})
	}
}

// The product is what three loops give, on every level.
func TestGemm(t *testing.T) {
	r := numbers{rand.New(rand.NewPCG(5, 1))}
	for range 600 {
		m, n, k := r.IntN(20), r.IntN(60), r.IntN(20)
		pad := r.IntN(3)
		a, b, c := Matrix{r.vector((m + 1) * (k + 3)), k + pad}, Matrix{r.vector((k + 1) * (n + 3)), n + pad}, Matrix{r.vector((m + 1) * (n + 3)), n + pad}
		at := Matrix{make([]float64, (k+1)*(m+3)), m + pad}
		for i := range m {
			for l := range k {
				at.Data[l*at.Stride+i] = a.Data[i*a.Stride+l]
			}
		}
		subtract := r.IntN(2) == 0
		want := slices.Clone(c.Data)
		for i := range m {
			for j := range n {
				for l := range k {
					v := a.Data[i*a.Stride+l]
					if subtract {
						v = -v
					}
					want[i*c.Stride+j] = math.FMA(v, b.Data[l*b.Stride+j], want[i*c.Stride+j])
				}
			}
		}
		levels(t, func(name string) {
			for _, transposed := range []bool{false, true} {
				got := Matrix{slices.Clone(c.Data), c.Stride}
				if transposed {
					GemmT(got, subtract, at, b, m, n, k)
				} else {
					Gemm(got, subtract, a, b, m, n, k)
				}
				if !slices.Equal(got.Data, want) {
					t.Fatalf("%s: the product of %d×%d and %d×%d is wrong", name, m, k, k, n)
				}
			}
		})
	}
}

func near(t *testing.T, got, want float64, format string, args ...any) {
	t.Helper()
	if !(math.Abs(got-want) <= 1e-10*(1+math.Abs(want))) {
		t.Fatalf("%s: %g, want %g", fmt.Sprintf(format, args...), got, want)
	}
}

// TestCholesky compares the factor, and U⁻ᵀ times more columns, with gonum's.
func TestCholesky(t *testing.T) {
	r := numbers{rand.New(rand.NewPCG(6, 1))}
	for _, n := range append(slices.Clone(lengths[1:40]), 64, 71, 100) {
		for _, m := range []int{0, 1, 3, 9} {
			stride := n + m + r.IntN(3)
			root, square := mat.NewDense(n, n, r.vector(n*n)), mat.NewDense(n, n, nil)
			square.Mul(root, root.T())
			a := r.vector(n * stride)
			for i := range n {
				copy(a[i*stride:], square.RawRowView(i))
				a[i*stride+i]++
				square.Set(i, i, a[i*stride+i])
			}
			var c mat.Cholesky
			c.Factorize(mat.NewSymDense(n, square.RawMatrix().Data))
			var u mat.TriDense
			c.UTo(&u)
			agree(t, fmt.Sprintf("the factor of %d and %d columns", n, m), func() []float64 {
				got := slices.Clone(a)
				if !Cholesky(got, stride, n, m, 0) {
					t.Fatalf("n = %d: a positive definite matrix was refused", n)
				}
				for i := range n {
					clear(got[i*stride : i*stride+i])
					for j := i; j < n; j++ {
						near(t, got[i*stride+j], u.At(i, j), "n = %d: U[%d, %d], gonum's", n, i, j)
					}
					for j := n; j < n+m; j++ { // UᵀX is what the columns were
						sum := 0.0
						for k := range i + 1 {
							sum += u.At(k, i) * got[k*stride+j]
						}
						near(t, sum, a[i*stride+j], "n = %d: element %d of column %d", n, i, j)
					}
				}
				return got
			})
		}
	}
}

// Every solve returns the factor with which the triangular matrix was multiplied.
func TestSolves(t *testing.T) {
	r := numbers{rand.New(rand.NewPCG(7, 1))}
	for _, n := range lengths[1:45] {
		for _, m := range []int{1, 3, 8, 13, 30} {
			stride := n + r.IntN(3)
			a := r.vector(n * stride)
			for i := range n {
				Scale(a[i*stride:][:n], 1/float64(n+1))
				a[i*stride+i] = 1 + r.Float64()
			}
			upper := mat.NewDense(n, stride, a).Slice(0, n, 0, n)
			x := mat.NewDense(n, m, r.vector(n*m))
			for name, test := range map[string]struct {
				solve      func([]float64, int, int, Matrix, int)
				kind       mat.TriKind
				transposed bool
			}{
				"SolveL": {SolveL, mat.Lower, false}, "SolveLT": {SolveLT, mat.Lower, true},
				"SolveU": {SolveU, mat.Upper, false}, "SolveUT": {SolveUT, mat.Upper, true},
			} {
				factor := mat.NewTriDense(n, test.kind, nil)
				factor.Copy(upper)
				var b mat.Dense
				if b.Mul(factor, x); test.transposed {
					b.Mul(factor.T(), x)
				}
				agree(t, fmt.Sprintf("%s of %d and %d columns", name, n, m), func() []float64 {
					got := make([]float64, n*(m+2))
					for i := range n {
						copy(got[i*(m+2):], b.RawRowView(i))
					}
					test.solve(a, stride, n, Matrix{got, m + 2}, m)
					for i := range n {
						for j := range m {
							near(t, got[i*(m+2)+j], x.At(i, j), "%s of %d and %d columns: element %d, %d", name, n, m, i, j)
						}
					}
					return got
				})
			}
		}
	}
}

func TestPivots(t *testing.T) {
	levels(t, func(name string) {
		a := []float64{4, 2, 0, 1 - 1e-13}
		if Cholesky(slices.Clone(a), 2, 2, 0, 0) {
			t.Errorf("%s: an indefinite matrix has a factor", name)
		}
		if !Cholesky(a, 2, 2, 0, 0.25) {
			t.Errorf("%s: no factor with a floor of 0.25", name)
		}
		if factor := []float64{a[0], a[1], a[3]}; !slices.Equal(factor, []float64{2, 1, 0.5}) {
			t.Errorf("%s: factor %g with a floor of 0.25", name, factor)
		}
		for pivot, want := range map[float64]bool{0x1p-1022: true, 0x1p-1023: false, math.NaN(): false} {
			if got := Cholesky([]float64{pivot}, 1, 1, 0, 0); got != want || pivot != pivot && Cholesky([]float64{pivot}, 1, 1, 0, 1) {
				t.Errorf("%s: the pivot %g has a factor: %t", name, pivot, got)
			}
		}
		for n := range 20 {
			for bad := range n {
				a := make([]float64, n*n)
				for i := range n {
					a[i*n+i] = 1
				}
				a[bad*n+bad] = -1
				if Cholesky(a, n, n, 0, 0) {
					t.Fatalf("%s: %d rows, the pivot of row %d is negative", name, n, bad)
				}
			}
		}
	})
}

// A fixed computation with every function gives these bits on every processor and with every
// compiler setting.
func TestSameEverywhere(t *testing.T) {
	const want = uint64(0x87099b09dbbba50c)
	levels(t, func(name string) {
		r := rand.New(rand.NewPCG(11, 1))
		vector := func(n int) []float64 {
			v := make([]float64, n)
			for i := range v {
				v[i] = math.Ldexp(r.Float64()-0.5, r.IntN(8))
			}
			return v
		}
		hash := fnv.New64a()
		add := func(vectors ...[]float64) {
			for _, x := range slices.Concat(vectors...) {
				if x-x != 0 {
					t.Fatalf("%s: %v is no number", name, x)
				}
				hash.Write(binary.LittleEndian.AppendUint64(nil, math.Float64bits(x)))
			}
		}
		for n := 1; n < 90; n += 1 + n/8 {
			x, y, a := vector(n), vector(n), vector(n*n)
			m := Matrix{make([]float64, n*n), n}
			add([]float64{Dot(x, y)})
			AddScaled(y, 1.3, x)
			AddProduct(y, 0.7, x, x)
			Combine(y, 0.9, y, 0.1, x)
			Gemv(y, 0.1, a, n, x)
			GemvT(y, 0.1, a, n, x)
			add(y)
			SubtractSquares(y, a, n, n)
			add(y)
			Product(y, 0.3, x, x)
			Scale(x, -1)
			ExpNeg(x, 1, x)
			Scale(y, 0.01)
			add(x, y)
			SquaredDistances(x[:n/3], y[:min(n, 3)], a, y[:n/3*min(n, 3)])
			ExpNeg(x, 1.7, x)
			add(x)
			for i := range x {
				x[i] = 1 - r.Float64()
			}
			LogisticMeans(y, x)
			add(y)
			Log1p(y, x)
			for i, v := range x {
				x[i] = fmath.Log(v)
			}
			add(x, y)
			bounces, _ := Fly(x, y, a, 20)
			add(x, y, []float64{float64(bounces)})
			GemmT(m, false, Matrix{a, n}, Matrix{a, n}, n, n, n)
			for i := range n {
				m.Data[i*n+i]++
				y[i] = 1 / (1 + float64(y[i]*y[i]))
			}
			ScaleBoth(m, m, y)
			if !Cholesky(m.Data, n, n, 0, 1e-9) {
				t.Fatalf("%s: %d rows have no factor", name, n)
			}
			SolveUT(m.Data, n, n, Matrix{a, n}, n)
			SolveU(m.Data, n, n, Matrix{a, n}, n)
			for i := range n {
				add(m.Data[i*n+i : (i+1)*n])
			}
			add(a)
		}
		if got := hash.Sum64(); got != want {
			t.Errorf("%s: the hash is %#x, want %#x", name, got, want)
		}
	})
}

// Triangular solves of vectors are by Dot and AddScaled, bit for bit, also where the rows follow one another.
func TestSolveLower(t *testing.T) {
	r := numbers{rand.New(rand.NewPCG(16, 1))}
	for n := range 40 {
		l, packed, x := r.vector(n*(n+3)), []float64{}, r.vector(n)
		lower, transposed := slices.Clone(x), slices.Clone(x)
		for i := range n {
			row := l[i*(n+3) : i*(n+3)+i+1]
			packed = append(packed, row...)
			lower[i] = (lower[i] - Dot(row[:i], lower)) / row[i]
		}
		for i := n - 1; i >= 0; i-- {
			row := l[i*(n+3) : i*(n+3)+i+1]
			transposed[i] /= row[i]
			AddScaled(transposed[:i], -transposed[i], row)
		}
		levels(t, func(level string) {
			for i, v := range []struct {
				solve  func(l []float64, stride int, x []float64)
				l      []float64
				stride int
				want   []float64
			}{{SolveLower, l, n + 3, lower}, {SolveLower, packed, 0, lower}, {SolveLowerT, l, n + 3, transposed}, {SolveLowerT, packed, 0, transposed}} {
				got := slices.Clone(x)
				if v.solve(v.l, v.stride, got); !slices.EqualFunc(got, v.want, sameBits) {
					t.Fatalf("%d rows, %s, case %d: %v, want %v", n, level, i, got, v.want)
				}
			}
		})
	}
}
