package runner

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

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
	const absent = "absent"
	differ := func(name, a, b string) string { return fmt.Sprintf("%s is %s there, %s here", name, a, b) }
	switch {
	case there.Suite != here.Suite:
		return differ("suite", there.Suite, here.Suite)
	case there.ConfigHash == here.ConfigHash:
		return ""
	}
	a, b := facts(there), facts(here)
	value := func(of []record.Leaf, name string) string {
		i := slices.IndexFunc(of, func(f record.Leaf) bool { return f.Path == name })
		if i < 0 {
			return absent
		}
		return of[i].Value
	}
	for _, f := range slices.Concat(a, b) {
		x, y := value(a, f.Path), value(b, f.Path)
		if file, ok := strings.CutPrefix(f.Path, fileOf); ok && y == absent {
			return "there is no " + file + " in the suite file's folder"
		} else if ok && x != y {
			return file + " changed, so it is another program"
		} else if x != y {
			return differ(f.Path, x, y)
		}
	}
	return differ("config hash", there.ConfigHash, here.ConfigHash)
}

// fileOf precedes the path of a program's file, whose value is a hash.
const fileOf = "file "

// facts lists what the hash of a cell covers, as far as a header says it.
func facts(h *record.Header) (all []record.Leaf) {
	add := func(name, format string, value any) {
		all = append(all, record.Leaf{Path: name, Value: fmt.Sprintf(format, value)})
	}
	text := func(v any) string {
		data, err := json.Marshal(v)
		return cmp.Or(string(data), fmt.Sprint(err))
	}
	add("seed", "%d", h.Seed)
	add("steps", "%d", h.Budget)
	add("pilot", "%d", h.PilotComparisons)
	add("pilot per", "%s", cmp.Or(h.PilotPer, "problem"))
	add("scale", "%s", h.Problem.Scale)
	add("algorithm", "%s", h.Algorithm.Name)
	add("oracle", "%s", h.Oracle.Kind())
	add("first_duels", "%d", h.FirstDuels)
	add("held_out", "%s", text(h.HeldOut))
	add("snapshots", "%s", text(h.Snapshots))
	add("disclose", "%s", h.Algorithm.Disclosed)
	program := func(p *record.Program, of string) {
		if p == nil {
			return
		}
		add("command"+of, "%q", p.Command)
		for _, f := range p.Files {
			add(fileOf+f.Path, "%s", f.SHA256)
		}
		add("threads"+of, "%d", p.Threads)
	}
	program(h.Algorithm.Program, "")
	program(h.Problem.Program, " of the problem")
	arms := "none" // or a program says them
	if a := h.Problem.Arms; a != nil && h.Problem.Program == nil {
		if arms = a.SHA256; a.Data != nil {
			arms = a.Data.SHA256
		}
	}
	add("SHA-256 of the arms", "%s", arms)
	return append(all, record.Leaves(h.Algorithm.Settings, false)...)
}
