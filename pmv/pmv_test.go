package pmv

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"popbench/internal/check"
)

// conditions are an Input as testdata/reference.json writes it.
type conditions struct {
	Air, Radiant, Speed, Humidity, Met, Work, Clo float64
}

func (c conditions) input() Input {
	return Input{
		AirTempC: c.Air, RadiantTempC: c.Radiant, AirSpeedMps: c.Speed, HumidityPercent: c.Humidity,
		MetabolicRateMet: c.Met, ExternalWorkMet: c.Work, ClothingClo: c.Clo,
	}
}

type reference struct {
	Published []struct { // tables of standards and programs
		conditions
		Source, Flag string
		PMV          float64
		TolPMV       float64 `json:"tol_pmv"`
		PPD          *float64
		TolPPD       float64 `json:"tol_ppd"`
	}
	Exact []struct { // in 60-digit arithmetic
		conditions
		PMV, PPD, Clothing, Convection float64
	}
}

func load(t *testing.T) reference {
	t.Helper()
	var r reference
	check.Read(t, "testdata/reference.json", &r)
	if len(r.Published) != 39 || len(r.Exact) != 100 {
		t.Fatalf("the reference has %d published and %d exact rows", len(r.Published), len(r.Exact))
	}
	return r
}

func evaluate(t *testing.T, in Input) Result {
	t.Helper()
	return check.Must(Evaluate(in))(t)
}

// Rows with a flag differ from the formula of ISO 7730, and the flag says why. The row with a
// misprint must keep it.
func TestPublished(t *testing.T) {
	flags := map[string]int{}
	for _, row := range load(t).Published {
		if row.Flag != "" {
			flags[strings.Fields(row.Flag)[0]]++
		}
		r := evaluate(t, row.input())
		ok := math.Abs(r.PMV-row.PMV) <= row.TolPMV && (row.PPD == nil || math.Abs(r.PPDPercent-*row.PPD) <= row.TolPPD)
		switch {
		case row.Flag == "" && !ok:
			t.Errorf("%s: %+v: PMV %.4f, PPD %.3f, published %+v", row.Source, row.conditions, r.PMV, r.PPDPercent, row)
		case strings.Contains(row.Flag, "misprint") && ok:
			t.Errorf("%s: flagged a misprint, yet it is what the formula gives", row.Source)
		}
	}
	if want := (map[string]int{"known": 1, "ASHRAE": 6}); fmt.Sprint(flags) != fmt.Sprint(want) {
		t.Errorf("rows left out for %v, should be for %v", flags, want)
	}
}

// Sums of terms of up to 300 W/m², each with a rounding error.
func TestExact(t *testing.T) {
	for _, row := range load(t).Exact {
		r := evaluate(t, row.input())
		for _, v := range []struct {
			name      string
			got, want float64
		}{
			{"PMV", r.PMV, row.PMV},
			{"PPD", r.PPDPercent, row.PPD},
			{"clothing temperature", r.ClothingTempC, row.Clothing},
			{"convection", r.ConvectionWpm2K, row.Convection},
		} {
			check.Near(t, v.got, v.want, 1e-14*max(1, math.Abs(v.want)), "%+v: %s", row.conditions, v.name)
		}
	}
}

// The program of the standard, which stops 0.015 K short of the root, is near.
func TestAnnexD(t *testing.T) {
	r := stream(1)
	worst := 0.0
	for range 2000 {
		in := withinISO(r)
		worst = max(worst, math.Abs(evaluate(t, in).PMV-annexD(in)))
	}
	check.That(t, worst <= 0.006 && worst >= 0.001, "PMV and the program of Annex D differ by up to %g", worst)
}

// insulation returns that of the clothing, m²K/W, and its area per area of skin.
func insulation(in Input) (icl, fcl float64) {
	icl = 0.155 * in.ClothingClo
	if icl <= 0.078 {
		return icl, 1 + 1.29*icl
	}
	return icl, 1.05 + 0.645*icl
}

// annexD returns PMV by the program of ISO 7730 Annex D.
func annexD(in Input) float64 {
	icl, fcl := insulation(in)
	m := 58.15 * in.MetabolicRateMet
	mw := m - 58.15*in.ExternalWorkMet
	taa, tra := in.AirTempC+273, in.RadiantTempC+273
	hcf := 12.1 * math.Sqrt(in.AirSpeedMps)
	p1 := icl * fcl
	p2, p3, p4 := p1*3.96, p1*100, p1*taa
	p5 := 308.7 - 0.028*mw + p2*math.Pow(tra/100, 4)
	xn := (taa + (35.5-in.AirTempC)/(3.5*(6.45*icl+0.1))) / 100
	var hc float64
	for xf := 2 * xn; math.Abs(xn-xf) > 0.00015; {
		xf = (xf + xn) / 2
		hc = max(hcf, 2.38*math.Pow(math.Abs(100*xf-taa), 0.25))
		xn = (p5 + p4*hc - p2*math.Pow(xf, 4)) / (100 + p3*hc)
	}
	tcl := 100*xn - 273
	pa := in.HumidityPercent * 10 * math.Exp(16.6536-4030.183/(in.AirTempC+235))
	loss := 3.05*0.001*(5733-6.99*mw-pa) + 1.7*0.00001*m*(5867-pa) + 0.0014*m*(34-in.AirTempC) +
		3.96*fcl*(math.Pow(xn, 4)-math.Pow(tra/100, 4)) + fcl*hc*(tcl-in.AirTempC)
	if mw > 58.15 {
		loss += 0.42 * (mw - 58.15)
	}
	return (0.303*math.Exp(-0.036*m) + 0.028) * (mw - loss)
}

