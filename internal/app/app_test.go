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
	"popbench/internal/benchtest"
	"popbench/internal/check"
	"popbench/internal/claims"
	"popbench/internal/words"
	"popbench/record"
)

func TestMain(m *testing.M) { benchtest.Main(m, nil) }

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
	check.Must((&App{Workers: 2}).Run(t.Context(), RunOptions{Suite: check.Temporary(t, "suite.yaml", text), Out: out}))(t)
}

// watched returns an application, and the events that it has told so far.
func watched() (*App, *[]Event) {
	var events []Event
	return &App{Self: "bench", Command: []string{"bench"}, Workers: 1, Tell: func(e Event) { events = append(events, e) }}, &events
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
	check.Error(t, "no paper", check.Err(new(App).Reproduce(t.Context(), ReproduceOptions{})), `--paper "" is unknown; give one of`)
	check.Error(t, "no suite", check.Err(new(App).Reproduce(t.Context(), ReproduceOptions{Paper: AllPapers, Only: "nope"})), `--only "nope" matches no suite`)
	for _, study := range claims.Studies() {
		var names []string
		for _, j := range check.Must(new(App).experiments(study, "out", ReproduceOptions{}))(t) {
			names = append(names, j.folder())
		}
		check.Equal(t, "suites of "+study.Name, len(names), len(configs.PaperNamed(study.Name)))
		if study.Name == claims.POPBO {
			check.Equal(t, "first suites", strings.Join(names[:3], " "), "paper-gp-1d paper-test-functions paper-gp-12d")
			check.Equal(t, "a suite without claims", slices.Index(names, "paper-coverage") > slices.Index(names, "paper-sweep-beta0"), true)
		}
	}
}

// What cells cost is known from earlier runs in the folder, by algorithm and problem.
func TestExpectedCost(t *testing.T) {
	a, events := watched()
	o := RunOptions{Suite: check.Temporary(t, "demo.yaml", demo), Out: filepath.Join(t.TempDir(), "out"), Only: "beale/*/001"}
	check.Must(a.Run(t.Context(), o))(t)
	check.Equal(t, "the last event", (*events)[len(*events)-1], Event(Ended{}))
	o.Only = ""
	check.OK(t, a.forecast([]job{check.Must(a.open(o))(t)}))
	var left []string
	for _, g := range of[Ahead](*events)[0].Suites[0].Groups {
		left = append(left, fmt.Sprint(g.Name, " ", g.Left, " of ", g.Steps, " steps, known: ", g.Seconds > 0))
	}
	check.Equal(t, "groups", strings.Join(left, "\n"), `beale/popbo 1 of 12 steps, known: true
beale/Random%20Search 1 of 12 steps, known: true
levy13/popbo 2 of 12 steps, known: false
levy13/Random%20Search 2 of 12 steps, known: false`)
}

// Old records do not stand beside those of a run with Force that was interrupted, and it continues without Force.
func TestInterruptedForce(t *testing.T) {
	o := RunOptions{Suite: check.Temporary(t, "demo.yaml", demo), Out: filepath.Join(t.TempDir(), "out")}
	check.Must(new(App).Run(t.Context(), o))(t)
	ctx, cancel := context.WithCancel(t.Context())
	a := &App{Workers: 1, Tell: func(e Event) {
		if _, done := e.(Done); done {
			cancel()
		}
	}}
	o.Force = true
	err := check.Err(a.Run(ctx, o))
	check.That(t, IsInterrupted(err) && strings.Contains(err.Error(), " of 8 cells; the same command without --force continues"), "%v", err)
	s := check.Must(a.Status(o.Out))(t)
	made := s.Runs[0].Complete
	check.That(t, !s.Complete && made < 8, "%+v", s.Runs[0])
	o.Force = false
	check.Equal(t, "kept", check.Must(a.Run(t.Context(), o))(t).Kept, made)
}

