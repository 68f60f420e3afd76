package runner

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"popbench/internal/runlog"
	"popbench/internal/suite"
)

// Plan is what a run has to do about a results folder.
type Plan struct {
	Run    []suite.Cell // cells without a complete record
	Keep   []suite.Cell // cells whose record stays
	Remove []string     // IDs of records that the suite would not make
	Notes  []string     // what the user may want to know, one line each
}

// Resume compares the cells to run, a part of all cells of the suite, with the
// records in dir. A complete record with the hash of its cell is kept; a cell
// whose record is missing, damaged or failed is to be run.
//
// Results of other settings are never mixed in or overwritten in silence: when
// there are complete records that the suite, whatever its number of
// repetitions, would not make, Resume returns an error. With force it plans to
// remove these and to run all the given cells.
func Resume(dir string, all, cells []suite.Cell, force bool) (*Plan, error) {
	if err := runlog.CheckFolder(dir); err != nil {
		return nil, err
	}
	results, err := runlog.ReadDir(dir)
	if errors.Is(err, runlog.ErrNoRecords) {
		return &Plan{Run: cells}, nil
	}
	if err != nil {
		return nil, err
	}

	known := map[string]runlog.Header{} // by cell without repetition
	for _, c := range all {
		known[path.Dir(c.ID())] = c.Header
	}
	plan := &Plan{}
	complete := map[string]*runlog.Record{}
	var foreign []string // why, one a record
	for _, r := range results.Records {
		h, ok := known[path.Dir(r.Header.Cell)]
		why := ""
		switch {
		case !ok:
			why = fmt.Sprintf("%s is not in the suite", path.Dir(r.Header.Cell))
		case r.OK():
			why = difference(&r.Header, &h)
		}
		switch {
		case why != "":
			foreign = append(foreign, why)
			plan.Remove = append(plan.Remove, r.Header.Cell)
		case r.OK():
			complete[r.Header.Cell] = r
		}
	}
	if len(foreign) > 0 && !force {
		return nil, fmt.Errorf("%s has %s that this suite would not make (%s: %s); give another --out, or --force to replace them",
			dir, count(len(foreign), "record"), plan.Remove[0], foreign[0])
	}

	versions := map[string]int{}
	for _, c := range cells {
		r := complete[c.ID()]
		if r == nil || force {
			plan.Run = append(plan.Run, c)
			continue
		}
		plan.Keep = append(plan.Keep, c)
		if v, now := program(&r.Header), program(&c.Header); v != now {
			versions[fmt.Sprintf("by %s, this is %s", v, now)]++
		}
	}
	for _, v := range slices.Sorted(maps.Keys(versions)) {
		plan.Notes = append(plan.Notes, fmt.Sprintf("%s: %s made %s; --force runs all again", dir, count(versions[v], "kept record"), v))
	}
	plan.Notes = append(plan.Notes, damaged(dir, results.Issues, plan.Run)...)
	return plan, nil
}

// program is what made a record.
func program(h *runlog.Header) string {
	return fmt.Sprintf("popbench %s with %s on %s", h.Version, h.Go, h.Platform)
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
		if i.Mixture {
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
	case there.Steps != here.Steps:
		return differ("steps", there.Steps, here.Steps)
	case there.Pilot != here.Pilot:
		return differ("pilot", there.Pilot, here.Pilot)
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