func stream(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }

// between draws from s, one in ten times an end of it.
func between(r *rand.Rand, s span) float64 {
	switch r.IntN(20) {
	case 0:
		return s.lo
	case 1:
		return s.hi
	}
	return s.lo + r.Float64()*(s.hi-s.lo)
}

// withinISO draws conditions within the limits of ISO 7730, except that on the vote.
func withinISO(r *rand.Rand) Input {
	var v [len(inputs)]float64
	for i, q := range inputs {
		if q.limit != 0 {
			v[i] = between(r, q.standard)
		}
	}
	in := Input{AirTempC: v[0], RadiantTempC: v[1], AirSpeedMps: v[2], MetabolicRateMet: v[5], ClothingClo: v[7]}
	in.HumidityPercent = between(r, span{0, min(100, 100*2700/SaturationPressurePa(in.AirTempC))})
	return in
}

// The balance is solved in all physical conditions, up to a few rounding errors of its largest
// term, which occurs in a wind of 100 m/s on thick clothing.
func TestResidual(t *testing.T) {
	r := stream(4)
	rounded := 0
	for i := range 5000 {
		var v [len(inputs)]float64
		for i, q := range inputs {
			v[i] = between(r, q.physical)
		}
		in := Input{
			AirTempC: v[0], RadiantTempC: v[1], AirSpeedMps: v[2], HumidityPercent: v[3],
			MetabolicRateMet: v[5], ExternalWorkMet: v[5] * r.Float64(), ClothingClo: v[7],
		}
		tolerance := 1e-10
		if i%2 == 0 {
			in, tolerance = withinISO(r), 1e-12
		}
		got := evaluate(t, in)
		check.That(t, got.ResidualK <= tolerance, "%+v: residual of %g K", in, got.ResidualK)
		check.That(t, !math.IsNaN(got.PMV) && !math.IsInf(got.PMV, 0), "%+v: PMV %g", in, got.PMV)
		check.That(t, got.PPDPercent >= 5 && got.PPDPercent <= 100, "%+v: PPD %g %%", in, got.PPDPercent)
		if left := balance(in, got); math.Abs(left-got.ResidualK) > tolerance {
			t.Errorf("%+v: the residual is %g K, said to be %g", in, left, got.ResidualK)
		}
		if got.ResidualK > 0 {
			rounded++
		}
	}
	check.That(t, rounded >= 1000, "only %d of 5000 residuals are not 0", rounded)
}

// balance is what is left of ISO 7730 Eq. 2, K.
func balance(in Input, r Result) float64 {
	icl, fcl := insulation(in)
	t := r.ClothingTempC
	radiation := 3.96e-8 * fcl * (math.Pow(t+273, 4) - math.Pow(in.RadiantTempC+273, 4))
	convection := fcl * r.ConvectionWpm2K * (t - in.AirTempC)
	return math.Abs(35.7 - 0.028*58.15*(in.MetabolicRateMet-in.ExternalWorkMet) - icl*(radiation+convection) - t)
}

func TestPPD(t *testing.T) {
	check.Equal(t, "PPD at 0", PPDPercent(0), 5)
	for v := 1e-9; v < 3; v *= 1.1 {
		want := 100 - 95*math.Exp(-0.03353*math.Pow(v, 4)-0.2179*v*v)
		check.Near(t, PPDPercent(v), want, 1e-13*want, "PPD at %g, by the formula", v)
		check.Equal(t, "PPD of as much the other way", PPDPercent(-v), PPDPercent(v))
	}
	check.Equal(t, "PPD at 1e200", PPDPercent(1e200), 100)
}

func TestHumidityEitherWay(t *testing.T) {
	in := office
	a := evaluate(t, in)
	in.VapourPressurePa, in.HumidityPercent = in.HumidityPercent/100*SaturationPressurePa(in.AirTempC), 0
	check.Equal(t, "by relative humidity, by vapour pressure", a, evaluate(t, in))
	in.VapourPressurePa = 0
	if dry := evaluate(t, in); !(dry.PMV < a.PMV) || dry.VapourPressurePa != 0 {
		t.Errorf("dry air has %+v", dry)
	}
}

var office = Input{
	AirTempC: 24, RadiantTempC: 25, AirSpeedMps: 0.1, HumidityPercent: 50,
	MetabolicRateMet: 1.2, ClothingClo: 0.6,
}

