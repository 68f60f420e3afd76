package perflog

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
)

// Prefixes of the lines of a measurement's file. After it, a row's name has key=value parts, by which benchstat can group.
// Lines of cells are not part of Go's format, so benchstat ignores them.
const (
	rowPrefix  = "BenchmarkStep/"
	cellPrefix = "Cell/"
)

// Units other than work counts. A step's work has the unit name/op.
const (
	unitNanos        = "ns/op"
	unitCalibrations = "calibrations/op"
	unitBytes        = "B/op"
	unitAllocs       = "allocs/op"
	perStep          = "/op"
	unitEnd          = perStep + " better=lower assume=exact\n"
)

type headLine struct {
	key   string
	value *string
}

func (m *Measurement) head() []headLine {
	return []headLine{
		{"goos", &m.OS}, {"goarch", &m.Arch}, {"cpu", &m.CPU}, {"go", &m.Go},
		{"version", &m.Version}, {"rounding", &m.Rounding}, {"suite", &m.Suite}, {"config-hash", &m.ConfigHash},
	}
}

// Write writes the measurement in Go's benchmark format (https://go.dev/design/14313-benchmark-format), an iteration a step.
func (m *Measurement) Write(w io.Writer) error {
	var b bytes.Buffer
	for _, h := range m.head() {
		fmt.Fprintf(&b, "%s: %s\n", h.key, *h.value)
	}
	var units []string
	for _, r := range m.Rows() {
		for _, c := range r.Work {
			units = append(units, c.Name)
		}
	}
	slices.Sort(units)
	for _, u := range slices.Compact(units) {
		fmt.Fprintf(&b, "Unit %s%s", u, unitEnd)
	}
	for _, c := range m.Cells {
		fmt.Fprintf(&b, "%s%v/queries=%s", cellPrefix, c, c.Queries)
		for _, w := range c.Work {
			fmt.Fprintf(&b, " %s %s", number(w.Value), w.Name)
		}
		b.WriteByte('\n')
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

// number formats v without loss.
func number(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// ReadFile reads the measurement in a file.
func ReadFile(path string) (*Measurement, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return Read(path, data)
}

// Read reads and checks a measurement that Write wrote. Errors refer to the file as name.
func Read(name string, data []byte) (*Measurement, error) {
	var m Measurement
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, 1<<20)
	n := 1
	for ; lines.Scan(); n++ {
		if err := m.readLine(lines.Text()); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, n, err)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s:%d: %w", name, n, err)
	}
	for _, h := range m.head() {
		if *h.value == "" {
			return nil, fmt.Errorf("%s: the line %q is missing; give a file that bench perf wrote", name, h.key+":")
		}
	}
	if len(m.Passes) == 0 && bytes.Contains(data, []byte(unitEnd)) { // Write names the units of rows only
		return nil, fmt.Errorf("%s: it ends before the times; copy it again", name)
	}
	if err := m.Check(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return &m, nil
}

// readLine adds a line to the measurement. As the format requires, it ignores lines of other benchmarks.
func (m *Measurement) readLine(line string) error {
	for _, h := range m.head() {
		if value, ok := strings.CutPrefix(line, h.key+": "); ok {
			*h.value = value
		}
	}
	fields := strings.Fields(line)
	switch {
	case len(fields) == 0:
		return nil
	case strings.HasPrefix(fields[0], cellPrefix):
		c, err := readCell(fields)
		m.Cells = append(m.Cells, c)
		return err
	case !strings.HasPrefix(fields[0], rowPrefix):
		return nil
	}
	r, err := readRow(fields)
	if err != nil {
		return err
	}
	// A pass ends where its first row appears again.
	if last := len(m.Passes) - 1; last >= 0 && r.Key != m.Passes[0][0].Key {
		m.Passes[last] = append(m.Passes[last], r)
		return nil
	}
	m.Passes = append(m.Passes, Pass{r})
	return nil
}

func readCell(fields []string) (Cell, error) {
	var c Cell
	err := readName(strings.TrimPrefix(fields[0], cellPrefix), &c.Key, map[string]func(string) error{
		"repetition": func(v string) (err error) { c.Repetition, err = strconv.Atoi(v); return err },
		"queries": func(v string) error {
			c.Queries = v
			if len(v) != 16 {
				return fmt.Errorf("a fingerprint has 16 hexadecimal digits")
			}
			_, err := strconv.ParseUint(v, 16, 64)
			return err
		},
	})
	if err != nil {
		return c, err
	}
	values, err := measured(fields[0], fields[1:])
	c.Work = counts(values, "")
	return c, err
}

func readRow(fields []string) (Row, error) {
	var r Row
	if err := readName(strings.TrimPrefix(fields[0], rowPrefix), &r.Key, nil); err != nil {
		return r, err
	}
	if len(fields) < 2 {
		return r, fmt.Errorf("%s has no number of iterations", fields[0])
	}
	var err error
	if r.Steps, err = strconv.Atoi(fields[1]); err != nil || r.Steps < 1 {
		return r, fmt.Errorf("%q is not a number of iterations", fields[1])
	}
	values, err := measured(fields[0], fields[2:])
	if err != nil {
		return r, err
	}
	for unit, at := range map[string]*float64{unitNanos: &r.Nanos, unitCalibrations: &r.Calibrations, unitBytes: &r.Bytes, unitAllocs: &r.Allocs} {
		v, ok := values[unit]
		if !ok {
			return r, fmt.Errorf("%s has no %s", fields[0], unit)
		}
		*at = v
		delete(values, unit)
	}
	r.Work = counts(values, perStep)
	return r, nil
}

// counts returns the counts, sorted by name: the unit without its end.
func counts(values map[string]float64, end string) (work []Count) {
	for unit, v := range values {
		work = append(work, Count{Name: strings.TrimSuffix(unit, end), Value: v})
	}
	slices.SortFunc(work, func(a, b Count) int { return strings.Compare(a.Name, b.Name) })
	return work
}

// readName reads the key=value parts of a name: the parts of a Key and the given others, each exactly once.
func readName(name string, k *Key, others map[string]func(value string) error) error {
	known := map[string]func(string) error{
		"problem":   func(v string) error { k.Problem = v; return nil },
		"algorithm": func(v string) error { k.Algorithm = v; return nil },
		"d":         func(v string) (err error) { k.Dim, err = strconv.Atoi(v); return err },
		"t":         func(v string) (err error) { k.T, err = strconv.Atoi(v); return err },
	}
	maps.Copy(known, others)
	all := strings.Join(slices.Sorted(maps.Keys(known)), ", ")
	for part := range strings.SplitSeq(name, "/") {
		key, value, _ := strings.Cut(part, "=")
		read, ok := known[key]
		if !ok {
			return fmt.Errorf("%s: unknown or given twice; the keys are %s", part, all)
		}
		if err := read(value); err != nil {
			return fmt.Errorf("%s: %w", part, err)
		}
		delete(known, key)
	}
	if len(known) > 0 {
		return fmt.Errorf("%s: %s is missing", name, strings.Join(slices.Sorted(maps.Keys(known)), ", "))
	}
	return nil
}

// measured reads the pairs of value and unit that follow a line's name.
func measured(name string, pairs []string) (map[string]float64, error) {
	if len(pairs)%2 != 0 {
		return nil, fmt.Errorf("%s has %d fields of values and units; each value needs a unit", name, len(pairs))
	}
	values := map[string]float64{}
	for i := 0; i < len(pairs); i += 2 {
		v, err := strconv.ParseFloat(pairs[i], 64)
		if err != nil || !(v >= 0) || v > 1e300 {
			return nil, fmt.Errorf("%q is not a measured value", pairs[i])
		}
		if _, twice := values[pairs[i+1]]; twice {
			return nil, fmt.Errorf("%s is measured twice", pairs[i+1])
		}
		values[pairs[i+1]] = v
	}
	return values, nil
}
