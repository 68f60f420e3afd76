package runner

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"

	"popbench/internal/words"
	"popbench/record"
	"popbench/suite"
)

// Plan is what a run has to do with a results folder.
type Plan struct {
	Run    []suite.Cell // cells without a complete record
	Keep   []suite.Cell // cells whose record stays
	Remove []string     // IDs of records that do not belong to the suite
	Notes  []string     // notes for the user, one line each
	// List names the cells that the folder should contain afterwards: those to run, and those that
	// earlier commands chose.
	List record.List
}

// ResumeOptions decide what happens to conflicting records.
type ResumeOptions struct {
	Force bool // run all the given cells again, and remove records with other settings
	Mix   bool // keep records by another program beside new ones
	Part  bool // the given cells are a choice of the user: Force removes no other records
	// Whole has all cells that earlier commands may have chosen. If cells.json is damaged, the folder
	// is expected to contain all of them, because their choice is unknown.
	Whole []suite.Cell
}

// Resume compares the given cells, a part of all cells of the suite, with the records in dir. It
// keeps every complete record with the hash of its cell, and plans to run the cells whose records
// are missing, damaged or failed.
//
// Results with other settings are never mixed in or overwritten silently. If there are complete
// records that do not belong to the suite, whatever its number of repetitions, Resume returns an
// error; with Force it plans to remove them and to run all the given cells. But if the cells are a
// Part, it refuses to remove records of others, which this run would not replace. Resume also
// refuses to mix records of two programs, unless Mix allows it.
func Resume(dir string, all, cells []suite.Cell, o ResumeOptions) (*Plan, error) {
	if err := record.CheckFolder(dir); err != nil {
		return nil, err
	}
	known := map[string]*suite.Series{}
	for _, c := range all {
		known[record.Group(c.ID())] = c.Series
	}
	plan, given := &Plan{}, listOf(cells)
	plan.List.Labels = listOf(all).Labels // not only of the cells here: all shards of a suite have its order
	plan.List.Join(given)
	var complete record.List
	made := map[string]*record.List{} // complete records by program
	var foreign, lost []string        // records that do not belong here, and those of them that no given cell replaces
	beside := map[string]bool{}       // groups of imported records, which stay
	contents, err := (&record.Reader{Dir: dir}).Each(func(r *record.Record, _ *record.Timing) error {
		h := &r.Header
		group := record.Group(h.Cell)
		series, ok := known[group]
		why := ""
		switch {
		case h.Imported != nil && !ok:
			beside[group] = true
			return nil
		case h.Imported != nil:
			why = fmt.Sprintf("it was imported from %s", h.Imported.File)
		case !ok:
			why = fmt.Sprintf("%s is not in the suite", group)
		case r.OK():
			why = difference(h, &series.Template)
		}
		switch {
		case why != "":
			foreign = append(foreign, h.Cell+": "+why)
			if !given.Has(group, h.Repetition) {
				lost = append(lost, h.Cell+": "+why)
			}
			plan.Remove = append(plan.Remove, h.Cell)
			return nil
		case r.OK():
			complete.Add(group, h.Repetition)
			by := h.Identity()
			if made[by] == nil {
				made[by] = &record.List{}
			}
			made[by].Add(group, h.Repetition)
		}
		plan.List.Add(group, h.Repetition)
		return nil
	})
	if errors.Is(err, record.ErrNoRecords) {
		contents, err = &record.Contents{}, nil
	}
	if err != nil {
		return nil, err
	}
	switch {
	case foreign == nil:
	case !o.Force:
		return nil, fmt.Errorf("%s has %s that do not belong to this suite (%s); give another --out; "+
			"to keep the others, delete these from %s/records; --force runs all chosen cells again", dir, words.Count(len(foreign), "record"), foreign[0], dir)
	case lost == nil:
	case o.Part:
		return nil, fmt.Errorf("%s has %s that do not belong to this suite and that were not chosen (%s); give another --out, or --force without --only and --seeds",
			dir, words.Count(len(lost), "record"), lost[0])
	default:
		plan.Notes = append(plan.Notes, fmt.Sprintf("%s: --force removes %s that no cell of this suite replaces (%s)",
			dir, words.Count(len(lost), "record"), lost[0]))
	}
	for _, c := range cells {
		if o.Force || !complete.Has(record.Group(c.ID()), c.Repetition) {
			plan.Run = append(plan.Run, c)
		} else {
			plan.Keep = append(plan.Keep, c)
		}
	}
	if err := plan.checkPrograms(dir, cells, made, o); err != nil {
		return nil, err
	}
	plan.list(dir, func(group string) bool { return known[group] != nil || beside[group] }, o)
	plan.Notes = append(plan.Notes, damaged(dir, contents.Issues, plan.Run)...)
	return plan, nil
}

// listOf chooses cells.
func listOf(cells []suite.Cell) *record.List {
	list := &record.List{}
	for _, c := range cells {
		list.Add(record.Group(c.ID()), c.Repetition)
	}
	return list
}

