package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"

	"popbench/internal/app"
	"popbench/internal/archive"
	"popbench/internal/limits"
	"popbench/internal/protocol/conform"
	"popbench/internal/words"
	"popbench/space"
)

var checkCommand = &command{
	name:  "check",
	args:  "COMMAND... | ARCHIVE | SUBMISSION",
	short: "check a program, an archive or a submission",
	long: `
Starts a program that serves an algorithm or a problem, in any language, and
checks that it keeps the rules of docs/protocol.md, so that a suite can run it
with name: external. For example:

  bench check python3 my_optimizer.py
  bench check --settings '{"explore": 0.1}' python3 my_optimizer.py
  bench check bench serve popbo

The first word that is not a flag begins the command; all words after it belong
to it. It runs in this folder, without a shell; bench is the running program.

The verdict of a check is ok; FAIL, with the request, the answer and what to do;
left out, if it needs something that the program does not do; or not declared,
if it is about an optional capability that the program does not have.

--replay sends the requests of an earlier --trace instead and shows the first
answer that differs: what a change of the program has changed. Numbers are
compared bit for bit. Texts of errors, version and provenance may differ.

A single word that is a .zip file is an archive of bench export. It has to be
complete and unmixed, with the right checksums, and its plan, if it has one,
older than its runs; --rerun 20 also runs 20 cells of it again, chosen at
random, and compares their steps. For cells of programs of others give the
command in the folder with the program and its suite.yaml:

  bench check --rerun 20 results/quick.zip

A folder is a submission to the field, of bench export --format submission. Its
archive is checked, what its author states, and whether the field can rank it.

Exit code: 0 if no check fails (with --replay: no answer differs), 1 otherwise,
2 if the program could not be started or --rerun gave no verdict, 130 if
interrupted.`,
	min: 1, max: -1,
	runs: true,
	setup: func(a *cli, flags *flag.FlagSet) action {
		f := checkFlags{cli: a, timeout: time.Minute}
		flags.Func("timeout", "allow `D` for each answer, for example 5s", func(text string) (err error) {
			f.timeout, err = limits.Timeout(text)
			return err
		})
		flags.Lookup("timeout").DefValue = f.timeout.String()
		flags.StringVar(&f.settings, "settings", "", "settings for the request start: `JSON`, or the name of a file with it")
		flags.StringVar(&f.box, "box", "", "the box, for a problem that does not describe its own: `JSON` such as '{\"lo\": [0], \"hi\": [1]}'")
		flags.StringVar(&f.trace, "trace", "", "write the conversations to `FILE`, one line of JSON for each message")
		flags.StringVar(&f.replay, "replay", "", "send the requests of the trace in `FILE`, and compare the answers")
		flags.StringVar(&f.junit, "junit", "", "also write the verdicts to `FILE`, as a JUnit report")
		limitedVar(flags, &f.rerun, "rerun", 0, 10000, "run `N` cells of an archive again")
		return f.run
	},
}

// checkedSteps is the number of queries in each cell of a check.
const checkedSteps = 8

type checkFlags struct {
	*cli
	timeout              time.Duration
	settings, box        string
	trace, replay, junit string
	rerun                int
}

func (f *checkFlags) run(ctx context.Context, command []string) error {
	submission := false
	if at, err := os.Stat(command[0]); err == nil {
		submission = at.IsDir()
	}
	if submission || filepath.Ext(command[0]) == archive.Ext {
		if f.settings+f.box+f.trace+f.replay != "" {
			return errors.New("check: --settings, --box, --trace and --replay are for a program; leave them out")
		}
		if len(command) > 1 {
			return fmt.Errorf("check: write one archive, and flags before it: bench check --rerun 20 %s", words.Quote(command[0]))
		}
		judged, why := f.rerun == 0, ""
		err := f.reportChecks(command, f.junit, func(tell func(conform.Result)) error {
			pick := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 0)) // others are chosen each time
			watch := func(r conform.Result) {
				if app.RunsAgain(r) {
					judged, why = judged || r.Verdict != conform.LeftOut, r.Note
				}
				tell(r)
			}
			if submission {
				return f.CheckSubmission(ctx, command[0], f.rerun, pick, watch)
			}
			return f.CheckArchive(ctx, command[0], f.rerun, pick, watch)
		})
		if err == nil && !judged {
			err = fmt.Errorf("check: --rerun %d gave no verdict: %s", f.rerun, why)
		}
		return err
	}
	o, err := f.options(command)
	if err != nil {
		return fmt.Errorf("check: %w", err)
	}
	if f.trace != "" {
		trace, err := os.Create(f.trace)
		if err != nil {
			return fmt.Errorf("check: --trace: %w", err)
		}
		defer trace.Close()
		o.Trace = trace
	}
	if f.replay != "" {
		return f.runReplay(ctx, o)
	}
	return f.reportChecks(command, f.junit, func(tell func(conform.Result)) error { return conform.Run(ctx, o, tell) })
}

func (f *checkFlags) runReplay(ctx context.Context, o conform.Options) error {
	trace, err := os.Open(f.replay)
	if err != nil {
		return fmt.Errorf("check: --replay: %w", err)
	}
	defer trace.Close()
	r, err := conform.Replay(ctx, o, trace)
	if err != nil {
		return fmt.Errorf("check: %s: %w", words.Quote(f.replay), err)
	}
	if err := r.Write(f.stdout); err != nil {
		return err
	}
	if r.Line > 0 {
		return app.Partly(fmt.Errorf("%s:%d: the answer differs", f.replay, r.Line))
	}
	return nil
}

func (f *checkFlags) options(command []string) (conform.Options, error) {
	o := conform.Options{Command: command, Self: f.Program, Timeout: f.timeout, Steps: checkedSteps}
	switch {
	case f.rerun > 0:
		return o, fmt.Errorf("--rerun is for an archive, whose name ends in %s", archive.Ext)
	case f.replay != "" && (f.junit != "" || f.settings != "" || f.box != ""):
		return o, errors.New("--replay sends what was recorded; leave out --settings, --box and --junit")
	case f.replay != "" && f.replay == f.trace:
		return o, errors.New("--replay and --trace name the same file; give another --trace")
	}
	if f.settings != "" {
		text := []byte(f.settings)
		if !strings.HasPrefix(strings.TrimSpace(f.settings), "{") {
			var err error
			if text, err = os.ReadFile(f.settings); err != nil {
				return o, fmt.Errorf("--settings: %w; give an object such as '{\"explore\": 0.1}', or a file that has one", err)
			}
		}
		var object map[string]any
		if err := json.Unmarshal(text, &object); err != nil {
			return o, fmt.Errorf("--settings is not a JSON object: %w", err)
		}
		var line bytes.Buffer
		_ = json.Compact(&line, text) // it is JSON
		o.Settings = line.Bytes()
	}
	if f.box != "" {
		o.Box = new(space.Box)
		d := json.NewDecoder(strings.NewReader(f.box))
		d.DisallowUnknownFields()
		if err := d.Decode(o.Box); err != nil {
			return o, fmt.Errorf("--box is not JSON such as '{\"lo\": [0], \"hi\": [1]}': %w", err)
		}
		if err := o.Box.Validate(); err != nil {
			return o, fmt.Errorf("--box: %w", err)
		}
	}
	return o, nil
}
