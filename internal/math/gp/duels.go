package gp

import (
	"fmt"
	"slices"

	"popbench/internal/math/linalg"
	"popbench/internal/math/wide"
	"popbench/kernel"
)

// Duels are comparisons of two points by one utility f: latent value i is g_i = f(winner_i) - f(loser_i). Set
// Dim; the zero value of the rest has no duels.
type Duels struct {
	Dim    int       // d
	points []float64 // 2n×d, first the winners, then the losers
	slopes []float64 // of the kernel between the points, four rows of length i+1 for each i; set by Gram
	row, w []float64 // workspaces
}

// Add appends a duel. It copies the points, of length d.
func (d *Duels) Add(winner, loser []float64) {
	if len(winner) != d.Dim || len(loser) != d.Dim {
		panic(fmt.Sprintf("gp: a duel of points of lengths %d and %d; the dimension is %d", len(winner), len(loser), d.Dim))
	}
	d.points = append(slices.Insert(d.points, len(d.points)/2, winner...), loser...)
}

func (d *Duels) winners() []float64 { return d.points[:len(d.points)/2] }
func (d *Duels) losers() []float64  { return d.points[len(d.points)/2:] }

// Len returns n, the number of duels.
func (d *Duels) Len() int { return len(d.points) / (2 * d.Dim) }

// Winner returns the preferred point of duel i. The caller must not change it.
func (d *Duels) Winner(i int) []float64 { return d.winners()[i*d.Dim : (i+1)*d.Dim] }

// Loser returns the other point of duel i. The caller must not change it.
func (d *Duels) Loser(i int) []float64 { return d.losers()[i*d.Dim : (i+1)*d.Dim] }

// Gram sets dst, n×n row-major, to the prior covariances of the latent values if f has the kernel k:
//
//	k(w_i, w_j) - k(w_i, l_j) - k(l_i, w_j) + k(l_i, l_j)
func (d *Duels) Gram(dst []float64, k kernel.Kernel) {
	n := d.Len()
	d.row, d.slopes = linalg.Resize(d.row, n), linalg.Resize(d.slopes, 2*n*(n+1))
	for i := range n {
		row := dst[i*n : i*n+i+1]
		clear(row)
		for t, term := range d.terms(i) {
			k.RowSlopes(d.row[:i+1], d.slopesOf(i, t), term.x, term.pts)
			wide.AddScaled(row, term.sign, d.row)
		}
		for j, v := range row[:i] {
			dst[j*n+i] = v
		}
	}
}

// term is one of four parts of the row of duel i: sign times k(x, ·) at points of the first i+1 duels.
type term struct {
	sign   float64
	x, pts []float64
}

func (d *Duels) terms(i int) [4]term {
	m := (i + 1) * d.Dim
	w, l := d.winners()[:m], d.losers()[:m]
	return [4]term{{1, d.Winner(i), w}, {-1, d.Winner(i), l}, {-1, d.Loser(i), w}, {1, d.Loser(i), l}}
}

// slopesOf returns the slopes of term t of duel i, of length i+1.
func (d *Duels) slopesOf(i, t int) []float64 {
	from := 2*i*(i+1) + t*(i+1)
	return d.slopes[from : from+i+1]
}

// Cov sets dst_i to the prior covariance of f(x) and g_i.
func (d *Duels) Cov(dst []float64, k kernel.Kernel, x []float64) {
	d.row = linalg.Resize(d.row, 2*d.Len())
	k.Row(d.row, x, d.points)
	d.subtract(dst)
}

// CovSlopes is Cov, and also fills slopes, of length 2n, for GradCov.
func (d *Duels) CovSlopes(dst, slopes []float64, k kernel.Kernel, x []float64) {
	d.row = linalg.Resize(d.row, 2*d.Len())
	k.RowSlopes(d.row, slopes, x, d.points)
	d.subtract(dst)
}

func (d *Duels) subtract(dst []float64) {
	n := d.Len()
	wide.Combine(dst[:n], 1, d.row[:n], -1, d.row[n:])
}

// GradCov sets dst, of length d, to the gradient in x of Σ_i c_i cov(f(x), g_i), after CovSlopes at the same x.
// buf is a workspace of length d or more.
func (d *Duels) GradCov(dst []float64, k kernel.Kernel, x, slopes, c, buf []float64) {
	buf, n := buf[:d.Dim], d.Len()
	k.GradSlopes(dst, x, d.winners(), slopes[:n], c)
	k.GradSlopes(buf, x, d.losers(), slopes[n:2*n], c)
	wide.AddScaled(dst, -1, buf)
}

// GradLogLengthscale sets dst, of length d, to the gradient of Σ_ij s_ij G_ij in the logarithms of the
// lengthscales, after Gram with the same kernel. s is n×n and symmetric, as from Approximation.Sensitivity.
func (d *Duels) GradLogLengthscale(dst []float64, k kernel.Stationary, s []float64) {
	n := d.Len()
	d.row, d.w = linalg.Resize(d.row, d.Dim), linalg.Resize(d.w, n)
	clear(dst)
	for i := range n {
		w := d.w[:i+1]
		for j, v := range s[i*n : i*n+i] {
			w[j] = 2 * v
		}
		w[i] = s[i*n+i]
		for t, term := range d.terms(i) {
			k.GradLogSlopes(d.row, term.x, term.pts, d.slopesOf(i, t), w)
			wide.AddScaled(dst, term.sign, d.row)
		}
	}
}
