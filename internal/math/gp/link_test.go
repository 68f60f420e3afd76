package gp

import (
	"math"
	"testing"

	"popbench/internal/check"
)

// Computed in 700-digit arithmetic (mpmath).
var linkValues = []struct {
	link Link
	g    float64
	want [4]float64
}{
	{Probit{1}, -700, [4]float64{-245007.47002090905, 700.00142856559773, -0.99999795920866263, 5.830760996086319e-9}},
	{Probit{1}, -60, [4]float64{-1805.0135606805671, 60.016657420241125, -0.99972268411658523, 9.2285018196190178e-6}},
	{Probit{1}, -5.5, [4]float64{-17.779376352625261, 5.6714103138973056, -0.97213822214555377, 0.0086189435223161058}},
	{Probit{1}, -4.5, [4]float64{-12.592419735713079, 4.7043198448277324, -0.96118590071522447, 0.013795416560255427}},
	{Probit{1}, -4.25, [4]float64{-11.446339749365847, 4.4644731692662007, -0.95750970971644112, 0.015663381120763974}},
	{Probit{1}, -1, [4]float64{-1.8410216450092635, 1.5251352761609812, -0.80090233442965121, 0.11693119540604883}},
	{Probit{1}, 0, [4]float64{-0.69314718055994531, 0.79788456080286536, -0.63661977236758134, 0.21801361414499016}},
	{Probit{1}, 0.5, [4]float64{-0.36894641528865639, 0.50916043383703349, -0.5138245643036329, 0.27099012446870783}},
	{Probit{1}, 3, [4]float64{-0.0013508099647481938, 0.0044378390421256638, -0.013333211541740806, 0.035680136876570471}},
	{Probit{1}, 9, [4]float64{-1.1285884059538406e-19, 1.0279773571668915e-18, -9.2517962145020233e-18, 8.2238188573351318e-17}},
	{Probit{1}, 30, [4]float64{-4.9067139271481871e-198, 1.4736461348785475e-196, -4.4209384046356426e-195, 1.3248078752558142e-193}},
	{Probit{1}, 700, [4]float64{}},
	{Probit{2}, -11, [4]float64{-17.779376352625261, 5.6714103138973056 / 2, -0.97213822214555377 / 4, 0.0086189435223161058 / 8}},
	{Logit{}, -700, [4]float64{-700, 1, -9.8596765437597709e-305, -9.8596765437597709e-305}},
	{Logit{}, -60, [4]float64{-60, 1, -8.7565107626965203e-27, -8.7565107626965203e-27}},
	{Logit{}, -5.5, [4]float64{-5.5040784432705707, 0.99592986228410387, -0.0040535716948697672, -0.0040205745047910103}},
	{Logit{}, -1, [4]float64{-1.3132616875182228, 0.73105857863000488, -0.19661193324148185, -0.090857747672948409}},
	{Logit{}, 0, [4]float64{-0.69314718055994531, 0.5, -0.25, 0}},
	{Logit{}, 0.5, [4]float64{-0.47407698418010668, 0.37754066879814544, -0.23500371220159449, 0.057556794852320741}},
	{Logit{}, 9, [4]float64{-0.00012340218972325882, 0.00012339457598623173, -0.00012337934976484891, 0.00012334890107974953}},
	{Logit{}, 30, [4]float64{-9.3576229688397368e-14, 9.357622968839299e-14, -9.3576229688384233e-14, 9.357622968836672e-14}},
	{Logit{}, 700, [4]float64{-9.8596765437597709e-305, 9.8596765437597709e-305, -9.8596765437597709e-305, 9.8596765437597709e-305}},
}

func TestLinks(t *testing.T) {
	for _, c := range linkValues {
		var got [4]float64
		got[0], got[1], got[2], got[3] = c.link.Derivs(c.g)
		for k, want := range c.want {
			check.Near(t, got[k], want, 2e-12*math.Abs(want), "%#v: derivative %d at %g", c.link, k, c.g)
		}
	}
}

// Against values in 30 digits, and at arguments where exponentials overflow.
func TestLinkMeans(t *testing.T) {
	var file struct{ Table [][10]float64 }
	check.Read(t, "testdata/link_means.json", &file)
	if len(file.Table) != 60 {
		t.Fatalf("%d rows, want 60", len(file.Table))
	}
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
		narrow, wide := Logit{}.Means(mean, wideSD*wideSD), logitMeansWide(mean, wideSD)
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
