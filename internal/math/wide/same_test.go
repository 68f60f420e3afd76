package wide

import (
	"encoding/binary"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"testing"
)

// A fixed computation with every function gives these bits on every processor and with every
// compiler setting.
func TestSameEverywhere(t *testing.T) {
	const want = uint64(0x64dc3021b2d67021)
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
		add := func(v ...float64) {
			for _, x := range v {
				if x-x != 0 {
					t.Fatalf("%s: %v is no number", name, x)
				}
				hash.Write(binary.LittleEndian.AppendUint64(nil, math.Float64bits(x)))
			}
		}
		for n := 1; n < 90; n += 1 + n/8 {
			x, y, a := vector(n), vector(n), vector(n*n)
			add(Dot(x, y))
			AddScaled(y, 1.3, x)
			AddProduct(y, 0.7, x, x)
			Gemv(y, 0.1, a, n, x)
			GemvT(y, 0.1, a, n, x)
			add(y...)
			Product(y, 0.3, x, x)
			Exp(x, x)
			Scale(y, 0.01)
			add(x...)
			add(y...)
			m := make([]float64, n*n)
			GemmT(Matrix{m, n}, false, Matrix{a, n}, Matrix{a, n}, n, n, n)
			for i := range n {
				m[i*n+i]++
				y[i] = 1 / (1 + float64(y[i]*y[i]))
			}
			ScaleBoth(Matrix{m, n}, Matrix{m, n}, y)
			if !Cholesky(m, n, n, 0, 1e-9) {
				t.Fatalf("%s: %d rows have no factor", name, n)
			}
			SolveUT(m, n, n, Matrix{a, n}, n)
			SolveU(m, n, n, Matrix{a, n}, n)
			for i := range n {
				add(m[i*n+i : (i+1)*n]...)
			}
			add(a...)
		}
		if got := hash.Sum64(); got != want {
			t.Errorf("%s: the hash is %#x, want %#x", name, got, want)
		}
	})
}
