package document

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"popbench/internal/math/stats"
)

// Cell is what stands in a place of a table. Its constructors know both its text and its numbers.
type Cell struct {
	Text  Text // "" if the value is missing
	Mark  Mark
	Notes []Text
	data  []datum
}

// Mark sets a cell off from the others of its row.
type Mark int

const (
	Unmarked Mark = iota
	Best          // the best of its row
	Level         // not clearly worse than the best
)

// datum is a number or a word of a cell as a CSV file has it, at full precision, "" if it is missing.
type datum struct{ key, value string }

func number(key string, v float64) datum {
	switch {
	case math.IsNaN(v):
		return datum{key, ""}
	case math.IsInf(v, 1):
		return datum{key, "inf"}
	}
	return datum{key, strconv.FormatFloat(v, 'g', -1, 64)}
}

// one is a cell of one number, empty if it is missing.
func one(text string, v float64) Cell {
	return Cell{Text: Text(text), data: []datum{number("", v)}}.If(!math.IsNaN(v))
}

// Words is a cell of words that mean themselves.
func Words(s string) Cell { return Cell{Text: Plain(s), data: []datum{{"", s}}} }

// Prose is a cell of words with formulas.
func Prose(t Text) Cell { return Cell{Text: t, data: []datum{{"", t.String()}}} }

// Bool is true or false.
func Bool(b bool) Cell { return Words(strconv.FormatBool(b)) }

// Count is a number of things.
func Count(n int) Cell { return Words(strconv.Itoa(n)) }

// If is the cell, or the same cell with its values missing.
func (c Cell) If(known bool) Cell {
	if known {
		return c
	}
	c.Text, c.data = "", slices.Clone(c.data)
	for i := range c.data {
		c.data[i].value = ""
	}
	return c
}

// Sort is the cell's first number, by which a table sorts; "" if the cell has no number, or if its text is that number.
func (c Cell) Sort() string {
	if len(c.data) > 0 {
		v, err := strconv.ParseFloat(c.data[0].value, 64)
		if text := strconv.FormatFloat(v, 'g', 6, 64); err == nil && text != string(c.Text) {
			return text
		}
	}
	return ""
}

// With is the cell with notes.
func (c Cell) With(notes ...Text) Cell {
	c.Notes = notes
	return c
}

// String is the cell's text with its formulas in Unicode, a dash if the value is missing.
func (c Cell) String() string { return c.shown().String() }

func (c Cell) shown() Text {
	if c.Text == "" {
		return None
	}
	return c.Text
}

// Coded is a cell of words that has a word of its own in CSV files.
func Coded(t Text, code string) Cell { return Cell{Text: t, data: []datum{{"", code}}} }

// None stands for a missing value.
const None = "—"

// decimals is how many decimals of a mean with that standard error are worth printing: as many as show two digits of the
// error if it starts with 1, 2 or 3 (up to 354), one digit otherwise; the rule of the Particle Data Group. Without an error
// it is three. Negative: too small for fixed point.
func decimals(stderr float64) int {
	if !(stderr > 0) || math.IsInf(stderr, 1) {
		return 3
	}
	e := math.Floor(math.Log10(stderr))
	lead := stderr / math.Pow(10, e) // 1 ≤ lead < 10
	d := -int(e)
	if lead < 3.55 {
		d++
	}
	if d > 6 {
		return -1
	}
	return max(d, 0)
}

// fixed is v with that number of decimals; if that is negative, "2.3e−9", and from 1e15 on "2.3e15".
func fixed(v float64, decimals int) string {
	switch {
	case math.IsNaN(v):
		return None
	case math.IsInf(v, 0):
		return typeset(strconv.FormatFloat(v, 'f', 0, 64))
	case decimals < 0 || math.Abs(v) >= 1e15:
		return typeset(strconv.FormatFloat(v, 'e', 1, 64))
	}
	text := strconv.FormatFloat(v, 'f', decimals, 64)
	if f, _ := strconv.ParseFloat(text, 64); f == 0 {
		text = strconv.FormatFloat(0, 'f', decimals, 64) // never "−0.00"
	}
	return typeset(text)
}

