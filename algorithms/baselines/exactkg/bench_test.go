package exactkg

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"popbench/algorithms"
	"popbench/internal/check"
	"popbench/space"
)

// Tell with its fit, Ask and Recommend after t duels of random points.
func BenchmarkStep(b *testing.B) {
	for _, d := range []int{2, 6, 12} {
		for _, t := range []int{30, 100} {
			b.Run(fmt.Sprintf("%d-D/t=%d", d, t), func(b *testing.B) {
				r := rand.New(rand.NewPCG(1, 2))
				cfg := Default()
				cfg.InitialDuels = 0
				box := space.Cube(d, 0, 1)
				point := func() []float64 { return box.Sample(make([]float64, d), r) }
				a := check.Must(New(algorithms.Setup{Domain: box, Start: point(), Rand: r}, cfg))(b)
				tell := func() {
					x, y := point(), point()
					winner := 0
					if norm(x)+r.NormFloat64()/4 > norm(y) {
						winner = 1
					}
					check.OK(b, a.Tell(algorithms.Query{Points: [][]float64{x, y}, New: 2}, winner))
				}
				for range t {
					tell()
				}
				for b.Loop() {
					tell()
					check.OK(b, check.Err(a.Ask()))
					check.OK(b, check.Err(a.Recommend()))
				}
			})
		}
	}
}

// norm returns the squared distance from the middle of [0,1]^d.
func norm(x []float64) (sum float64) {
	for _, v := range x {
		sum += 4 * (v - 0.5) * (v - 0.5)
	}
	return sum
}
