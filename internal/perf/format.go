package perf

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// Names in a measurement's file. In a row's name everything after the prefix is
// key=value, by which benchstat can group.
const rowPrefix = "BenchmarkStep/"

// Units that are no counts of work. A step's work has the unit name/op.
const (
	unitNanos        = "ns/op"
	unitCalibrations = "calibrations/op"
	unitBytes        = "B/op"
	unitAllocs       = "allocs/op"
	perStep          = "/op"
)

// head are the settings of a file, in its order.
func (m *Measurement) head() []struct {
	key   string
	value *string
} {
	return []struct {
		key   string
		value *string
	}{
		{"goos", &m.OS}, {"goarch", &m.Arch}, {"cpu", &m.CPU}, {"go", &m.Go},
		{"version", &m.Version}, {"rounding", &m.Rounding}, {"suite", &m.Suite}, {"config-hash", &m.ConfigHash},
	}
}

// Write writes the measurement in Go's benchmark format
// (https://go.dev/design/14313-benchmark-format). One iteration is one step.
func (m *Measurement) Write(w io.Writer) error {
	var b bytes.Buffer
	for _, h := range m.head() {
		fmt.Fprintf(&b, "%s: %s\n", h.key, *h.value)
	}
	var units []string
	for _, r := range m.rows() {
		for _, c := range r.Work {
			if !slices.Contains(units, c.Name) {
				units = append(units, c.Name)
			}
		}
	}
	slices.Sort(units)
	for _, u := range units {
		fmt.Fprintf(&b, "Unit %s%s better=lower assume=exact\n", u, perStep)
	}
	for _, p := range m.Passes {
		for _, r := range p {
			fmt.Fprintf(&b, "%s%v %d %s %s %s %s %s %s %s %s", rowPrefix, r.Key, r.Steps,
				number(r.Nanos), unitNanos, number(r.Calibrations), unitCalibrations, number(r.Bytes), unitBytes, number(r.Allocs), unitAllocs)
			for _, c := range r.Work {
				fmt.Fprintf(&b, " %s %s%s", number(c.Value), c.Name, perStep)
			}
			b.WriteByte('\n')
		}
	}
	_, err := w.Write(b.Bytes())
	return err
}

// number is v so that reading gives v again.
func number(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// Read reads what Write wrote, and checks it; name is the file's, for errors.
func Read(name string, data []byte) (*Measurement, error) {
	var m Measurement
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, 1<<20)
	n := 0
	for lines.Scan() {
		n++
		if err := m.readLine(lines.Text()); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, n, err)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s:%d: %w", name, n+1, err)
	}
	for _, h := range m.head() {
		if *h.value == "" {
			return nil, fmt.Errorf("%s: the line %q is missing; give a file that bench perf wrote", name, h.key+":")
		}
	}
	if err := m.Check(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return &m, nil
}

// readLine takes in a line. Lines of other programs' benchmarks are passed over,
// as the format wants it.
func (m *Measurement) readLine(line string) error {
	for _, h := range m.head() {
		if value, ok := strings.CutPrefix(line, h.key+": "); ok {
			*h.value = value
		}
	}
	fields := strings.Fields(line)
	if len(fields) == 0 || !strings.HasPrefix(fields[0], rowPrefix) {
		return nil
	}
	r, err := readRow(fields)
	if err != nil {
		return err
	}
	// A pass ends where its first row comes again.
	if last := len(m.Passes) - 1; last >= 0 && r.Key != m.Passes[0][0].Key {
		m.Passes[last] = append(m.Passes[last], r)
		return nil
	}
	m.Passes = append(m.Passes, Pass{r})
	return nil
}

func readRow(fields []string) (Row, error) {
	var r Row
	for part := range strings.SplitSeq(strings.TrimPrefix(fields[0], rowPrefix), "/") {
		key, value, _ := strings.Cut(part, "=")
		var err error
		switch key {
		case "problem":
			r.Problem = value
		case "algorithm":
			r.Algorithm = value
		case "d":
			r.Dim, err = strconv.Atoi(value)
		case "t":
			r.T, err = strconv.Atoi(value)
		default:
			err = fmt.Errorf("it is none of problem, algorithm, d, t")
		}
		if err != nil {
			return r, fmt.Errorf("%s: %w", part, err)
		}
	}
	values, steps, err := measured(fields)
	if err != nil {
		return r, err
	}
	r.Steps = steps
	for unit, v := range values {
		switch unit {
		case unitNanos:
			r.Nanos = v
		case unitCalibrations:
			r.Calibrations = v
		case unitBytes:
			r.Bytes = v
		case unitAllocs:
			r.Allocs = v
		default:
			r.Work = append(r.Work, Count{Name: strings.TrimSuffix(unit, perStep), Value: v})
		}
	}
	slices.SortFunc(r.Work, func(a, b Count) int { return strings.Compare(a.Name, b.Name) })
	return r, nil
}

// measured is what stands after a benchmark's name: iterations, then pairs of
// value and unit.
func measured(fields []string) (values map[string]float64, iterations int, err error) {
	if len(fields)%2 != 0 || len(fields) < 4 {
		return nil, 0, fmt.Errorf("%s has %d fields after it; it takes iterations, then a unit for each value", fields[0], len(fields)-1)
	}
	if iterations, err = strconv.Atoi(fields[1]); err != nil || iterations < 1 {
		return nil, 0, fmt.Errorf("%q is no number of iterations", fields[1])
	}
	values = map[string]float64{}
	for i := 2; i < len(fields); i += 2 {
		v, err := strconv.ParseFloat(fields[i], 64)
		if err != nil || !(v >= 0) || v > 1e300 {
			return nil, 0, fmt.Errorf("%q is no measured value", fields[i])
		}
		if _, twice := values[fields[i+1]]; twice {
			return nil, 0, fmt.Errorf("%s is measured twice", fields[i+1])
		}
		values[fields[i+1]] = v
	}
	for _, unit := range []string{unitNanos, unitCalibrations, unitBytes, unitAllocs} {
		if _, ok := values[unit]; !ok {
			return nil, 0, fmt.Errorf("%s has no %s", fields[0], unit)
		}
	}
	return values, iterations, nil
}
