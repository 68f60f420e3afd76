package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"popbench/configs"
	"popbench/internal/check"
	"popbench/internal/claims"
	"popbench/internal/page/figure"
	"popbench/record"
	"popbench/suite"
)

func init() { figure.PixelsPerInch = 30 } // a hundredth of the pixels, which take most of a report's time

// demo is a suite of eight cells.
const demo = `
name: demo
seed: 3
steps: 12
repetitions: 2
problems: [beale, levy13]
algorithms: [popbo, {name: random, label: Random Search}]
`

// runs writes a suite and runs it.
func runs(t *testing.T, text, out string) {
	t.Helper()
	check.Must(new(App).Run(t.Context(), RunOptions{Suite: check.Temporary(t, "suite.yaml", text), Out: out, Workers: 2}))(t)
}

// watched returns an application, and the events that it has told so far.
func watched() (*App, *[]Event) {
	var events []Event
	return &App{Self: "bench", Command: []string{"bench"}, Tell: func(e Event) { events = append(events, e) }}, &events
}

// of returns the events of a type.
func of[E Event](events []Event) (some []E) {
	for _, e := range events {
		if e, ok := e.(E); ok {
			some = append(some, e)
		}
	}
	return some
}

// A run returns what it did and where, and tells its cells; run again, it keeps them.
func TestRunTellsWhatItDoes(t *testing.T) {
	a, events := watched()
	o := RunOptions{Suite: check.Temporary(t, "demo.yaml", demo), Out: filepath.Join(t.TempDir(), "out"), Workers: 2, Only: "*/Random*"}
	check.Equal(t, "cells that would run", len(check.Must(a.PlanRun(t.Context(), o))(t).Run), 4)
	check.That(t, check.Err(os.Stat(o.Out)) != nil, "a plan made the folder")
	ran := check.Must(a.Run(t.Context(), o))(t)
	check.Equal(t, "done and kept", [3]int{ran.Done, ran.Kept, len(ran.Failed)}, [3]int{4, 0, 0})
	check.Equal(t, "cells told", len(of[Done](*events)), 4)
	begun := of[Begun](*events)
	check.Equal(t, "begun", fmt.Sprint(len(begun), begun[0].Suite, begun[0].Folder, begun[0].Run), fmt.Sprint(1, "demo", o.Out, 4))
	check.Equal(t, "the last event", (*events)[len(*events)-1], Event(Ended{}))
	ran = check.Must(a.Run(t.Context(), o))(t)
	check.Equal(t, "again", ran.String(), "nothing to run: all 4 cells are complete")
}

// Interrupted at its end, a reproduction writes no index.
func TestInterruptedReproduction(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	dir := t.TempDir()
	check.Equal(t, "interrupted", IsInterrupted(check.Err(new(App).conclude(ctx, claims.LookupStudy(claims.POPBO), dir, nil))), true)
	check.That(t, check.Err(os.Stat(filepath.Join(dir, "index.html"))) != nil, "there is an index")
}

// The suites of the main text run first, in the order of the paper's sections, and all of them run.
func TestOrderOfReproducedSuites(t *testing.T) {
	for _, study := range claims.Studies() {
		x := check.Must(new(App).experimentsOf(study, "out", ReproduceOptions{}, new(suite.Fits)))(t)
		var names []string
		for _, e := range x.list {
			names = append(names, e.name)
		}
		if study.Name == claims.POPBO {
			check.Equal(t, "suites", len(names), len(configs.Paper()))
			check.Equal(t, "first suites", strings.Join(names[:3], " "), "paper-gp-1d paper-test-functions paper-gp-12d")
			check.Equal(t, "a suite without claims", slices.Index(names, "paper-coverage") > slices.Index(names, "paper-sweep-beta0"), true)
		} else {
			check.Equal(t, "suites of "+study.Name, len(names), len(configs.PaperNamed(study.Name)))
		}
	}
}