// The command that continues a folder is for what is missing there, whatever the last command chose and wherever it wrote.
func TestContinuingCommand(t *testing.T) {
	check.Sequential(t)
	t.Chdir(t.TempDir())
	check.OK(t, os.WriteFile("suite.yaml", []byte(demo), 0o666))
	a := &App{Self: "bench", Workers: 1}
	run := func(command string, o RunOptions) {
		a.Command, o.Suite = strings.Fields(command), "suite.yaml"
		check.Must(a.Run(t.Context(), o))(t)
	}
	run("bench run suite.yaml", RunOptions{Out: "whole", Seeds: Span{1, 3}})
	run("bench run suite.yaml --shard 1/3 --only=beale --seeds 3 --out part --force",
		RunOptions{Out: "part", Only: "beale", Seeds: Span{1, 3}, Shard: Shard{I: 1, N: 3}})
	run("bench run suite.yaml", RunOptions{Out: "new"})
	check.OK(t, os.RemoveAll("new/records"))
	random := "whole/records/levy13/Random%20Search/"
	for _, c := range []struct {
		last, folder string // what run.json says; the folder
		lost         []string
		want         string
	}{
		{"bench run suite.yaml --only levy13 --seeds 2 --force --quiet --timeout=9m", "whole", []string{random + "001.jsonl"},
			"bench run suite.yaml --out whole --seeds 3 --only levy13/Random%20Search --timeout 9m"},
		{"bench run suite.yaml -workers 2 -master-seed=3", "whole", []string{random + "002.jsonl", "whole/records/levy13/popbo/000.jsonl"},
			"bench run suite.yaml --out whole --seeds 3 --only levy13 --workers 2 --master-seed 3"},
		{"bench merge elsewhere", "whole", []string{random, "whole/records/beale/popbo"}, "bench run suite.yaml --out whole --seeds 3"},
		{"bench reproduce --quick --out elsewhere", "whole", nil, "bench reproduce --quick --out ."},
		{"bench reproduce --paper all", "whole", nil, "bench reproduce --paper all --out .."},
		{"bench run suite.yaml", "new", nil, "bench run suite.yaml --out new"}, // without records
		{"", "part", nil, "bench run suite.yaml --out part --shard 2/3 --only beale --seeds 3"},
	} {
		for _, path := range c.lost {
			check.OK(t, os.RemoveAll(path))
		}
		if c.last != "" {
			record := check.Must(record.ReadRun(c.folder))(t)
			record.Command = strings.Fields(c.last)
			check.OK(t, os.WriteFile(c.folder+"/run.json", words.Indented(record), 0o666))
		}
		check.Equal(t, c.last, check.Must(a.Status(c.folder))(t).Next[0], c.want)
	}
	a.Command = []string{"bench", "reproduce", "--quick"}
	check.Must(a.Run(t.Context(), RunOptions{Suite: "paper-confidence-set", Out: "study/paper-confidence-set", Seeds: Span{1, 1}}))(t)
	study := check.Must(a.Status("study"))(t) // interrupted before the next suite
	check.That(t, !study.Complete && study.Next[0] == "bench reproduce --quick --out study", "%+v", study)
	check.Equal(t, "one suite", check.Must(a.Status("study/paper-confidence-set"))(t).Complete, true)
	run("bench run", RunOptions{Out: "new"})
	check.Equal(t, "complete", check.Must(a.Status("new"))(t).Complete, true)
	check.OK(t, os.Remove("suite.yaml"))
	check.OK(t, os.Rename("part.shard-001-of-003", "other.shard-001-of-003"))
	check.Equal(t, "after renaming", check.Must(a.Status("other"))(t).Next[0],
		"bench run other.shard-001-of-003/suite.yaml --out other --shard 2/3 --only beale --seeds 3")
}

// The time to go counts all of a run, not only its steps.
func TestTook(t *testing.T) {
	timing := &record.Timing{Started: time.Now().Add(-time.Minute).UTC().Format(time.RFC3339Nano), AskSeconds: []float64{1}, TellSeconds: []float64{1}}
	s := took(timing)
	check.That(t, s >= 60 && s <= 3600, "a run that began a minute ago took %g s", s)
}

// All causes of failures stand in the error if that is asked for.
func TestAllCauses(t *testing.T) {
	var ran Ran
	for i := range 5 {
		ran.Failed = append(ran.Failed, record.Failure{Cell: record.CellID("beale", "popbo", i), Error: "no" + strings.Repeat("o", i)})
	}
	check.Equal(t, "lines", strings.Count(ran.Err(true).Error(), "\n")+1, 5)
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
