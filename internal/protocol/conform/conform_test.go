package conform

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"popbench/internal/check"
	"popbench/internal/protocol/wire"
	"popbench/space"
)

// options are those for a program of this test.
func options(fault string) Options {
	return Options{Command: []string{os.Args[0], "program", fault}, Timeout: time.Minute, Steps: 4}
}

// verdicts runs the checks.
func verdicts(t *testing.T, o Options) (all []Result) {
	t.Helper()
	check.OK(t, Run(t.Context(), o, func(r Result) { all = append(all, r) }))
	return all
}

// failed are the names of the checks that say FAIL, and the first of them.
func failed(all []Result) (names []string, first Result) {
	for _, r := range slices.Backward(all) {
		if r.Verdict == Failed {
			names, first = append(names, r.Check), r
		}
	}
	return names, first
}

// Programs that keep all rules pass, whatever they leave out; a note says so. A process is used for many cells, whether it
// refuses them or not.
func TestGoodPrograms(t *testing.T) {
	t.Parallel()
	for fault, note := range map[string]string{
		"good":            "4 starts",
		"plain":           "",
		"values":          "",
		"ties":            "",
		"undefined":       "every cell is undefined: not implemented\n2 starts",
		"not in 5-D":      "not five dimensions (not implemented)",
		"pilot only":      "with a pilot only",
		"start again":     "",
		"declared random": "it declares deterministic: false",
		"takes anything":  "it accepts tell without params, a text for points, a point of another dimension, a point outside the box and a winner that is not a point, which bench never sends",
		"unmarked state":  "its state has no key name or version",
		"good problem":    "optimum 3",
		"smallest":        "it is the smallest value: a suite has to say minimize: true",
		"unknown optimum": "optimum unknown",
		"settings":        "",
	} {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			o := options(fault)
			if fault == "settings" {
				o.Settings = json.RawMessage(`{"a":1}`)
			}
			all := verdicts(t, o)
			names, first := failed(all)
			check.That(t, names == nil, "%q fail, first %+v", names, first)
			for part := range strings.SplitSeq(note, "\n") {
				check.That(t, slices.ContainsFunc(all, func(r Result) bool { return strings.Contains(r.Note, part) }), "no note %q in %+v", part, all)
			}
		})
	}
}

