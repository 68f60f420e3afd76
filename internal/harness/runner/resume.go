package runner

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"popbench/internal/harness/suite"
	"popbench/internal/runlog"
)

// Plan is what a run has to do about a results folder.
type Plan struct {
	Run    []suite.Cell // cells without a complete record
	Keep   []suite.Cell // cells whose record stays
	Remove []string     // IDs of records that the suite would not make
	Notes  []string     // what the user may want to know, one line each
	// List names the cells that the folder should have afterwards: those to run, and
	// those that earlier commands chose. Listed says whether its run.json has the
	// same list.
	List   runlog.List
	Listed bool
}

// ResumeOptions say what to do with conflicting records.
type ResumeOptions struct {
	Force bool // run all the given cells again, and remove records of other settings
	Mix   bool // keep records by another program beside those of this one
	// Whole is what earlier commands may have chosen at most. A folder whose run.json
	// is damaged is expected to have all of it, since nobody knows what they chose.
	Whole []suite.Cell
}

// Resume compares the cells to run, a part of all cells of the suite, with the
// records in dir. A complete record with the hash of its cell is kept; a cell
// whose record is missing, damaged or failed is to be run.
//
// Results of other settings are never mixed in or overwritten in silence: when
// there are complete records that the suite, whatever its number of
// repetitions, would not make, Resume returns an error. With Force it plans to
// remove these and to run all the given cells. Records of an earlier format are
// treated alike. Resume also refuses to mix records of two programs, unless Mix
// allows it.
func Resume(dir string, all, cells []suite.Cell, o ResumeOptions) (*Plan, error) {
	if err := runlog.CheckFolder(dir); err != nil {
		return nil, err
	}
	known := map[string]*suite.Series{}
	for _, c := range all {
		known[runlog.Group(c.ID())] = c.Series
	}
	plan := &Plan{}
	for _, c := range cells {
		plan.List.Add(runlog.Group(c.ID()), c.Repetition)
	}
	var complete runlog.List
	made := map[string]*runlog.List{} // complete ones, by program
	var foreign []string              // why, the first
	contents, err := (&runlog.Reader{Dir: dir}).Each(func(r *runlog.Record, _ *runlog.Timing) error {
		h := &r.Header
		group := runlog.Group(h.Cell)
		series, ok := known[group]
		why := ""
		switch {
		case h.Format != runlog.Format:
			why = fmt.Sprintf("it is of record format %d, which can be reported but not continued", h.Format)
		case !ok:
			why = fmt.Sprintf("%s is not in the suite", group)
		case r.OK():
			why = difference(h, &series.Template)
		}
		switch {
		case why != "":
			foreign = append(foreign, why)
			plan.Remove = append(plan.Remove, h.Cell)
			return nil
		case r.OK():
			complete.Add(group, h.Repetition)
			by := h.Identity()
			if made[by] == nil {
				made[by] = &runlog.List{}
			}
			made[by].Add(group, h.Repetition)
		}
		plan.List.Add(group, h.Repetition)
		return nil
	})
	if errors.Is(err, runlog.ErrNoRecords) {
		contents, err = &runlog.Contents{}, nil
	}
	if err != nil {
		return nil, err
	}
	if len(foreign) > 0 && !o.Force {
		return nil, fmt.Errorf("%s has %s that this suite would not make (%s: %s); give another --out, or --force to replace them",
			dir, count(len(foreign), "record"), plan.Remove[0], foreign[0])
	}
	for _, c := range cells {
		if o.Force || !complete.Has(runlog.Group(c.ID()), c.Repetition) {
			plan.Run = append(plan.Run, c)
		} else {
			plan.Keep = append(plan.Keep, c)
		}
	}
	if err := plan.checkPrograms(dir, cells, made, o); err != nil {
		return nil, err
	}
	plan.list(dir, known, o)
	plan.Notes = append(plan.Notes, damaged(dir, contents.Issues, plan.Run)...)
	return plan, nil
}

