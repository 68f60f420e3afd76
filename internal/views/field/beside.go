package field

import (
	"cmp"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"

	"popbench/internal/words"
	"popbench/record"
)

// Joined are records of others beside the field's: first the field's on the same problems and repetitions, then theirs.
// Every record of theirs has to be of the same experiment.
type Joined struct {
	field       record.Source
	mine        []record.Source
	Labels      []string // of mine
	problems    map[string]bool
	repetitions map[int]int // how many of mine have the repetition; it is left out unless all have it
}

var _ record.Source = (*Joined)(nil)

// Beside joins the field and at least one other. It reads mine once.
func Beside(field record.Source, mine ...record.Source) (*Joined, error) {
	j := &Joined{field: field, mine: mine, problems: map[string]bool{}, repetitions: map[int]int{}}
	for _, one := range mine {
		has := map[int]bool{}
		if _, err := one.Each(func(r *record.Record, _ *record.Timing) error {
			h := &r.Header
			j.problems[h.Problem.Name], has[h.Repetition] = true, true
			j.Labels = words.Include(j.Labels, h.Algorithm.Label)
			return nil
		}); err != nil {
			return nil, err
		}
		for rep := range has {
			j.repetitions[rep]++
		}
	}
	return j, nil
}

func (j *Joined) common(repetition int) bool { return j.repetitions[repetition] == len(j.mine) }

// term is a condition of a run, by the name of its key in a suite.
type term struct {
	name  string
	value any
}

func termsOf(h *record.Header) []term {
	p := &h.Problem
	var arms string
	if p.Arms != nil {
		arms = p.Arms.SHA256
	}
	optimum := 0.0
	if p.Optimum != nil {
		optimum = *p.Optimum
	}
	return []term{{"seed", h.Seed}, {"steps", h.Budget}, {"first_duels", h.FirstDuels}, {"oracle", h.Oracle}, {"box", [2][]float64{p.Lo, p.Hi}},
		{"SHA-256 of the arms", arms}, {"scale", p.Scale}, {"shift and factor", [2]float64{p.Shift, p.Factor}}, {"optimum", optimum},
		{"optimum known", p.Optimum != nil}}
}

// Differs names the first condition of a run that is another in a new run of its cell, with both values; "" if none is.
func Differs(r, again *record.Record) string {
	// Another version of bench may give a method of ours further settings.
	settings := r.Header.Algorithm.Program != nil || r.Header.Identity() == again.Header.Identity()
	all := func(h *record.Header) []term {
		a, uniform := &h.Algorithm, record.Uniform{}
		if h.Problem.Uniform != nil {
			uniform = *h.Problem.Uniform
		}
		terms := append(termsOf(h), term{"pilot_comparisons", h.PilotComparisons}, term{"feedback", a.Feedback},
			term{"disclosed", a.Disclosed}, term{"uniform", uniform})
		if settings {
			terms = append(terms, term{"settings", string(a.Settings)})
		}
		return terms
	}
	text := differs(all(&r.Header), all(&again.Header), "in a new run")
	if text == "" && r.Header.Problem.Program == nil && !reflect.DeepEqual(firstDuels(r), firstDuels(again)) {
		text = "its first duels or their answers differ"
	}
	return text
}

// differs names the first term that differs from the others, with both values; "" if none does.
func differs(terms, others []term, where string) string {
	for i, t := range terms {
		if !reflect.DeepEqual(t.value, others[i].value) {
			return fmt.Sprintf("%s is %s, %s %s", t.name, show(t.value), where, show(others[i].value))
		}
	}
	return ""
}

func show(v any) string {
	if o, ok := v.(*record.Oracle); ok {
		if o == nil {
			return "Bradley-Terry-Luce"
		}
		return fmt.Sprintf("%+v", *o)
	}
	return words.Cut(fmt.Sprint(v), words.MaxLabel)
}

// firstDuels are the utilities of each first duel, and the index of its winner.
func firstDuels(r *record.Record) (duels [][]float64) {
	for _, s := range r.Steps[:min(r.Header.FirstDuels, len(r.Steps))] {
		duels = append(duels, append(slices.Clone(s.Utility), float64(s.Winner)))
	}
	return duels
}

// impossible says where a run recommends what is better than the optimum by more than rounding; "" if it nowhere does.
func impossible(r *record.Record) string {
	for _, s := range r.Steps {
		if best, u := r.Header.Problem.Optimum, s.Recommendations[0].Utility; best != nil && u > *best+1e-6*(1+math.Abs(*best)) {
			return fmt.Sprintf("in step %d it recommends a point of %g, and %g is the optimum", s.T, u, *best)
		}
	}
	return ""
}

// Each visits the records of the field, then mine. It returns an error that names the first of mine whose problem, scale,
// optimum, oracle, seed, steps or first duels differ from the field's, or that recommends what cannot be.
func (j *Joined) Each(visit func(*record.Record, *record.Timing) error) (*record.Contents, error) {
	type instance struct {
		problem    string
		repetition int
	}
	type known struct {
		terms []term
		duels [][]float64
	}
	seen := map[instance]known{}
	var labels []string
	list := &record.List{}
	all, err := j.field.Each(func(r *record.Record, t *record.Timing) error {
		h := &r.Header
		if !j.problems[h.Problem.Name] || !j.common(h.Repetition) {
			return nil
		}
		at := instance{h.Problem.Name, h.Repetition}
		if _, ok := seen[at]; !ok && r.OK() {
			seen[at] = known{termsOf(h), firstDuels(r)}
		}
		labels = words.Include(labels, h.Algorithm.Label)
		list.Add(record.Group(h.Cell), h.Repetition)
		return visit(r, t)
	})
	if err != nil {
		return nil, err
	}
	var joined *record.Contents
	records, there, issues := all.Records, all.There, all.Issues
	for _, one := range j.mine {
		var theirs []string
		found, err := one.Each(func(r *record.Record, t *record.Timing) error {
			h := &r.Header
			if !j.common(h.Repetition) {
				return nil
			}
			k, ok := seen[instance{h.Problem.Name, h.Repetition}]
			wrong := ""
			if i := slices.IndexFunc(labels, func(label string) bool { return strings.EqualFold(label, h.Algorithm.Label) }); i >= 0 {
				return fmt.Errorf("%s cannot stand beside the field: the label %s is there; give yours another", h.Cell, labels[i])
			}
			switch {
			case !ok:
				wrong = "the field has no such problem or repetition"
			case r.OK():
				wrong = differs(termsOf(h), k.terms, "in the field")
				if wrong == "" && !reflect.DeepEqual(firstDuels(r), k.duels) {
					wrong = "its first duels or their answers differ"
				}
				if wrong == "" {
					wrong = impossible(r)
				}
			}
			if wrong != "" {
				return fmt.Errorf("%s cannot stand beside the field: %s; run it with the problems, seed, steps and first duels that bench list field --text prints",
					h.Cell, wrong)
			}
			theirs = words.Include(theirs, h.Algorithm.Label)
			return visit(r, t)
		})
		if err != nil {
			return nil, err
		}
		labels = append(labels, theirs...)
		list.Join(cmp.Or(found.List, &record.List{Chosen: found.There}))
		records += found.Records
		there, issues = slices.Concat(there, found.There), slices.Concat(issues, found.Issues)
		if joined == nil {
			joined = found
		}
	}
	joined.List, joined.Records, joined.There, joined.Issues = list, records, there, issues
	return joined, nil
}
