package suite

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"popbench/internal/words"
	"popbench/problems"
	"popbench/record"
	"popbench/space"
)

// scale returns the scale of a suite's problem.
func scale(p Problem) problems.Scale {
	if len(p.Range) == 2 {
		return problems.ToRange(p.Range[0], p.Range[1])
	}
	return problems.Scale(p.Scale)
}

// onArms returns a built-in problem on the arms that the suite gives.
func onArms(spec *problems.Spec, p Problem) (*problems.Spec, error) {
	arms, err := armsOf(p.Arms, &spec.Box)
	if err != nil {
		return nil, fmt.Errorf("problem %s: %w", p.ID(), err)
	}
	return spec.On(arms, p.ID(), fmt.Sprintf("%s, %s", cmp.Or(p.Label, spec.Title), words.Count(arms.Len(), "arm")))
}

// armsOf returns the arms that a suite gives: points, or a grid on the box, which may be nil for points.
func armsOf(a *Arms, box *space.Box) (*space.Arms, error) {
	if a.Points != nil {
		return space.NewArms(a.Points)
	}
	points, err := box.GridOf(a.Grid)
	if err != nil {
		return nil, err
	}
	return space.NewArms(points)
}

// table returns the problem of a table in the suite or in a data file.
func table(s *Suite, p Problem) (*problems.Spec, error) {
	var points [][]float64
	var values []float64
	source := ""
	if p.Data == nil {
		points, values = p.Arms.Points, slices.Clone(p.Arms.Values)
	} else {
		rows, all, err := s.readData(p.Data)
		if err != nil {
			return nil, err
		}
		points, values = merge(rows, all)
		if source = p.Data.From; len(points) < len(rows) {
			source = strings.TrimPrefix(fmt.Sprintf("%s; %d rows, of which those with equal features are one arm with their mean value", source, len(rows)), "; ")
		}
	}
	if p.DivideBy > 0 {
		for i := range values {
			values[i] /= p.DivideBy
		}
	}
	arms, err := space.NewArms(points)
	var f problems.Function
	if err == nil {
		f, err = problems.Table(arms, values)
	}
	if err != nil {
		return nil, fmt.Errorf("problem %s: %w", p.Label, err)
	}
	f.Minimise = p.Minimize
	return problems.New(problems.Spec{Name: p.Label, Source: source}, f)
}

// merge replaces rows of equal features, which are one arm, by one row with their mean value, in the place of the first.
func merge(points [][]float64, values []float64) (arms [][]float64, means []float64) {
	at, count := map[string]int{}, []float64{}
	for i, x := range points {
		for k := range x {
			x[k] += 0 // -0 and 0 are one feature
		}
		key := fmt.Sprint(x)
		j, ok := at[key]
		if !ok {
			j = len(arms)
			at[key] = j
			arms, means, count = append(arms, x), append(means, 0), append(count, 0)
		}
		means[j] += values[i]
		count[j]++
	}
	for j, n := range count {
		means[j] /= n
	}
	return arms, means
}

// armsRecord describes arms for a record. data is the file that they are from; nil if there is none.
func armsRecord(a *space.Arms, data *Data) *record.Arms {
	rec := &record.Arms{Count: a.Len(), SHA256: fmt.Sprintf("%x", sha256.Sum256(encoded(a.Points())))}
	if data != nil {
		rec.Data = &record.ProgramFile{Path: data.Path, SHA256: data.SHA256}
	}
	return rec
}

// An absentFile error is about a data file that is not there. Its cells are left out.
type absentFile string

func (a absentFile) Error() string { return string(a) }

// readData reads a table's data file: the features of its arms and their values. The error is an absentFile one if
// there is no such file.
func (s *Suite) readData(d *Data) (points [][]float64, values []float64, err error) {
	path := s.resolve(d.Path)
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		how := "put it there"
		if d.From != "" {
			how = "get it from " + d.From + ", and " + how
		}
		return nil, nil, absentFile(fmt.Sprintf("%s is absent; %s (SHA-256 %s)", words.Quote(path), how, d.SHA256))
	}
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("it is not a regular file")
	}
	var text []byte
	if err == nil {
		text, err = os.ReadFile(path)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("%s: cannot read it (%w)", path, cause(err))
	}
	if sum := sha256.Sum256(text); hex.EncodeToString(sum[:]) != d.SHA256 {
		return nil, nil, fmt.Errorf("%s: its SHA-256 is %x, but the suite says %s; it is another file or version", path, sum, d.SHA256)
	}
	points, values, err = parseTable(text, d.Features, d.Value)
	if err != nil {
		return nil, nil, fmt.Errorf("%s:%w", path, err)
	}
	return points, values, nil
}

// parseTable reads the named columns of a CSV file. An error begins with the line.
func parseTable(text []byte, features []string, value string) (points [][]float64, values []float64, err error) {
	r := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(text, []byte("\ufeff"))))
	r.ReuseRecord = true
	header, err := r.Read()
	if err != nil {
		return nil, nil, fmt.Errorf("1: no row that names the columns (%v)", err)
	}
	names := append(slices.Clone(features), value)
	columns := make([]int, len(names))
	for i, name := range names {
		if columns[i] = slices.Index(header, name); columns[i] < 0 {
			return nil, nil, fmt.Errorf("1: there is no column %q; it has %s", name, strings.Join(header, ", "))
		}
		if slices.Contains(header[columns[i]+1:], name) {
			return nil, nil, fmt.Errorf("1: two columns are called %q; rename one of them", name)
		}
	}
	for {
		row, err := r.Read()
		if err == io.EOF {
			return points, values, nil
		}
		if wrong := (*csv.ParseError)(nil); errors.As(err, &wrong) {
			return nil, nil, fmt.Errorf("%d: %v", wrong.Line, wrong.Err)
		}
		line, _ := r.FieldPos(0)
		x := make([]float64, len(columns))
		for i, c := range columns {
			v, err := strconv.ParseFloat(strings.TrimSpace(row[c]), 64)
			if err != nil || math.IsNaN(v) || math.IsInf(v, 0) || strings.ContainsAny(row[c], "_xX") { // Go takes 1_0
				return nil, nil, fmt.Errorf("%d: %s is %q, not a finite number", line, names[i], words.Cut(row[c], 40))
			}
			x[i] = v
		}
		points, values = append(points, x[:len(features)]), append(values, x[len(features)])
	}
}