// checkPrograms refuses to run cells if the folder has complete records by other
// programs, which made lists. If Mix allows them, or no cell has to run, it adds
// a note instead.
func (p *Plan) checkPrograms(dir string, cells []suite.Cell, made map[string]*runlog.List, o ResumeOptions) error {
	if len(cells) == 0 {
		return nil
	}
	h := cells[0].Header()
	here := h.Identity()
	var again runlog.List
	for _, c := range p.Run {
		again.Add(runlog.Group(c.ID()), c.Repetition)
	}
	for _, by := range slices.Sorted(maps.Keys(made)) {
		stay := made[by].Missing(again.Chosen)
		if by == here || stay == nil {
			continue
		}
		kept := runlog.List{Chosen: stay}
		what := fmt.Sprintf("%s by %s, this is %s", count(kept.Cells(), "record"), by, here)
		if len(p.Run) > 0 && !o.Mix {
			return fmt.Errorf("%s has %s; give another --out, --force to run them again, or --allow-mixture to keep them", dir, what)
		}
		p.Notes = append(p.Notes, fmt.Sprintf("%s: kept %s; --force runs all again", dir, what))
	}
	return nil
}

// list adds the cells that earlier commands chose, if the suite has them.
func (p *Plan) list(dir string, known map[string]*suite.Series, o ResumeOptions) {
	run, err := runlog.ReadRun(dir)
	if err != nil || !run.Listed() {
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			note := err.Error()
			if !o.Force {
				for _, c := range o.Whole {
					p.List.Add(runlog.Group(c.ID()), c.Repetition)
				}
				note += "; all cells of the suite are expected now, since what was chosen before is unknown"
			}
			p.Notes = append(p.Notes, note)
		}
		return
	}
	before := run.List
	if !o.Force { // force starts a new list
		run.Keep(func(group string) bool { return known[group] != nil })
		p.List.Join(&run.List)
	}
	p.Listed = p.List.Equal(&before)
}

// damaged tells of the files that could not be read. Those of cells that will
// be run are mended by that.
func damaged(dir string, issues []runlog.Issue, cells []suite.Cell) []string {
	mended := map[string]bool{}
	for _, c := range cells {
		mended[runlog.RecordPath(dir, c.ID())] = true
	}
	var notes []string
	for _, i := range issues {
		if i.Mixture != "" {
			continue // Resume has looked at the records itself
		}
		if mended[i.Path] {
			i.Mend = "the cell is run again"
		}
		notes = append(notes, i.Error())
	}
	return notes
}

// difference names a setting in which a record differs from its cell's, "" if
// its hash is the same.
func difference(there, here *runlog.Header) string {
	differ := func(name string, a, b any) string { return fmt.Sprintf("%s is %v there, %v here", name, a, b) }
	switch {
	case there.Suite != here.Suite:
		return differ("suite", there.Suite, here.Suite)
	case there.ConfigHash == here.ConfigHash:
		return ""
	case there.Seed != here.Seed:
		return differ("seed", there.Seed, here.Seed)
	case there.Budget != here.Budget:
		return differ("steps", there.Budget, here.Budget)
	case there.PilotComparisons != here.PilotComparisons:
		return differ("pilot", there.PilotComparisons, here.PilotComparisons)
	case there.PilotPer != here.PilotPer:
		return differ("pilot per", cmp.Or(there.PilotPer, "problem"), cmp.Or(here.PilotPer, "problem"))
	case there.Problem.Scale != here.Problem.Scale:
		return differ("scale", there.Problem.Scale, here.Problem.Scale)
	case there.Algorithm.Name != here.Algorithm.Name:
		return differ("algorithm", there.Algorithm.Name, here.Algorithm.Name)
	}
	a, b := flatten(there.Algorithm.Settings), flatten(here.Algorithm.Settings)
	keys := maps.Clone(a)
	maps.Copy(keys, b)
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		if a[key] != b[key] {
			return differ(key, orNone(a[key]), orNone(b[key]))
		}
	}
	return differ("config hash", there.ConfigHash, here.ConfigHash)
}

// flatten is a JSON object as dotted keys with their values as JSON.
func flatten(raw json.RawMessage) map[string]string {
	flat := map[string]string{}
	var walk func(prefix string, raw json.RawMessage)
	walk = func(prefix string, raw json.RawMessage) {
		var object map[string]json.RawMessage
		if !bytes.HasPrefix(raw, []byte("{")) || json.Unmarshal(raw, &object) != nil {
			flat[prefix] = string(raw)
			return
		}
		for key, value := range object {
			walk(strings.TrimPrefix(prefix+"."+key, "."), value)
		}
	}
	walk("", raw)
	return flat
}

func orNone(s string) string {
	if s == "" {
		return "absent"
	}
	return s
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