// typeset writes a number as Go prints it with a minus sign, and its exponent without zeros in front.
var typeset = strings.NewReplacer("e-0", "e−", "e+0", "e", "e+", "e", "-", "−", "+Inf", "∞", "Inf", "∞").Replace

// short has three significant digits, or all those before the decimal point.
func short(v float64) string {
	if math.IsNaN(v) {
		return None
	}
	if a := math.Abs(v); a >= 1000 && a < 1e7 {
		return fixed(v, 0)
	}
	return typeset(strconv.FormatFloat(v, 'g', 3, 64))
}

func signed(v float64) string { return plus(short(v), v) }

func plus(text string, v float64) string {
	if v > 0 {
		return "+" + text
	}
	return text
}

func percent(v float64) string {
	if v == 0 || v == 1 {
		return fixed(100*v, 0) + "\u00a0%"
	}
	return fixed(min(max(100*v, 0.1), 99.9), 1) + "\u00a0%"
}

// Percent is a share: "96.7 %". Only 1 is 100 %, only 0 is 0 %.
func Percent(share float64) Cell { return one(percent(share), share) }

// PercentInterval is a share with its 95 % Wilson interval, "96.7 % [83, 99]"; from 200 trials on with a decimal more.
func PercentInterval(s stats.Share) Cell {
	ci := s.Wilson(stats.Level)
	d := 0
	if s.N >= 200 {
		d = 1
	}
	c := Cell{Text: Text(percent(s.Value()) + " [" + fixed(100*ci.Lo, d) + ", " + fixed(100*ci.Hi, d) + "]"),
		data: []datum{number("", s.Value()), number("_ci_lo", ci.Lo), number("_ci_hi", ci.Hi)}}
	return c.If(s.N > 0)
}

// Number is a number with a given number of decimals.
func Number(v float64, decimals int) Cell { return one(fixed(v, decimals), v) }

// Short is a number of unknown accuracy: three significant digits.
func Short(v float64) Cell { return one(short(v), v) }

// Significant is a number with a given number of significant digits.
func Significant(v float64, digits int) Cell {
	return one(typeset(strconv.FormatFloat(v, 'g', digits, 64)), v)
}

// Signed is a difference, "+1.2" or "−0.04".
func Signed(v float64) Cell { return one(signed(v), v) }

// SignedInterval is the interval of a difference, "[−0.04, +1.2]".
func SignedInterval(ci stats.Interval) Cell {
	return Cell{Text: Text("[" + signed(ci.Lo) + ", " + signed(ci.Hi) + "]"), data: []datum{number("ci_lo", ci.Lo), number("ci_hi", ci.Hi)}}.
		If(!math.IsNaN(ci.Lo))
}

// Scientific is a very small or a very large number, "2.0e−11".
func Scientific(v float64) Cell { return one(fixed(v, -1), v) }

// MeanStd is "0.310 ± 0.290". It has ten numbers of a summary, all missing if s is nil.
func MeanStd(s *stats.Summary) Cell {
	if s == nil {
		s = &noSummary
	}
	d := decimals(s.StdErr)
	return Cell{Text: Text(fixed(s.Mean, d) + " ± " + fixed(s.Std, d)), data: []datum{
		number("mean", s.Mean), number("std", s.Std), number("stderr", s.StdErr), number("ci_lo", s.CI.Lo), number("ci_hi", s.CI.Hi),
		number("median", s.Median), number("q1", s.Q1), number("q3", s.Q3), number("min", s.Min), number("max", s.Max),
	}}.If(s.N > 0)
}

var noSummary = stats.Summarize(nil)

// Interval is the 95 % interval of a mean, "[0.21, 0.43]".
func Interval(s *stats.Summary) Cell {
	d := decimals(s.StdErr)
	return Cell{Text: Text("[" + fixed(s.CI.Lo, d) + ", " + fixed(s.CI.Hi, d) + "]")}.If(!math.IsNaN(s.CI.Lo))
}

// MeanInterval is a mean with its 95 % interval, "0.51 [0.43, 0.65]".
func MeanInterval(s *stats.Summary) Cell {
	c := Number(s.Mean, decimals(s.StdErr))
	if ci := Interval(s).Text; c.Text != "" && ci != "" {
		c.Text += " " + ci
	}
	return c
}

