package gp

import (
	"math/rand/v2"
	"testing"

	"popbench/internal/check"
)

func TestWhitenColumnsIsWhiten(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 1))
	const n, m = 7, 5
	f := Laplace(randomGram(n, n, 4, r), n, Logit{}, nil)
	columns := make([]float64, n*m)
	for i := range columns {
		columns[i] = r.NormFloat64()
	}
	want := make([]float64, n*m)
	for j := range m {
		k := make([]float64, n)
		for i := range k {
			k[i] = columns[i*m+j]
		}
		f.Whiten(k, k)
		for i := range k {
			want[i*m+j] = k[i]
		}
	}
	f.WhitenColumns(columns)
	for i := range want {
		check.Near(t, columns[i], want[i], 1e-14, "number %d", i)
	}
}
