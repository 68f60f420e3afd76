package wide

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// fromBytes returns n numbers whose bits are the bytes, again and again, each time
// rotated by one, so that special values meet in all combinations.
func fromBytes(data []byte, n int) []float64 {
	v := make([]float64, n+1)[1:] // not on the boundary of a register
	words := len(data) / 8
	for i := range v {
		if words > 0 {
			v[i] = math.Float64frombits(binary.LittleEndian.Uint64(data[(i+i/words)%words*8:]))
		}
	}
	return v
}

// seed adds plain and special numbers to a corpus, at lengths on both sides of all
// registers.
func seed(f *testing.F) {
	r := numbers{rand.New(rand.NewPCG(9, 1))}
	for _, n := range []int{1, 3, 4, 7, 8, 9, 15, 16, 17, 31, 33, 64, 70} {
		for _, v := range [][]float64{r.vector(13), r.odd(29)} {
			var data []byte
			for _, x := range v {
				data = binary.LittleEndian.AppendUint64(data, math.Float64bits(x))
			}
			f.Add(data, uint8(n), uint8(r.IntN(256)))
		}
	}
}

func FuzzVectors(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, data []byte, length, shift uint8) {
		v := fromBytes(data, 3*int(length)+int(shift%8)+1)
		c, v := v[0], v[1+shift%8:]
		agreeOnVectors(t, c, v[:length], v[length:2*int(length)], v)
	})
}

func FuzzMatrices(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, data []byte, size, columns uint8) {
		n, m := int(size%41), int(columns%29)
		stride := n + m + 1
		a := fromBytes(data, (n+1)*stride)
		for name, work := range map[string]func(z []float64) bool{
			"Cholesky": func(z []float64) bool { return Cholesky(z, stride, n, m, 0) },
			"a floor":  func(z []float64) bool { return Cholesky(z, stride, n, m, 1) },
			"SolveL":   func(z []float64) bool { SolveL(a, stride, n, Matrix{z[n:], stride}, m); return true },
			"SolveU":   func(z []float64) bool { SolveU(a, stride, n, Matrix{z[n:], stride}, m); return true },
			"Gemm": func(z []float64) bool {
				Gemm(Matrix{z, stride}, true, Matrix{a, stride}, Matrix{a, stride}, n, m, n)
				return true
			},
			"GemmT": func(z []float64) bool {
				GemmT(Matrix{z, stride}, false, Matrix{a, stride}, Matrix{a, stride}, n, m, n)
				return true
			},
		} {
			agree(t, fmt.Sprintf("%s of %d and %d columns", name, n, m), func() []float64 {
				z := slices.Clone(a)
				if !work(z) {
					return []float64{0}
				}
				for i := range n { // scratch of Cholesky
					if name == "Cholesky" || name == "a floor" {
						clear(z[i*stride : i*stride+i])
					}
				}
				return z
			})
		}
	})
}