// Estimate is a number with its 95 % interval, "0.66 [0.61, 0.72]"; without an interval it is Short.
func Estimate(v float64, ci stats.Interval) Cell {
	return estimate(Short(v), v, ci, func(text string, _ float64) string { return text })
}

// SignedEstimate is a difference with its 95 % interval, "−1.1 [−3.6, +0.1]"; without an interval it is Signed.
func SignedEstimate(v float64, ci stats.Interval) Cell { return estimate(Signed(v), v, ci, plus) }

// estimate adds the interval of v to the cell of v. Both have the digits that the interval makes worth printing; with is the
// text of a number.
func estimate(c Cell, v float64, ci stats.Interval, with func(text string, v float64) string) Cell {
	if !math.IsNaN(ci.Lo) && !math.IsNaN(v) {
		format := short // if an end is infinite
		if half := (ci.Hi - ci.Lo) / 2; !math.IsInf(half, 0) {
			if half < 1e-12*math.Abs(v) { // the ends differ by rounding
				half = 0
			}
			format = func(v float64) string { return fixed(v, decimals(half/1.96)) }
		}
		c.Text = Text(with(format(v), v) + " [" + with(format(ci.Lo), ci.Lo) + ", " + with(format(ci.Hi), ci.Hi) + "]")
	}
	c.data = append(c.data, number("_ci_lo", ci.Lo), number("_ci_hi", ci.Hi))
	return c
}

// RunningTime is the expected running time of runs to a target, "12 [9, 17], 28/30", and "—, 0/30" if none reaches it.
func RunningTime(ert float64, ci stats.Interval, reached stats.Share) Cell {
	if math.IsInf(ert, 1) {
		ert = math.NaN()
	}
	return Prose(Textf("%s, %d/%d", Estimate(ert, ci), reached.Count, reached.N)).If(reached.N > 0)
}

// Pair is the mean and the standard deviation of a distribution that is known exactly.
func Pair(mean, std float64) Cell {
	d := 2
	switch a := math.Abs(mean); {
	case a != 0 && a < 0.0005:
		d = -1
	case a < 0.1:
		d = 3
	}
	return pair(mean, std, func(v float64) string { return fixed(v, d) })
}

// Printed is a mean and a standard deviation as another paper prints them: all their digits, two decimals or more.
func Printed(mean, std float64) Cell {
	return pair(mean, std, func(v float64) string {
		text := strconv.FormatFloat(v, 'f', -1, 64)
		if two := strconv.FormatFloat(v, 'f', 2, 64); len(two) > len(text) {
			text = two
		}
		return typeset(text)
	})
}

func pair(mean, std float64, format func(float64) string) Cell {
	return Cell{Text: Text(format(mean) + " ± " + format(std)), data: []datum{number("mean", mean), number("std", std)}}.If(!math.IsNaN(mean))
}

// P is a p value, "0.04" or "< 0.001".
func P(p float64) Cell {
	switch {
	case p < 0.001:
		return one("< 0.001", p)
	case p < 0.1:
		return one(fixed(p, 3), p)
	}
	return one(fixed(p, 2), p)
}

// PSaid is "p = 0.04" or "p < 0.001".
func PSaid(p float64) Text {
	if text := P(p).Text; text != "" && text[0] == '<' {
		return "p " + text
	}
	return Textf("p = %s", P(p))
}

// Seconds is a duration, "85 µs", "1.4 ms" or "12 s": two digits, more from 100 of a unit.
func Seconds(seconds float64) Cell {
	if seconds == 0 {
		return one("0\u00a0s", seconds)
	}
	v, unit := seconds, "s"
	switch {
	case seconds < 0.9995e-3:
		v, unit = seconds*1e6, "µs"
	case seconds < 0.9995:
		v, unit = seconds*1e3, "ms"
	}
	digits := 0
	for limit := 9.95; v < limit && digits < 4; limit /= 10 {
		digits++
	}
	return one(strconv.FormatFloat(v, 'f', digits, 64)+"\u00a0"+unit, seconds)
}
