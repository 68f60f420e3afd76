package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"go/token"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"popbench/internal/harness/process"
)

// measure runs every test by itself and notes how long it takes and which faults it executes.
func (r *runner) measure(ctx context.Context) error {
	name := r.out + ".tests"
	known, measured, err := readTests(name)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	var covered []string
	for _, f := range r.faults {
		if path := r.path(f.pkg); !slices.Contains(covered, path) {
			covered = append(covered, path)
		}
	}
	for _, s := range r.packages {
		if len(s.tests) == 0 || slices.Contains(measured, s.name) {
			continue
		}
		covered := covered
		if r.budget == 0 { // a fault meets the tests of its own package only
			own := r.path(s.name)
			if !slices.Contains(covered, own) {
				continue
			}
			covered = []string{own}
		}
		if err := r.measurePackage(ctx, s.name, name, strings.Join(covered, ","), known); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
	}
	r.tests, _, err = readTests(name)
	return err
}

func (r *runner) path(pkg string) string { return path.Join(r.module, pkg) }

func (r *runner) measurePackage(ctx context.Context, pkg, name, covered string, known []testRow) error {
	dir, err := os.MkdirTemp("", "f") // short: messages of tests that name it are cut
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	binary := filepath.Join(dir, "tests")
	if _, err := r.build(ctx, pkg, binary, dir, nil, "-cover", "-covermode=set", "-coverpkg="+covered); err != nil {
		return err
	}
	list, err := r.command(ctx, call{
		arguments: []string{binary, "-test.list=^(Test|Example|Fuzz)"}, dir: filepath.Join(r.root, pkg), scratch: dir, seconds: 60,
	})
	if err != nil {
		return err
	}
	if list.ending != "exit code 0" {
		return fmt.Errorf("its tests cannot be listed (%s): %s", list.ending, list.stderr)
	}
	var names []string
	for line := range strings.Lines(string(list.stdout)) {
		line = strings.TrimSpace(line)
		isKnown := slices.ContainsFunc(known, func(t testRow) bool { return t.pkg == pkg && t.name == line && !t.broken })
		if token.IsExported(line) && token.IsIdentifier(line) && !isKnown {
			names = append(names, line)
		}
	}
	err = r.each(len(names), func(i int) error {
		t := testRow{pkg: pkg, name: names[i]}
		profile, children := filepath.Join(dir, names[i]+".profile"), filepath.Join(dir, names[i]+".children")
		if err := os.Mkdir(children, 0o777); err != nil {
			return err
		}
		var output []byte
		for range 2 { // on a busy machine a test may fail once
			e, err := r.command(ctx, call{
				arguments: []string{binary, "-test.run=^" + t.name + "$", "-test.coverprofile=" + profile},
				dir:       filepath.Join(r.root, pkg), scratch: dir, seconds: 900, env: []string{"GOCOVERDIR=" + children},
			})
			if err != nil {
				return err
			}
			output = e.stdout
			if t.broken, t.seconds = e.ending != "exit code 0", e.seconds; !t.broken {
				break
			}
		}
		if !t.broken {
			text, err := os.ReadFile(profile)
			if err != nil {
				return err
			}
			more, err := r.childProfile(ctx, children)
			if err != nil {
				return err
			}
			t.executes = r.executed(append(text, more...), pkg)
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		if t.broken {
			fmt.Fprintf(os.Stderr, "%s %s fails without a fault and is left out:\n%s", pkg, t.name, output)
		}
		return errors.Join(os.RemoveAll(profile), os.RemoveAll(children), appendTo(name, testHeading, t.write()))
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "measured %d tests of %s\n", len(names), pkg)
	return appendTo(name, testHeading, testRow{pkg: pkg, name: done}.write())
}

// childProfile is the profile of the processes that a test started, if they are the test program again.
func (r *runner) childProfile(ctx context.Context, dir string) ([]byte, error) {
	if files, err := os.ReadDir(dir); err != nil || len(files) == 0 {
		return nil, err
	}
	profile := dir + ".profile"
	defer os.Remove(profile)
	_, err := process.Output(ctx, process.Options{Command: []string{"go", "tool", "covdata", "textfmt", "-i=" + dir, "-o=" + profile}, Dir: r.root})
	if err != nil {
		return nil, err
	}
	return os.ReadFile(profile)
}

// executed returns the faults in the executed blocks of a profile, and the faults of package pkg that are in no block:
// variables of a package have none.
func (r *runner) executed(profile []byte, pkg string) []string {
	places := map[string][]place{} // by file, as profiles name it
	for _, f := range r.faults {
		x := r.sites[f.id()]
		for _, at := range x.at {
			file := path.Join(r.path(f.pkg), filepath.Base(at.Filename))
			places[file] = append(places[file], place{f.id(), at.Line, at.Column})
		}
	}
	ran, inBlock := map[string]bool{}, map[string]bool{}
	for line := range bytes.Lines(profile) {
		block, count, _ := bytes.Cut(bytes.TrimSpace(line), []byte(" "))
		_, times, _ := bytes.Cut(count, []byte(" "))
		colon := bytes.LastIndexByte(block, ':')
		if colon < 0 {
			continue
		}
		var from, to place
		if _, err := fmt.Sscanf(string(block[colon+1:]), "%d.%d,%d.%d", &from.line, &from.column, &to.line, &to.column); err != nil {
			continue
		}
		for _, p := range places[string(block[:colon])] {
			if !p.before(from) && p.before(to) {
				inBlock[p.id] = true
				ran[p.id] = ran[p.id] || string(times) == "1"
			}
		}
	}
	for _, f := range r.faults {
		if f.pkg == pkg && len(r.sites[f.id()].at) > 0 && !inBlock[f.id()] {
			ran[f.id()] = true
		}
	}
	maps.DeleteFunc(ran, func(_ string, did bool) bool { return !did })
	return slices.Sorted(maps.Keys(ran))
}

type place struct {
	id           string
	line, column int
}

func (p place) before(q place) bool {
	return p.line < q.line || p.line == q.line && p.column < q.column
}
