package field

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"popbench/internal/math/stats"
	"popbench/internal/outcome"
	"popbench/internal/page/document"
	"popbench/internal/words"
	"popbench/record"
)

// Tuning is how the methods of a field were tuned: what was planned, and what the plan chose.
type Tuning struct {
	Format      int           `json:"format"`
	Suite       string        `json:"suite"`
	Plan        string        `json:"plan"` // the SHA-256 of the suite's file, which is the plan
	Rule        string        `json:"rule"`
	Steps       int           `json:"steps"`
	Repetitions int           `json:"repetitions"`
	Problems    []string      `json:"problems"`
	Methods     []TunedMethod `json:"methods"`
}

// TunedMethod is a method with its variants, first the published form.
type TunedMethod struct {
	Label    string    `json:"label"`
	Variants []Variant `json:"variants"`
	Chosen   int       `json:"chosen"` // from 0, the published form
	Source   string    `json:"-"`      // where the variants are from; "" if unknown
}

// Variant is settings of a method.
type Variant struct {
	Label   string  `json:"label"`
	Changes string  `json:"changes"` // of settings of the published form: "beta.beta0: 0.25, norm_bound: 3"
	Rank    float64 `json:"rank"`    // among the method's variants, the average over the problems
}

const (
	tuningFormat = 1
	// TuningFile is the name of the file in the results folder of a field.
	TuningFile = "tuning.json"
	tuningRule = "the least average rank, over the problems, of the mean suboptimality after the last step; of equal ones the first"
)

// Choose applies the plan's rule to the runs of variants. Methods has the labels of each method's variants, in the order of
// the plan. An error names a variant without complete runs on a problem.
func Choose(r *outcome.Results, plan string, methods [][]string) (*Tuning, error) {
	t := &Tuning{Format: tuningFormat, Suite: r.Suite, Plan: plan, Rule: tuningRule, Steps: r.Steps}
	groups := map[[2]string]*outcome.Group{}
	for _, g := range r.Groups {
		groups[[2]string{g.Problem.Name, g.Algorithm.Label}] = g
		t.Problems = words.Include(t.Problems, g.Problem.Name)
		t.Repetitions = max(t.Repetitions, len(g.Runs))
	}
	measure := outcome.Find(outcome.Suboptimality)
	for _, labels := range methods {
		m := TunedMethod{Label: labels[0]}
		var published json.RawMessage
		scores := make([][]float64, len(t.Problems))
		for _, label := range labels {
			v := Variant{Label: label}
			for i, problem := range t.Problems {
				g := groups[[2]string{problem, label}]
				if g == nil || len(g.Runs) < t.Repetitions {
					return nil, fmt.Errorf("%s has fewer complete runs on %s than others; the same command continues", label, problem)
				}
				if published == nil {
					published = g.Algorithm.Settings
				}
				v.Changes = Changes(published, g.Algorithm.Settings)
				scores[i] = append(scores[i], stats.Mean(words.Each(g.Runs, measure.Final)))
			}
			m.Variants = append(m.Variants, v)
		}
		for j, rank := range stats.Friedman(scores).Ranks {
			m.Variants[j].Rank = rank
			if rank < m.Variants[m.Chosen].Rank {
				m.Chosen = j
			}
		}
		t.Methods = append(t.Methods, m)
	}
	return t, nil
}

// Bytes returns the tuning as a file.
func (t *Tuning) Bytes() []byte { return words.Indented(t) }

// ReadTuning reads the bytes of the file.
func ReadTuning(data []byte) (*Tuning, error) {
	t := new(Tuning)
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(t); err != nil {
		return nil, fmt.Errorf("not a tuning: %w", err)
	}
	if t.Format != tuningFormat {
		return nil, fmt.Errorf("format %d; this program reads %d", t.Format, tuningFormat)
	}
	if t.Suite == "" || t.Plan == "" {
		return nil, fmt.Errorf("not a tuning: its suite is %q, its plan %q", t.Suite, t.Plan)
	}
	for _, m := range t.Methods {
		if m.Chosen < 0 || m.Chosen >= len(m.Variants) {
			return nil, fmt.Errorf("variant %d of %d of %q is chosen", m.Chosen+1, len(m.Variants), m.Label)
		}
	}
	return t, nil
}

// Changes says what settings, as records have them, differ from the published form: "" if none does.
func Changes(published, settings json.RawMessage) string {
	values := func(settings json.RawMessage) map[string]string {
		all := map[string]string{}
		for _, l := range record.Leaves(settings, false) {
			if l.Value != "null" && l.Value != "{}" {
				all[l.Path] = strings.Trim(l.Value, `"`)
			}
		}
		return all
	}
	before, now := values(published), values(settings)
	var all []string
	for key, v := range now {
		if before[key] != v {
			all = append(all, key+": "+v)
		}
	}
	for key := range before {
		if _, ok := now[key]; !ok {
			all = append(all, key+": left out")
		}
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}

// Sheet says what was chosen.
func (t *Tuning) Sheet() document.Sheet {
	return document.Tabulate(document.Sheet{ID: "choice", Title: "What was chosen", Caption: document.Plain("By " + t.Rule + ".")}, t.Methods,
		document.Names("Method", func(m TunedMethod) string { return m.Label }),
		document.Cells("Variants", func(m TunedMethod) document.Cell { return document.Count(len(m.Variants)) }),
		document.Cells("Rank as published", func(m TunedMethod) document.Cell { return document.Number(m.Variants[0].Rank, 2) }),
		document.Cells("Tuned", func(m TunedMethod) document.Cell { return document.Number(m.Variants[m.Chosen].Rank, 2) }),
		document.Lines("Tuned to", func(m TunedMethod) string { return cmp.Or(m.Variants[m.Chosen].Changes, "as published") }))
}

// Of returns the tuning of a method by the label of its published form; nil if it was not tuned.
func (t *Tuning) Of(label string) *TunedMethod {
	if t == nil {
		return nil
	}
	for i := range t.Methods {
		if t.Methods[i].Label == label {
			return &t.Methods[i]
		}
	}
	return nil
}
