package gp

import (
	"math"
	"testing"

	"popbench/internal/check"
)

// moments is testdata/moments.json, which says what it has.
type moments struct{ Links, Truncated, Logit [][]float64 }

func readMoments(t *testing.T) (m moments) {
	t.Helper()
	check.Read(t, "testdata/moments.json", &m)
	check.That(t, len(m.Links) >= 20 && len(m.Truncated) >= 10 && len(m.Logit) >= 10, "testdata/moments.json lacks rows")
	return m
}

func TestLinks(t *testing.T) {
	for _, c := range readMoments(t).Links {
		var link Link = Logit{}
		if c[0] > 0 {
			link = Probit{c[0]}
		}
		var got [4]float64
		got[0], got[1], got[2], got[3] = link.Derivs(c[1])
		for k, want := range c[2:] {
			check.Near(t, got[k], want, 2e-12*math.Abs(want), "%#v: derivative %d at %g", link, k, c[1])
		}
	}
}

// Against values in 30 digits, and at arguments where exponentials overflow.
func TestLinkMeans(t *testing.T) {
	var file struct{ Table [][10]float64 }
	check.Read(t, "testdata/link_means.json", &file)
	check.That(t, len(file.Table) == 60, "%d rows, want 60", len(file.Table))
	for _, row := range file.Table {
		mean, v := row[0], row[1]
		for k, link := range []Link{Probit{Scale: 1}, Logit{}} {
			m := link.Means(mean, v)
			want := row[2+4*k:]
			for i, got := range []float64{m.P, m.D1, m.D2, m.D3} {
				check.Near(t, got, want[i], 3e-13, "%T, N(%g, %g): expectation %d", link, mean, v, i)
			}
			check.Near(t, m.P+m.Q, 1, 1e-14, "%T, N(%g, %g): E p + E (1-p)", link, mean, v)
		}
	}
	for _, mean := range []float64{-1e5, -701, -344, 699, 701, 1e5} {
		for _, v := range []float64{0, 1, 400} {
			m := Logit{}.Means(mean, v)
			p := math.Max(0, math.Copysign(1, mean))
			check.Near(t, math.Abs(m.P-p)+math.Abs(m.Q-(1-p))+math.Abs(m.D1)+math.Abs(m.D2)+math.Abs(m.D3), 0, 3e-14, "N(%g, %g): errors in all", mean, v)
		}
	}
}

// A probit of any scale is the one of scale 1 in other units.
func TestProbitMeansScale(t *testing.T) {
	a, b := Probit{Scale: 3}.Means(1.5, 4.5), Probit{Scale: 1}.Means(0.5, 0.5)
	for i, v := range [][2]float64{{a.P, b.P}, {a.Q, b.Q}, {3 * a.D1, b.D1}, {9 * a.D2, b.D2}, {27 * a.D3, b.D3}} {
		check.That(t, math.Abs(v[0]-v[1]) <= 1e-15, "expectation %d is %g with scale 3, %g with scale 1", i, v[0], v[1])
	}
}

// Both ways to compute the means agree where they meet, and any deviation has means, also an infinite one.
func TestWideMeans(t *testing.T) {
	for _, mean := range []float64{0, 0.3, -2, 7, 40} {
		narrow := Logit{}.Means(mean, wideSD*wideSD)
		wide, _ := logitMeansWide(mean, wideSD)
		for i, pair := range [][2]float64{{narrow.P, wide.P}, {narrow.Q, wide.Q}, {narrow.D1, wide.D1}, {narrow.D2, wide.D2}, {narrow.D3, wide.D3}} {
			check.That(t, math.Abs(pair[0]-pair[1]) <= 1e-13, "mean %g: number %d is %g and %g", mean, i, pair[0], pair[1])
		}
	}
	for _, v := range []float64{1e6, 1e300, math.Inf(1)} {
		m := Logit{}.Means(3, v)
		check.Near(t, m.P, 0.5*math.Erfc(-3/math.Sqrt(2*(v+math.Pi*math.Pi/3))), 1e-12, "variance %g: P", v)
		check.That(t, math.Abs(m.P+m.Q-1) <= 1e-14 && m.D1 >= 0, "variance %g: %+v", v, m)
	}
}
