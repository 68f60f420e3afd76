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
	want := (map[string]int{"known": 1, "ASHRAE": 6})
	check.That(t, fmt.Sprint(flags) == fmt.Sprint(want), "rows left out for %v, should be for %v", flags, want)
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
		check.That(t, r.ResidualK <= 1e-12, "%+v: residual of %g K", row.conditions, r.ResidualK)
	}
}

// The balance is solved in all physical conditions, up to a few rounding errors of its largest term, which occurs in a wind
// of 100 m/s on thick clothing.
func TestResidual(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 0))
	for range 5000 {
		var v [len(inputs)]float64
		for i, q := range inputs { // one in ten times an end of the range
			v[i] = q.physical.lo + max(0, min(1, 1.1*r.Float64()-0.05))*(q.physical.hi-q.physical.lo)
		}
		in := Input{
			AirTempC: v[0], RadiantTempC: v[1], AirSpeedMps: v[2], HumidityPercent: v[3],
			MetabolicRateMet: v[5], ExternalWorkMet: v[5] * r.Float64(), ClothingClo: v[7],
		}
		got := evaluate(t, in)
		check.That(t, got.ResidualK <= 1e-10 && math.Abs(got.PMV) < 1e9 && got.PPDPercent >= 5 && got.PPDPercent <= 100, "%+v: %+v", in, got)
	}
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
	dry := evaluate(t, in)
	check.That(t, dry.PMV < a.PMV && dry.VapourPressurePa == 0, "dry air has %+v", dry)
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
		n := testing.AllocsPerRun(100, func() { evaluate(t, in) })
		check.That(t, n == 0, "%+v: %g allocations", in, n)
	}
}
