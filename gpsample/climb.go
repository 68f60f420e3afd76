package gpsample

import "popbench/internal/math/search"

// climber runs local searches and keeps the best point found.
type climber struct {
	f      *Function
	local  *search.Local
	best   []float64
	value  float64
	climbs int
}

func (c *climber) climb(x []float64) {
	c.climbs++
	r := c.local.Maximize(func(x, grad []float64) float64 {
		if grad != nil {
			c.f.Gradient(grad, x)
		}
		return c.f.Value(x)
	}, x)
	if r.Value > c.value {
		c.value = r.Value
		c.best = append(c.best[:0], r.X...)
	}
}

// excess is the Excess that a proof aims for, in units of ‖f‖ sup sqrt(k(x,x)).
const excess = 1e-10

const maxCells = 100_000
