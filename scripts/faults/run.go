package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Limits of processor time: time that other processes take must not count. A fault that slows tests slows them by far.
const (
	quick     = 5.0 // seconds of tests up to which all are run, though one has failed
	buildCost = 5.0 // what the budget pays for building the tests of another package
	slower    = 5.0 // times the time of the tests without the fault
)

func (r *runner) run(ctx context.Context) error {
	r.sites = r.locate(r.faults)
	if err := r.measure(ctx); err != nil {
		return err
	}
	rows, err := readRows(r.out)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	last := latest(rows)
	todo := slices.DeleteFunc(slices.Clone(r.faults), func(f fault) bool { _, ok := last[f.id()]; return ok })
	return r.each(len(todo), func(i int) error {
		row, err := r.plant(ctx, todo[i])
		if err != nil {
			return err
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		fmt.Fprintf(os.Stderr, "%s of %d: %s %s %s: %s\n", row.id, len(todo), row.pkg, row.kind, row.where, row.result)
		return appendTo(r.out, rowHeading, row.write())
	})
}

// plant tries a fault against the tests of its own package, and if they pass, against those of other packages.
func (r *runner) plant(ctx context.Context, f fault) (row, error) {
	x, ok := r.sites[f.id()]
	out := row{id: f.id(), pkg: f.pkg, kind: f.kind, change: f.from + " → " + f.to, stage: own, result: survived, where: f.file}
	if !ok {
		out.result = gone
		return out, nil
	}
	out.where = fmt.Sprintf("%s:%d", f.file, x.row)
	dir, err := os.MkdirTemp("", "f") // short: messages of tests that name it are cut
	if err != nil {
		return out, err
	}
	defer os.RemoveAll(dir)
	text, err := os.ReadFile(x.path)
	if err != nil {
		return out, err
	}
	edited, overlay := filepath.Join(dir, "edited.go"), filepath.Join(dir, "overlay.json")
	replace, err := json.Marshal(map[string]any{"Replace": map[string]string{x.path: edited}})
	if err != nil {
		return out, err
	}
	if err := errors.Join(os.WriteFile(edited, x.apply(text), 0o666), os.WriteFile(overlay, replace, 0o666)); err != nil {
		return out, err
	}
	spent := 0.0
	for _, group := range r.groups(f, x) {
		if group.pkg != f.pkg {
			out.stage = others
			if group.tests = affordable(group.tests, r.budget-spent-buildCost); len(group.tests) == 0 {
				continue
			}
			spent += total(group.tests) + buildCost
		}
		binary := filepath.Join(dir, "tests")
		seconds, err := r.build(ctx, group.pkg, binary, dir, []string{"GOFLAGS=-overlay=" + overlay})
		out.seconds += seconds
		if errors.As(err, new(errBuild)) {
			out.result, out.by = "does not compile", group.pkg
			return out, nil
		} else if err != nil {
			return out, err
		}
		failed, seconds, err := r.try(ctx, binary, dir, group, out.stage == others || total(group.tests) > quick, "GOFLAGS=-overlay="+overlay)
		if err != nil {
			return out, err
		}
		out.seconds += seconds
		if out.ran += len(group.tests); len(failed) > 0 {
			out.result, out.by, out.tests = caught, group.pkg, failed
			return out, nil
		}
	}
	out.stage = others
	return out, nil
}

// group is some of the tests of a package.
type group struct {
	pkg   string
	tests []testRow
}

// groups returns the tests that execute a fault: of its own package, and then of each other one, the cheapest first.
func (r *runner) groups(f fault, x site) []group {
	by := map[string]*group{}
	ofOwn := 0.0
	for _, test := range r.tests {
		if test.pkg == f.pkg {
			ofOwn += test.seconds
		}
	}
	all := len(x.at) == 0 || r.source(f.pkg).isSpawn && ofOwn < r.budget
	for _, test := range r.tests {
		if test.broken || !slices.Contains(test.executes, f.id()) && (test.pkg != f.pkg || !all) {
			continue
		}
		if by[test.pkg] == nil {
			by[test.pkg] = &group{pkg: test.pkg}
		}
		by[test.pkg].tests = append(by[test.pkg].tests, test)
	}
	cost := func(g group) float64 {
		if g.pkg == f.pkg {
			return -1 // first
		}
		return total(g.tests)
	}
	var list []group
	for _, g := range by {
		list = append(list, *g)
	}
	slices.SortFunc(list, func(a, b group) int {
		return cmp.Or(cmp.Compare(cost(a), cost(b)), cmp.Compare(a.pkg, b.pkg))
	})
	return list
}

// affordable are the cheapest tests that take at most so many seconds together.
func affordable(tests []testRow, seconds float64) []testRow {
	tests = slices.Clone(tests)
	slices.SortFunc(tests, func(a, b testRow) int { return cmp.Or(cmp.Compare(a.seconds, b.seconds), cmp.Compare(a.name, b.name)) })
	for i := range tests {
		if seconds -= tests[i].seconds; seconds < 0 {
			return tests[:i]
		}
	}
	return tests
}

func total(tests []testRow) (seconds float64) {
	for _, t := range tests {
		seconds += t.seconds
	}
	return seconds
}

// try runs tests of a package and returns the tests that fail, and the processor time. A test that does not end has failed.
func (r *runner) try(ctx context.Context, binary, scratch string, g group, failFast bool, env ...string) (failed []string, seconds float64, err error) {
	var names []string
	for _, test := range g.tests {
		names = append(names, test.name)
	}
	arguments := []string{binary, "-test.v", "-test.parallel=1", "-test.run=^(" + strings.Join(names, "|") + ")$"}
	if failFast {
		arguments = append(arguments, "-test.failfast")
	}
	e, err := r.command(ctx, call{
		arguments: arguments, dir: filepath.Join(r.root, g.pkg), scratch: scratch, env: env, seconds: slower*total(g.tests) + r.slack,
	})
	running := ""
	for line := range strings.Lines(string(e.stdout)) {
		if name, ok := testName(line, "--- FAIL: "); ok {
			failed = append(failed, name)
		}
		if name, ok := testName(line, "=== RUN "); ok {
			running, _, _ = strings.Cut(name, "/")
		}
	}
	if err == nil && e.ending != "exit code 0" && len(failed) == 0 { // it panicked or was killed
		failed = []string{cmp.Or(running, e.ending)}
	}
	return failed, e.seconds, err
}

// testName is the test that a line of go test -v is about. A test may have printed before it in the line.
func testName(line, mark string) (string, bool) {
	before, after, ok := strings.Cut(line, mark)
	if !ok || strings.HasSuffix(before, " ") { // of a subtest
		return "", false
	}
	return strings.Fields(after + " ?")[0], true
}