// checkPrograms refuses to run cells if the folder keeps complete records by other programs; made
// lists records by program. If Mix allows them, or no cell has to run, it adds a note instead.
func (p *Plan) checkPrograms(dir string, cells []suite.Cell, made map[string]*record.List, o ResumeOptions) error {
	if len(cells) == 0 {
		return nil
	}
	h := cells[0].Header()
	here, again := h.Identity(), listOf(p.Run).Chosen
	for _, by := range slices.Sorted(maps.Keys(made)) {
		stay := made[by].Missing(again)
		if by == here || stay == nil {
			continue
		}
		what := fmt.Sprintf("%s by %s, this is %s", words.Count(record.Count(stay), "record"), by, here)
		if len(p.Run) > 0 && !o.Mix {
			return fmt.Errorf("%s has %s; give another --out; bench run has --force to run them again, and --allow-mixture to keep them", dir, what)
		}
		p.Notes = append(p.Notes, fmt.Sprintf("%s: kept %s; bench run --force runs all again", dir, what))
	}
	return nil
}

// list adds the cells that earlier commands chose and that stay: cells of the suite, and imported ones.
func (p *Plan) list(dir string, stays func(group string) bool, o ResumeOptions) {
	before, err := record.ReadList(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case o.Force && !o.Part: // starts a new list
		if err != nil {
			p.Notes = append(p.Notes, err.Error())
		}
	case err != nil:
		p.List.Join(listOf(o.Whole))
		p.Notes = append(p.Notes, err.Error()+"; all cells of the suite are expected now, because the earlier choice is unknown")
	default:
		before.Keep(stays)
		p.List.Join(before)
	}
}

// damaged returns notes on the files that could not be read. Running its cell mends a file.
func damaged(dir string, issues []record.Issue, cells []suite.Cell) []string {
	mended := map[string]bool{}
	for _, c := range cells {
		mended[record.RecordPath(dir, c.ID())] = true
	}
	var notes []string
	for _, i := range issues {
		if i.Mixture != "" {
			continue // Resume has checked the records itself
		}
		if mended[i.Path] {
			i.Mend = "the cell is run again"
		}
		notes = append(notes, i.Error())
	}
	return notes
}

// difference names a setting in which a record differs from its cell, or returns "" if both have
// the same hash.
func difference(there, here *record.Header) string {
	differ := func(name string, a, b any) string { return fmt.Sprintf("%s is %v there, %v here", name, a, b) }
	text := func(v any) string {
		data, err := json.Marshal(v)
		return cmp.Or(string(data), fmt.Sprint(err))
	}
	switch {
	case there.Suite != here.Suite:
		return differ("suite", there.Suite, here.Suite)
	case there.ConfigHash == here.ConfigHash:
		return ""
	}
	for _, p := range []struct {
		name        string
		there, here any
	}{
		{"seed", there.Seed, here.Seed}, {"steps", there.Budget, here.Budget}, {"pilot", there.PilotComparisons, here.PilotComparisons},
		{"pilot per", cmp.Or(there.PilotPer, "problem"), cmp.Or(here.PilotPer, "problem")},
		{"scale", there.Problem.Scale, here.Problem.Scale}, {"algorithm", there.Algorithm.Name, here.Algorithm.Name},
		{"oracle", there.Oracle.Kind(), here.Oracle.Kind()}, {"first_duels", there.FirstDuels, here.FirstDuels},
		{"held_out", text(there.HeldOut), text(here.HeldOut)}, {"snapshots", text(there.Snapshots), text(here.Snapshots)},
		{"disclose", there.Algorithm.Disclosed, here.Algorithm.Disclosed}, {"SHA-256 of the arms", armsOf(there), armsOf(here)},
	} {
		if p.there != p.here {
			return differ(p.name, p.there, p.here)
		}
	}
	for _, p := range [][2]*record.Program{{there.Algorithm.Program, here.Algorithm.Program}, {there.Problem.Program, here.Problem.Program}} {
		if why := otherProgram(p[0], p[1]); why != "" {
			return why
		}
	}
	a, b := flatten(there.Algorithm.Settings), flatten(here.Algorithm.Settings)
	keys := maps.Clone(a)
	maps.Copy(keys, b)
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		if a[key] != b[key] {
			return differ(key, cmp.Or(a[key], "absent"), cmp.Or(b[key], "absent"))
		}
	}
	return differ("config hash", there.ConfigHash, here.ConfigHash)
}

// armsOf identifies the arms of a problem; "none" if it has none, or if a program says them.
func armsOf(h *record.Header) string {
	switch a := h.Problem.Arms; {
	case a == nil || h.Problem.Program != nil:
		return "none"
	case a.Data != nil:
		return a.Data.SHA256
	default:
		return a.SHA256
	}
}

// otherProgram names a difference between two external programs, or returns "".
func otherProgram(there, here *record.Program) string {
	if there == nil || here == nil {
		return ""
	}
	if !slices.Equal(there.Command, here.Command) {
		return fmt.Sprintf("command is %q there, %q here", there.Command, here.Command)
	}
	for _, f := range slices.Concat(there.Files, here.Files) {
		if !slices.Contains(there.Files, f) || !slices.Contains(here.Files, f) {
			return f.Path + " changed, so it is another program"
		}
	}
	if there.Threads != here.Threads {
		return fmt.Sprintf("threads is %d there, %d here", there.Threads, here.Threads)
	}
	return ""
}

// flatten returns settings as a map from dotted keys to values as JSON.
func flatten(settings json.RawMessage) map[string]string {
	flat := map[string]string{}
	for _, l := range record.Leaves(settings, false) {
		flat[l.Path] = l.Value
	}
	return flat
}
