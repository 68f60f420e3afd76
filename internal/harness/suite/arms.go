package suite

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"popbench/internal/harness/config"
	"popbench/problems"
	"popbench/record"
	"popbench/space"
)

// scale returns the scale of a suite's problem.
func scale(p config.Problem) problems.Scale {
	if len(p.Range) == 2 {
		return problems.ToRange(p.Range[0], p.Range[1])
	}
	return problems.Scale(p.Scale)
}

// onArms returns a built-in problem on the arms that the suite gives.
func onArms(spec *problems.Spec, p config.Problem) (*problems.Spec, error) {
	arms, err := armsOf(p.Arms, &spec.Box)
	if err != nil {
		return nil, fmt.Errorf("problem %s: %w", p.ID(), err)
	}
	return spec.On(arms, p.ID(), fmt.Sprintf("%s, %d arms", cmp.Or(p.Label, spec.Title), arms.Len()))
}

// armsOf returns the arms that a suite gives: points, or a grid on the box, which may be nil for points.
func armsOf(a *config.Arms, box *space.Box) (*space.Arms, error) {
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
func table(s *config.Suite, p config.Problem) (spec *problems.Spec, err error) {
	var points [][]float64
	var values []float64
	if p.Data == nil {
		points, values = p.Arms.Points, p.Arms.Values
	} else if points, values, err = s.ReadData(p.Data); err != nil {
		return nil, err
	}
	source := ""
	if p.Data != nil {
		rows := len(points)
		points, values = merge(points, values)
		source = p.Data.From
		if len(points) < rows {
			source = strings.TrimPrefix(fmt.Sprintf("%s; %d rows, of which those with equal features are one arm with their mean value", source, rows), "; ")
		}
	}
	if p.DivideBy > 0 {
		values = slices.Clone(values)
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

// merge replaces rows of equal features, which are one arm, by one with their mean value, where the first of them is.
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
func armsRecord(a *space.Arms, data *config.Data) *record.Arms {
	text, err := json.Marshal(a.Points())
	if err != nil {
		panic(err) // cannot happen: features are finite
	}
	sum := sha256.Sum256(text)
	rec := &record.Arms{Count: a.Len(), SHA256: hex.EncodeToString(sum[:])}
	if data != nil {
		rec.Data = &record.ProgramFile{Path: data.Path, SHA256: data.SHA256}
	}
	return rec
}