// What cells cost is known from earlier runs in the folder, by algorithm and problem.
func TestExpectedCost(t *testing.T) {
	a, events := watched()
	o := RunOptions{Suite: check.Temporary(t, "demo.yaml", demo), Out: filepath.Join(t.TempDir(), "out"), Workers: 2, Only: "beale/*/001"}
	check.Must(a.Run(t.Context(), o))(t)
	o.Only = ""
	check.OK(t, a.forecast(2, []job{check.Must(a.open(o))(t)}))
	var left []string
	for _, g := range of[Ahead](*events)[0].Suites[0].Groups {
		left = append(left, fmt.Sprint(g.Name, " ", g.Left, " of ", g.Steps, " steps, known: ", g.Seconds > 0))
	}
	check.Equal(t, "groups", strings.Join(left, "\n"), `beale/popbo 1 of 12 steps, known: true
beale/Random%20Search 1 of 12 steps, known: true
levy13/popbo 2 of 12 steps, known: false
levy13/Random%20Search 2 of 12 steps, known: false`)
}

// The command that runs a part again has the shard of the part, whatever else is called shard.
func TestCommandOfAPart(t *testing.T) {
	a := &App{Self: "bench"}
	part := &PartStatus{Part: "2/3"}
	for _, command := range []string{"bench run shard --shard 1/3 --out x", "bench run shard --shard=1/3 --out x"} {
		run := &record.Run{Command: strings.Fields(command)}
		check.Equal(t, command, a.again(run, part), "bench run shard --out x --shard 2/3")
		check.Equal(t, command+", all", a.again(run, nil), command)
	}
}

// The time to go counts all of a run, not only its steps.
func TestTook(t *testing.T) {
	timing := &record.Timing{Started: time.Now().Add(-time.Minute).UTC().Format(time.RFC3339Nano), AskSeconds: []float64{1}, TellSeconds: []float64{1}}
	s := took(timing)
	check.That(t, s >= 60 && s <= 3600, "a run that began a minute ago took %g s", s)
}

// Each cause of failures has a line of the error, up to a number, and all of them if that is asked for.
func TestFailuresByCause(t *testing.T) {
	ran := Ran{Out: "here"}
	for i := range 40 {
		why := fmt.Sprintf("after step %d: no", i)
		if i%2 == 1 {
			why = "panic in " + strings.Repeat("x", i)
		}
		ran.Failed = append(ran.Failed, record.Failure{Cell: record.CellID("beale", "popbo", i), Error: why})
	}
	err := ran.Err(false)
	e, ok := errors.AsType[*Error](err)
	check.Equal(t, "kind", ok && e.Kind == Partly, true)
	lines := strings.Split(err.Error(), "\n")
	check.Equal(t, "lines", len(lines), shownCauses+1)
	check.Equal(t, "first line", lines[0], "20 cells failed, beale/popbo (000, 002, 004 and 17 more): after step 0: no")
	check.Equal(t, "second line", lines[1], "1 cell failed, beale/popbo/001: panic in x")
	check.Contains(t, "last line", lines[shownCauses], "18 more causes; the last line of each file in "+filepath.Join("here", "records"))
	check.Equal(t, "lines of all", strings.Count(ran.Err(true).Error(), "\n")+1, 21)
	check.Equal(t, "no failures", (&Ran{}).Err(false), error(nil))
}

// Until does not wait for work that takes long.
func TestUntil(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	begun, forever := make(chan struct{}), make(chan struct{})
	defer close(forever)
	go func() { <-begun; cancel() }()
	v, err := Until(ctx, func() (int, error) { close(begun); <-forever; return 1, nil }, "so it is")
	check.That(t, v == 0 && IsInterrupted(err) && err.Error() == "interrupted; so it is", "%d, %v", v, err)
	for _, want := range []error{nil, errors.New("plain")} {
		v, err := Until(t.Context(), func() (int, error) { return 2, want }, "")
		check.That(t, v == 2 && err == want, "%d, %v", v, err)
	}
	canceled := fmt.Errorf("drawing: %w", context.Canceled)
	_, err = Until(t.Context(), func() (int, error) { return 2, canceled }, "x")
	check.That(t, IsInterrupted(err), "%v", err)
}
