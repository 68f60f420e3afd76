package document

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math"
	"strings"
	"testing"

	"popbench/internal/check"
	"popbench/internal/math/stats"
)

func summaryOf(mean, std float64, n int) stats.Summary {
	// n values with exactly these moments, for even n.
	x := make([]float64, n)
	for i := range x {
		x[i] = float64(i%2*2 - 1)
	}
	s := std / stats.Std(x)
	for i := range x {
		x[i] = mean + s*x[i]
	}
	return stats.Summarize(x)
}

func TestMeanStd(t *testing.T) {
	for _, tc := range []struct {
		mean, std float64
		n         int
		want      string
	}{
		{0.31, 0.29, 30, "0.31 ± 0.29"},     // standard error 0.053
		{71.62, 5.21, 30, "71.6 ± 5.2"},     // 0.95
		{0.008, 0.025, 30, "0.008 ± 0.025"}, // 0.0046
		{123.4, 51.6, 4, "123 ± 52"},        // 26
		{2.3e-9, 4e-9, 30, "2.3e−9 ± 4.0e−9"},
		{-2.4671656e150, 8.2e149, 30, "−2.5e150 ± 8.2e149"},
		{-0.0001, 0.9, 30, "0.00 ± 0.90"},
		{-7.5, 0.9, 30, "−7.50 ± 0.90"},
	} {
		s := summaryOf(tc.mean, tc.std, tc.n)
		check.Equal(t, fmt.Sprintf("%g ± %g over %d", tc.mean, tc.std, tc.n), MeanStd(&s).String(), tc.want)
	}
}

func TestPercent(t *testing.T) {
	for _, c := range []struct {
		share    stats.Share
		one, two string
	}{
		{stats.Share{}, None, None},
		{stats.Share{Count: 0, N: 30}, "0\u00a0%", "0\u00a0% [0, 11]"},
		{stats.Share{Count: 30, N: 30}, "100\u00a0%", "100\u00a0% [89, 100]"},
		{stats.Share{Count: 29, N: 30}, "96.7\u00a0%", "96.7\u00a0% [83, 99]"},
		{stats.Share{Count: 9999, N: 10000}, "99.9\u00a0%", "99.9\u00a0% [99.9, 100.0]"},
		{stats.Share{Count: 1, N: 10000}, "0.1\u00a0%", "0.1\u00a0% [0.0, 0.1]"},
	} {
		check.Equal(t, fmt.Sprint(c.share), Percent(c.share.Value()).String(), c.one)
		check.Equal(t, fmt.Sprint(c.share), PercentInterval(c.share).String(), c.two)
	}
}

func TestSeconds(t *testing.T) {
	for seconds, want := range map[float64]string{
		0: "0 s", 1e-9: "0.0010 µs", 9.96e-6: "10 µs", 72e-6: "72 µs", 0.999e-3: "999 µs", 0.9996e-3: "1.0 ms", 1.44e-3: "1.4 ms", 0.132: "132 ms", 0.9996: "1.0 s", 12.3: "12 s", 4321: "4321 s",
	} {
		check.Equal(t, fmt.Sprintf("%g s", seconds), strings.ReplaceAll(Seconds(seconds).String(), "\u00a0", " "), want)
	}
}

func TestNumbers(t *testing.T) {
	nan := stats.Interval{Lo: math.NaN(), Hi: math.NaN()}
	for want, got := range map[string]Cell{
		"0.0123":                  Short(0.01234),
		"−1.2e−5":                 Short(-1.2e-5),
		"123456":                  Short(123456),
		"1.23e7":                  Short(12345678),
		"1.05e7":                  Short(1.05e7),
		"1.2346":                  Significant(1.23456, 5),
		"−1.1 [−3.6, +0.1]":       SignedEstimate(-1.1, stats.Interval{Lo: -3.6, Hi: 0.1}),
		"+0.5":                    Signed(0.5),
		"−0.5":                    Signed(-0.5),
		"0":                       Signed(0),
		"[−0.5, +2]":              SignedInterval(stats.Interval{Lo: -0.5, Hi: 2}),
		"0.66 [0.58, 0.74]":       Estimate(0.66, stats.Interval{Lo: 0.5801, Hi: 0.7449}),
		"1.600 [1.600, 1.600]":    Estimate(1.6, stats.Interval{Lo: 1.6, Hi: math.Nextafter(1.6, 2)}),
		"+1.600 [+1.600, +1.600]": SignedEstimate(1.6, stats.Interval{Lo: 1.6, Hi: math.Nextafter(1.6, 2)}),
		"0.656":                   Estimate(0.6561, nan),
		"∞":                       Number(math.Inf(1), 1),
		"1.0e15":                  Number(1e15, 1),
		"999999999999999":         Number(1e15-1, 0),
		"2.0e−11":                 Scientific(2e-11),
		"0.92 ± 0.54":             Printed(0.92, 0.54),
		"0.008 ± 0.03":            Printed(0.008, 0.03),
		"0.30 ± 0.20":             Pair(0.3, 0.2),
		"0.045 ± 0.030":           Pair(0.045, 0.03),
		"< 0.001":                 P(0.0005),
		"0.049":                   P(0.0494),
		"0.001":                   P(0.00105),
		"0.51 [0.43, 0.65]":       MeanInterval(&stats.Summary{Mean: 0.512, StdErr: 0.06, CI: stats.Interval{Lo: 0.431, Hi: 0.649}}),
		"0.5":                     MeanInterval(&stats.Summary{Mean: 0.512, StdErr: 0.4, CI: nan}),
		"0.91":                    P(0.912),
	} {
		check.Equal(t, "number", got.String(), want)
	}
	for _, missing := range []Cell{Short(math.NaN()), Number(math.NaN(), 2), Percent(math.NaN()), PercentInterval(stats.Share{}), MeanStd(nil), Estimate(math.NaN(), nan), SignedInterval(nan), Seconds(math.NaN()), P(math.NaN()), Count(3).If(false)} {
		check.That(t, missing.Text == "" && missing.String() == None, "a missing value is %q, %q", missing.Text, missing)
		for _, d := range missing.data {
			check.That(t, d.value == "", "a missing value has the number %q", d.value)
		}
	}
	check.Equal(t, "p values", PSaid(0.0001)+", "+PSaid(0.04), "p < 0.001, p = 0.040")
}

// No cell of any CSV is a formula to a spreadsheet, and reading a cell back gives the original text, except for one
// apostrophe.
func TestCSVHasNoFormulas(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "POP-BO": "POP-BO", "β₀ = 1": "β₀ = 1", "=1+1": "'=1+1", "+x": "'+x", "-x": "'-x", "@SUM(A1)": "'@SUM(A1)", "'=x": "''=x", "\tx": "'\tx", "\rx": "'\rx",
		"-0.5": "-0.5", "+1": "+1", "-1e-300": "-1e-300", "-inf": "-inf", "-1+cmd|' /C calc'!A0": "'-1+cmd|' /C calc'!A0", "-": "'-", `a$b\c`: `a$b\c`,
	} {
		var b bytes.Buffer
		column := func(s string) Column[int] { return Column[int]{Key: "k", Of: func(int) Cell { return Words(s) }} }
		check.OK(t, WriteCSV(&b, []int{0}, column("x"), column(text)))
		got, err := csv.NewReader(&b).ReadAll()
		check.That(t, err == nil && len(got) == 2 && got[1][1] == want, "%q is written as %q: %v", text, got, err)
	}
}
