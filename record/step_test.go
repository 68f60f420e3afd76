package record

import (
	"bytes"
	"math"
	"testing"

	"popbench/internal/check"
)

// What stepReader reads, decodeLine reads alike: the lines of an example, and all lines with one byte replaced, inserted or
// gone, or with what is a number elsewhere. It reads the usual lines itself.
func TestStepReader(t *testing.T) {
	check.Sequential(t)
	usual := example(t).Steps[0]
	bare, long, other := usual, usual, usual
	bare.Metrics = nil
	long.TrueLogLikelihood = -math.MaxFloat64
	long.Metrics = Metrics{{"tiny", 5e-324}, {"a", 1e-6}, {"b", 9.999999e-7}, {"c", 1e20}, {"d", -1e22}, {"e", 1e-10}, {"f", 0.1}}
	other.Metrics = Metrics{{"a<b", 1}, {"µ", 2}, {`"`, 3}}
	accepted := 0
	r := stepReader{texts: map[string]string{}}
	compare := func(line []byte) {
		got, ok := r.read(line)
		if !ok {
			return
		}
		accepted++
		var want Step
		if err := decodeLine(line, &want); err != nil {
			t.Fatalf("%v, but this was read:\n%s", err, line)
		}
		check.Same(t, string(line), got, want)
	}
	for i, s := range []Step{usual, bare, long} {
		line := lineOf(t, &s)
		_, ok := r.read(line)
		check.That(t, ok, "usual line %d is not read:\n%s", i, line)
		compare(line)
		for _, number := range []string{"NaN", "+Inf", "-Inf", "0x1p-2", "1_0", "1e400", "-0", "null"} {
			compare(bytes.Replace(line, []byte(`"utility":[-1,`), []byte(`"utility":[`+number+","), 1))
		}
		for at := range line {
			for _, c := range []byte("0159-+.eE,:[]{}\"\\ a<\x00\xff") {
				changed := bytes.Clone(line)
				changed[at] = c
				compare(changed)
				compare(append(append(bytes.Clone(line[:at]), c), line[at:]...))
			}
			compare(append(bytes.Clone(line[:at]), line[at+1:]...))
		}
	}
	check.That(t, accepted > 3000, "%d changed lines are read", accepted) // digits of numbers, letters of names
	for _, s := range []Step{other, {Kind: "step", Points: [][]float64{}}, {Tie: true}, {Self: true}} {
		_, ok := r.read(lineOf(t, &s))
		check.That(t, !ok, "read, though not usual: %+v", s)
	}
}

// lineOf is the line of a step in the file of a record.
func lineOf(t *testing.T, s *Step) []byte {
	t.Helper()
	var b bytes.Buffer
	check.OK(t, appendLine(&b, s))
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
