package field

import (
	"fmt"
	"reflect"
	"slices"

	"popbench/internal/printable"
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
			if !slices.Contains(j.Labels, h.Algorithm.Label) {
				j.Labels = append(j.Labels, h.Algorithm.Label)
			}
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

// common reports whether all of mine have a repetition.
func (j *Joined) common(repetition int) bool { return j.repetitions[repetition] == len(j.mine) }

// instance is what runs of a repetition on a problem have in common.
type instance struct {
	problem string
	rep     int
}

// terms are the conditions of a run, by the names of their keys in a suite.
type terms struct {
	Seed       uint64
	Steps      int
	FirstDuels int
	Oracle     *record.Oracle
	Box        [2][]float64
	Arms       string // SHA-256
	Scale      string
	Scaling    [2]float64
	Optimum    float64 // 0 if unknown
	Known      bool
}

func termsOf(h *record.Header) terms {
	p := &h.Problem
	t := terms{Seed: h.Seed, Steps: h.Budget, FirstDuels: h.FirstDuels, Oracle: h.Oracle, Box: [2][]float64{p.Lo, p.Hi},
		Scale: p.Scale, Scaling: [2]float64{p.Shift, p.Factor}}
	if p.Arms != nil {
		t.Arms = p.Arms.SHA256
	}
	if t.Known = p.Optimum != nil; t.Known {
		t.Optimum = *p.Optimum
	}
	return t
}

// differs names the first term that differs, with both values; "" if none does.
func (t terms) differs(field terms) string {
	a, b := reflect.ValueOf(t), reflect.ValueOf(field)
	for i := range a.NumField() {
		if x, y := a.Field(i).Interface(), b.Field(i).Interface(); !reflect.DeepEqual(x, y) {
			name := map[string]string{"FirstDuels": "first_duels", "Seed": "seed", "Steps": "steps", "Oracle": "oracle", "Box": "box",
				"Arms": "SHA-256 of the arms", "Scale": "scale", "Scaling": "shift and factor", "Optimum": "optimum", "Known": "optimum known"}[a.Type().Field(i).Name]
			return fmt.Sprintf("%s is %s, in the field %s", name, show(x), show(y))
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
	return printable.Cut(fmt.Sprint(v), printable.MaxLabel)
}

// duel is a first duel as records have it.
type duel struct {
	utility []float64
	winner  int
}

func firstDuels(r *record.Record) (duels []duel) {
	for t := range r.Steps[:min(r.Header.FirstDuels, len(r.Steps))] {
		duels = append(duels, duel{r.Steps[t].Utility, r.Steps[t].Winner})
	}
	return duels
}

// Each visits the records of the field, then mine. It returns an error that names the first of mine whose problem, scale,
// optimum, oracle, seed, steps or first duels differ from the field's.
func (j *Joined) Each(visit func(*record.Record, *record.Timing) error) (*record.Contents, error) {
	type known struct {
		terms
		duels []duel
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
		if !slices.Contains(labels, h.Algorithm.Label) {
			labels = append(labels, h.Algorithm.Label)
		}
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
			fail := func(format string, args ...any) error {
				return fmt.Errorf("%s cannot stand beside the field: %s; run it with the problems, seed, steps and first duels that bench list field --text prints",
					h.Cell, fmt.Sprintf(format, args...))
			}
			k, ok := seen[instance{h.Problem.Name, h.Repetition}]
			switch {
			case slices.Contains(labels, h.Algorithm.Label):
				return fail("the field has the label %s too, give yours another", h.Algorithm.Label)
			case !ok:
				return fail("the field has no such problem or repetition")
			case r.OK():
				if d := termsOf(h).differs(k.terms); d != "" {
					return fail("%s", d)
				}
				if !reflect.DeepEqual(firstDuels(r), k.duels) {
					return fail("its first duels or their answers differ")
				}
			}
			theirs = words.Include(theirs, h.Algorithm.Label)
			return visit(r, t)
		})
		if err != nil {
			return nil, err
		}
		labels = append(labels, theirs...)
		if found.List != nil {
			list.Join(found.List)
		} else {
			for _, p := range found.There {
				list.Join(&record.List{Chosen: []record.Part{p}})
			}
		}
		records += found.Records
		there, issues = slices.Concat(there, found.There), slices.Concat(issues, found.Issues)
		if joined == nil {
			joined = found
		}
	}
	joined.List, joined.Records, joined.There, joined.Issues = list, records, there, issues
	return joined, nil
}