func TestLimits(t *testing.T) {
	check.Equal(t, "limits of an office that are passed", check.Must(Compute(office))(t).Beyond.String(), "none")
	for _, c := range []struct {
		change func(*Input)
		beyond string // of Evaluate; "" if it refuses
		err    string // of Compute
	}{
		{func(in *Input) { in.AirTempC, in.HumidityPercent = 31, 30 }, "AirTempC beyond 10 to 30 °C", "pmv: AirTempC = 31 has to be 10 to 30 °C, by the limits of ISO 7730; Evaluate accepts more"},
		{func(in *Input) { in.AirTempC, in.RadiantTempC = 15, 41 }, "RadiantTempC beyond 10 to 40 °C", "RadiantTempC = 41 has to be 10 to 40 °C"},
		{func(in *Input) { in.AirSpeedMps = 1.01 }, "AirSpeedMps beyond 0 to 1 m/s", "AirSpeedMps = 1.01 has to be 0 to 1 m/s"},
		{func(in *Input) { in.AirTempC, in.HumidityPercent = 30, 70 }, "VapourPressurePa beyond 0 to 2700 Pa", "VapourPressurePa = 2970.37 has to be 0 to 2700 Pa"},
		{func(in *Input) { in.MetabolicRateMet = 0.79 }, "MetabolicRateMet beyond 0.8 to 4 met", "MetabolicRateMet = 0.79 has to be 0.8 to 4 met"},
		{func(in *Input) { in.ClothingClo = 2.1 }, "ClothingClo beyond 0 to 2 clo", "ClothingClo = 2.1 has to be 0 to 2 clo"},
		{func(in *Input) { in.AirTempC, in.AirSpeedMps = 18, 1 }, "PMV beyond -2 to 2", "PMV = -2.59; ISO 7730 limits it to -2 to 2"},
		{func(in *Input) { in.AirTempC, in.ClothingClo = 9, 2.1 }, "AirTempC beyond 10 to 30 °C; ClothingClo beyond 0 to 2 clo", "AirTempC = 9 has to be 10 to 30 °C; ClothingClo = 2.1 has to be 0 to 2 clo, by"},

		{func(in *Input) { in.AirTempC = 297 }, "", "pmv: AirTempC = 297 has to be -100 to 100 °C"},
		{func(in *Input) { in.AirTempC = math.NaN() }, "", "AirTempC = NaN has to be -100 to 100 °C"},
		{func(in *Input) { in.RadiantTempC = math.Inf(-1) }, "", "RadiantTempC = -Inf has to be"},
		{func(in *Input) { in.AirSpeedMps = -0.1 }, "", "AirSpeedMps = -0.1 has to be 0 to 100 m/s"},
		{func(in *Input) { in.HumidityPercent = 101 }, "", "HumidityPercent = 101 has to be 0 to 100 %"},
		{func(in *Input) { in.MetabolicRateMet = 0 }, "", "MetabolicRateMet = 0 has to be 0.1 to 25 met"},
		{func(in *Input) { in.MetabolicRateMet, in.ClothingClo = 58.15, -1 }, "", "MetabolicRateMet = 58.15 has to be 0.1 to 25 met; ClothingClo = -1 has to be 0 to 10 clo"},
		{func(in *Input) { in.ExternalWorkMet = 1.3 }, "", "ExternalWorkMet = 1.3 has to be 0 to MetabolicRateMet = 1.2"},
		{func(in *Input) { in.HumidityPercent, in.VapourPressurePa = 0, 1.05e6 }, "", "VapourPressurePa = 1.05e+06 has to be 0 to 1e+06 Pa"},
		{func(in *Input) { in.VapourPressurePa = 1500 }, "", "HumidityPercent = 50 and VapourPressurePa = 1500 are both given"},
		{func(in *Input) { in.HumidityPercent, in.VapourPressurePa = 0, 3100 }, "", "VapourPressurePa = 3100 has to be 0 to 2983, where air of 24 °C is saturated"},
	} {
		t.Run(c.err, func(t *testing.T) {
			in := office
			c.change(&in)
			r, err := Evaluate(in)
			switch {
			case c.beyond == "" && (err == nil || r != Result{} || in.Validate() == nil):
				t.Errorf("%s: Evaluate gives %+v, %v; Validate %v", c.err, r, err, in.Validate())
			case c.beyond != "" && (err != nil || r.Beyond.String() != c.beyond || r.PMV == 0):
				t.Errorf("Evaluate gives %+v, %v; should be %s", r, err, c.beyond)
			}
			r, err = Compute(in)
			check.That(t, r == (Result{}), "Compute gives %+v with an error", r)
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Fatalf("Compute gives error %v, should be %s", err, c.err)
			}
			check.That(t, !strings.Contains(err.Error(), "\n"), "error of several lines: %v", err)
		})
	}
}

func TestEvaluateDoesNotAllocate(t *testing.T) {
	beyond := office
	beyond.AirTempC, beyond.AirSpeedMps = 9, 2
	for _, in := range []Input{office, beyond} {
		if n := testing.AllocsPerRun(100, func() { evaluate(t, in) }); n > 0 {
			t.Errorf("%+v: %g allocations", in, n)
		}
	}
}