// Every check is seen to fail, and says why.
func TestEveryFaultIsFound(t *testing.T) {
	t.Parallel()
	found := map[string]bool{}
	also := map[string]string{ // checks that fail only after others have
		"own queries only": "learns from any query", "late refusal of values": "values", "prints": "writes answers only",
	}
	for _, c := range []struct{ fault, check, why string }{
		{"banner", "starts and answers initialize", "'Welcome'"},
		{"other kind", "starts and answers initialize", `kind is "optimizer"; give "algorithm" or "problem"`},
		{"leaves at once", "starts and answers initialize", "initialize: exit code 3"},
		{"never starts", "answers start, ask, tell and recommend", "start: KeyError: these params"},
		{"rounds", "keeps 17 digits", "read and write numbers"},
		{"rounds to 4 places", "keeps 17 digits", " came back as "},
		{"leaves the box", "queries and recommends in the box", "on a line: Ask of step 1: ask: points[1][0] = 8 is outside the box [-2, 3]"},
		{"crash", "answers start, ask, tell and recommend", "on a line: ask: exit code 3"},
		{"ask draws", "ask and recommend change nothing", "on a line: asked twice in step 1: Ask returns different results"},
		{"recommend counts", "ask and recommend change nothing", "asked twice in step 1: Recommend returns different results"},
		{"own queries only", "keeps 17 digits", "tell: not mine"},
		{"late crash", "keeps 17 digits", "tell: exit code 8"},
		{"clock", "same seed, same queries", "the same cell in another process, after 0 steps: Ask returns different results"},
		{"remembers", "same seed, same queries", "the same cell after another one in the same process, after 0 steps: Ask returns different results"},
		{"no pilot", "accepts pilot and known", "with a pilot: start: KeyError"},
		{"no kernel", "accepts pilot and known", "with a known kernel: start: KeyError"},
		{"own keys only", "ignores unknown keys", "start: KeyError"},
		{"half learnt", "refused calls change nothing", "tell without params: it was refused, but changed something: Ask returns different results"},
		{"dies of bad params", "refused calls change nothing", "tell without params: tell: exit code 4"},
		{"values refused", "answers start, ask, tell and recommend", "tell: winner is missing"},
		{"ties refused", "queries and recommends in the box", "tell: winner is missing"},
		{"late refusal of values", "keeps 17 digits", "tell: no more values"},
		{"belief learns", "belief", "belief changed something"},
		{"belief short", "belief", "estimate, lower and upper have 3, 3 and 0 numbers for 3 points"},
		{"state counts", "state and restore", "state changed something"},
		{"state forgets", "state and restore", "restored in another process, after 0 further steps"},
		{"restores anything", "state and restore", "it restores the state of another name"},
		{"restore crashes", "state and restore", "restore: exit code 5"},
		{"wrong code", "answers errors with their codes", "it answers an unknown method with error -32000: what is no_such_method?"},
		{"answers anything", "answers errors with their codes", "it answers an unknown method with a result"},
		{"dated", "is the same at every start", `provenance was {"process":`},
		{"prints", "answers start, ask, tell and recommend", "'Iteration 0'; print to standard error"},
		{"goodbye", "ends with shutdown and with its input", "after shutdown it writes to standard output: Bye"},
		{"stays", "ends with shutdown and with its input", "it still runs 2s after shutdown"},
		{"child", "ends with shutdown and with its input", "after shutdown it has ended, but a program that it started goes on"},
		{"no box", "describes itself", "there is no box"},
		{"bad box", "describes itself", "box: it is empty"},
		{"no values", "has a value everywhere in the box", "at [-1 0]: evaluate: ValueError"},
		{"counts", "a value depends on x alone", "again, in another order"},
		{"of its process", "a value depends on x alone", "in another process"},
		{"optimum too low", "the optimum is correct", "above the optimum 2.5, and others are below"},
		{"optimum elsewhere", "the optimum is correct", "the value at optimum_x[1] = [1 0] is 2, and optimum is 3"},
		{"dies outside", "survives points outside the box", "at [5 1]: evaluate: exit code 7"},
		{"dies of a text", "refused calls change nothing", "a text for x: evaluate: exit code 6"},
		{"broken by a text", "refused calls change nothing", "after a text for x the value at [-1 0] is"},
	} {
		found[c.check], found[also[c.fault]] = true, true
		t.Run(c.fault, func(t *testing.T) {
			t.Parallel()
			var first, last Result
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			err := Run(ctx, options(c.fault), func(r Result) {
				if r.Verdict != Failed {
					return
				}
				if last = r; first.Check == "" {
					first = r
				}
				if also[c.fault] == "" || also[c.fault] == r.Check {
					cancel()
				}
			})
			check.That(t, err == nil || err == context.Canceled, "error %v", err)
			check.Equal(t, "the last failure", last.Check, cmp.Or(also[c.fault], c.check))
			check.Equal(t, "the first failure", first.Check, c.check)
			check.Contains(t, "note and remedy", first.Note+"; "+first.Remedy, c.why)
			check.That(t, first.Remedy != "" && first.Sent != "", "%+v", first)
			check.That(t, last.Check != "writes answers only" || last.Got == first.Got, "%+v is shown for %+v", last, first)
			// The answer that is shown is the one of which the note speaks, or that of the call that changed something.
			if why, differs, ok := strings.Cut(first.Note, "Ask returns different results: "); ok && !strings.Contains(why, "changed something") {
				_, second, _ := strings.Cut(differs, "; new 1 of ")
				var got struct{ Result wire.Query }
				check.OK(t, json.Unmarshal([]byte(first.Got), &got))
				check.Equal(t, "what is shown", fmt.Sprint(got.Result.Points), second)
			}
		})
	}
	for _, c := range slices.Concat([]property{initialize}, ofAlgorithms, ofProblems, ofBoth) {
		check.That(t, found[c.name], "%q is not seen to fail", c.name)
	}
}

// A program that does not answer is left after the timeout, and one that is interrupted at once.
func TestNoAnswer(t *testing.T) {
	t.Parallel()
	o := options("mute")
	o.Timeout = 50 * time.Millisecond
	names, first := failed(verdicts(t, o))
	check.Same(t, "failures", names, []string{initialize.name})
	check.Contains(t, "note", first.Note, "initialize: no answer within 50ms")
	check.Contains(t, "remedy", first.Remedy, "wait for no line after the request")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	check.Equal(t, "interrupted", Run(ctx, options("mute"), func(r Result) { t.Errorf("%+v", r) }), context.Canceled)
}

// A box stands for one that a problem does not describe. A program that is not there cannot be checked.
func TestOptions(t *testing.T) {
	t.Parallel()
	o := options("no box")
	_, first := failed(verdicts(t, o))
	check.Contains(t, "the remedy without a box", first.Remedy, "--box")
	o.Box = &space.Box{Lo: []float64{-1, 0}, Hi: []float64{2, 1}}
	names, first := failed(verdicts(t, o))
	check.That(t, names == nil, "%+v", first)
	o.Command = []string{"./no-such-program"}
	err := Run(t.Context(), o, func(r Result) { t.Errorf("%+v", r) })
	check.Error(t, "error", err, "./no-such-program: there is no such program in ")
}
