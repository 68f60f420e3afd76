package bench

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"popbench/algorithms"
	"popbench/internal/app"
	"popbench/internal/check"
	"popbench/internal/console"
	"popbench/internal/harness/serve"
	"popbench/suite"
)

// ownExperiments has a small experiment for each algorithm that does not do everything in twelve steps
// with its defaults: initial duels, fits, growing bounds.
var ownExperiments = map[string]string{
	"popbo":      `"settings": {"adapt_norm_bound": true, "norm_bound": 0.5, "restarts": 4, "fit_lengthscale": "isotropic"}, "pilot": [{"points": [[18, 0], [24, 1]], "winner": 1}, {"points": [[24, 1], [30, 0]], "winner": 0}]`,
	"qeubo":      `"settings": {"initial_duels": 3, "restarts": 2}`,
	"sgp":        `"settings": {"initial_duels": 3, "fit": {"refit_every": 4}}`,
	"dts":        `"settings": {"initial_duels": 3, "candidates": 64, "landmarks": 32}`,
	"gpucb":      `"settings": {"restarts": 2}, "seed": 7`,
	"maxminlcb":  `"settings": {"preset": "paper", "beta": {"factor": 2}}`,
	"mrlpf":      `"settings": {"preset": "pfts"}, "steps": 40`,
	"pfts":       `"settings": {"preset": "authors-code", "scale": "theory"}`,
	"challenger": `"settings": {"initial_duels": 3, "rule": "thompson", "candidates": 16, "restarts": 2}`,
	"exactkg":    `"settings": {"initial_duels": 3, "candidates": 16, "restarts": 2}`,
	"ginop":      `"settings": {"norm_bound": 2}`,
	"random":     `"settings": {"opponent": "incumbent"}, "start": [20, 0.5]`,
}

// play answers a query by a noisy function whose maximum is in the box.
func play(q algorithms.Query, t int, values bool) algorithms.Comparison {
	f := func(i int, x []float64) float64 {
		return -math.Abs(x[0]-25)/6 - (x[1]-0.4)*(x[1]-0.4) + 0.3*math.Sin(float64(7*t+i))
	}
	c := algorithms.Comparison{Points: q.Points}
	for i, x := range q.Points {
		if f(i, x) > f(c.Winner, q.Points[c.Winner]) {
			c.Winner = i
		}
		if values && i >= len(q.Points)-q.New {
			c.Values = append(c.Values, f(i, x))
		}
	}
	if values {
		c.Winner = 0
	}
	return c
}

func experimentJSON(algorithm, rest string, comparisons []algorithms.Comparison) string {
	list, err := json.Marshal(append([]algorithms.Comparison{}, comparisons...))
	if err != nil {
		panic(err)
	}
	return fmt.Sprintf(`{"algorithm": %q, "box": {"lo": [18, 0], "hi": [30, 1]}, %s, "comparisons": %s}`, algorithm, rest, list)
}

// Three ways give the same suggestions, byte for byte, at every step: without a state, with a
// state, and with an algorithm that stays in memory.
func TestSuggestThreeWays(t *testing.T) {
	check.Sequential(t)
	for _, name := range (suite.Catalogue{}).Algorithms() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			own := cmp.Or(ownExperiments[name], `"seed": 3`)
			e := check.Must(serve.ReadExperiment(suite.Catalogue{}, name, []byte(experimentJSON(name, own, nil))))(t)
			alg := check.Must(suite.Catalogue{}.Restore(name, e.State, e.Settings))(t)
			_, values := alg.(algorithms.ValueLearner)
			state := filepath.Join(t.TempDir(), "state")
			var comparisons []algorithms.Comparison
			for step := range check.Few(8, 14) {
				var plain bytes.Buffer
				s := check.Must(serve.Suggest(name, alg, step))(t)
				check.OK(t, writeJSON(&plain, s))
				file := writeFile(t, "experiment.json", experimentJSON(name, own, comparisons))
				if step%3 != 1 { // it learns from all comparisons
				} else if got := succeed(t, "suggest", file); got != plain.String() {
					t.Fatalf("step %d: without a state\n%s\nuninterrupted\n%s", step, got, plain.String())
				}
				if step%5 != 2 { // so that a call finds two new comparisons
					got, stderr, err := bench(t, "suggest", "--state", state, file)
					if err != nil || stderr != "" || got != plain.String() {
						t.Fatalf("step %d: with a state (%v, %s)\n%s\nuninterrupted\n%s", step, err, stderr, got, plain.String())
					}
				}
				q := check.Must(alg.Ask())(t)
				c := play(q, step, values)
				check.OK(t, learn(alg, c, q.New))
				comparisons = append(comparisons, c)
			}
		})
	}
}

// A state of another experiment is replaced, with a note. A file that is not a state is not
// overwritten.
func TestSuggestStateMismatch(t *testing.T) {
	good := experimentJSON("random", ownExperiments["random"], []algorithms.Comparison{{Points: [][]float64{{20, 0.5}, {21, 0.6}}, Winner: 1}})
	saved := func(t *testing.T) string {
		t.Helper()
		path := filepath.Join(t.TempDir(), "state")
		succeed(t, "suggest", "--state", path, writeFile(t, "good.json", good))
		return path
	}
	for part, text := range map[string]string{
		"it is of the algorithm":  strings.Replace(spoil(good, `"settings": {"opponent": "incumbent"}, `, ""), "random", "sgp", 1),
		"the settings changed":    strings.Replace(good, "incumbent", "last", 1),
		"the box changed":         strings.Replace(good, "30", "31", 1),
		"the start changed":       strings.Replace(good, "[20, 0.5]", "[20, 0.6]", 1),
		"the seed changed":        strings.Replace(good, `"start"`, `"seed": 3, "start"`, 1),
		"the known changed":       strings.Replace(good, `"start"`, `"known": {"kernel": {"family": "se-half", "variance": 1, "lengthscale": [1]}}, "start"`, 1),
		"the pilot changed":       strings.Replace(good, `"start"`, `"pilot": [{"points": [[18, 0], [24, 1]], "winner": 1}], "start"`, 1),
		"its comparisons differ":  strings.Replace(good, `"winner":1`, `"winner":0`, 1),
		"it has more comparisons": experimentJSON("random", ownExperiments["random"], nil),
	} {
		t.Run(part, func(t *testing.T) {
			path := saved(t)
			file := writeFile(t, "other.json", text)
			want := succeed(t, "suggest", file)
			got, stderr, err := bench(t, "suggest", "--state", path, file)
			check.Equal(t, "error", err, nil)
			check.Equal(t, "suggestion", got, want)
			check.Equal(t, "lines of stderr", strings.Count(stderr, "\n"), 1)
			check.Contains(t, "stderr", stderr, "note: ", part)
			if again, stderr, err := bench(t, "suggest", "--state", path, file); err != nil || again != want || stderr != "" {
				t.Errorf("%s, the second time: %v, %s", part, err, stderr)
			}
		})
	}

	text := readFile(t, saved(t))
	for _, bad := range []string{"", "{}", "[]", "x", good, strings.Replace(text, "learnt", "learned", 1), strings.Replace(text, `"box":{`, `"box":3,"was":{`, 1), text[:len(text)/2]} {
		t.Run(fmt.Sprintf("%.30q", bad), func(t *testing.T) {
			path := writeFile(t, "state", bad)
			_, _, err := bench(t, "suggest", "--state", path, writeFile(t, "good.json", good))
			if code := console.ExitCode(err); code != console.ExitRefused {
				t.Fatalf("%q: exit code %d, %v", bad, code, err)
			}
			check.Equal(t, "the file afterwards", readFile(t, path), bad)
			check.Contains(t, "the error", console.Message(err), "it is not a state of an algorithm, or damaged; delete it")
			check.Lacks(t, "the error", console.Message(err), "Go struct")
		})
	}
	dir := t.TempDir()
	for _, path := range []string{"-", dir, os.DevNull, filepath.Join(dir, "missing", "state"), filepath.Join(writeFile(t, "state", text), "x")} {
		_, _, err := bench(t, "suggest", "--state", path, writeFile(t, "good.json", good))
		if console.ExitCode(err) != console.ExitRefused || !strings.Contains(console.Message(err), "--state "+path+": ") {
			t.Errorf("%s: %v", path, err)
		}
	}
	// A later version may have other keys.
	path := writeFile(t, "state", strings.Replace(strings.Replace(text, "learnt", "learned", 1), `"program":"`, `"program":"later `, 1))
	if _, stderr, err := bench(t, "suggest", "--state", path, writeFile(t, "good.json", good)); err != nil || !strings.Contains(stderr, "another version wrote it") {
		t.Errorf("%v, %s", err, stderr)
	}
	// If only what the algorithm remembers is damaged, the state is computed again.
	for _, damage := range []string{`"learnt":7`, `"learnt":1,"memory":{"x":1}`} {
		path := writeFile(t, "state", strings.Replace(text, `"learnt":1`, damage, 1))
		got, stderr, err := bench(t, "suggest", "--state", path, writeFile(t, "good.json", good))
		if want := succeed(t, "suggest", writeFile(t, "good.json", good)); err != nil || got != want || damage == `"learnt":7` && !strings.Contains(stderr, "cannot be restored") {
			t.Errorf("%s: %v, %s", damage, err, stderr)
		}
	}
}

// A query that was computed for other arms, or for another number of steps, is not asked.
func TestSuggestStateOfOtherArms(t *testing.T) {
	const few = `{"algorithm": "random", "arms": [[1], [2], [3]]}`
	for part, other := range map[string]string{
		"the arms changed":  `{"algorithm": "random", "arms": [[1], [2], [3], [4], [5], [6], [7], [8], [9]]}`,
		"the steps changed": spoil(few, `"arms"`, `"steps": 9, "arms"`),
	} {
		state, file := filepath.Join(t.TempDir(), "state"), writeFile(t, "other.json", other)
		succeed(t, "suggest", "--state", state, writeFile(t, "few.json", few))
		got, stderr, err := bench(t, "suggest", "--state", state, file)
		check.Equal(t, part+": error", err, nil)
		check.Contains(t, "stderr", stderr, part)
		check.Equal(t, part+": suggestion", got, succeed(t, "suggest", file))
	}
}

// Concurrent calls leave a complete state and no other file.
func TestSuggestStateConcurrent(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "state")
	file := writeFile(t, "experiment.json", experimentJSON("random", ownExperiments["random"], nil))
	want := succeed(t, "suggest", file)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 5 {
				if got, stderr, err := bench(t, "suggest", "--state", path, file); err != nil || got != want || stderr != "" {
					t.Errorf("%v, %s", err, stderr)
				}
			}
		})
	}
	wg.Wait()
	if files, err := os.ReadDir(dir); err != nil || len(files) != 1 {
		t.Errorf("the folder has %v (%v)", files, err)
	}
}

// blocked cancels at a write, which lasts until it is released.
type blocked struct {
	cancel  func()
	release chan struct{}
}

func (w blocked) Write(p []byte) (int, error) {
	w.cancel()
	<-w.release
	return len(p), nil
}

// After an interrupt neither the state nor any other file is written.
func TestSuggestInterrupted(t *testing.T) {
	if !suggestCommand.stops {
		t.Error("an interrupt abandons the writing of the state")
	}
	path := filepath.Join(t.TempDir(), "state")
	text := experimentJSON("random", ownExperiments["random"], nil)
	succeed(t, "suggest", "--state", path, writeFile(t, "experiment.json", text))
	before := readFile(t, path)
	ctx, cancel := context.WithCancel(t.Context())
	var out strings.Builder
	// The interrupt comes with the note that the state is of another experiment.
	note := blocked{cancel, make(chan struct{})}
	err := plain().run(ctx, &out, note, []string{"suggest", "--state", path, writeFile(t, "other.json", spoil(text, "30", "31"))})
	if !app.IsInterrupted(err) || out.Len() > 0 {
		t.Errorf("%v, stdout %q", err, out.String())
	}
	close(note.release)
	time.Sleep(50 * time.Millisecond) // what was abandoned goes on to compute
	if after := readFile(t, path); after != before {
		t.Errorf("the state was\n%s\nand is\n%s", before, after)
	}
	if files, err := os.ReadDir(filepath.Dir(path)); err != nil || len(files) != 1 {
		t.Errorf("the folder has %v (%v)", files, err)
	}
}

// The example in the help works, and the help lists all keys of an experiment.
func TestSuggestHelp(t *testing.T) {
	help := succeed(t, "help", "suggest")
	if !strings.Contains(help, indent(suggestExample, 2)) {
		t.Error("the help has no example")
	}
	var s serve.Suggestion
	out := succeed(t, "suggest", writeFile(t, "tea.json", suggestExample), "--state", filepath.Join(t.TempDir(), "tea.state"))
	if err := json.Unmarshal([]byte(out), &s); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	check.Equal(t, "algorithm", s.Algorithm, "qeubo")
	check.Equal(t, "points to compare", len(s.Compare), 2)
	if s.Recommended.Belief == nil {
		t.Errorf("no belief about the recommended point:\n%s", out)
	}
	written := map[string]bool{"stream": true, "learnt": true, "metrics": true, "pending": true, "memory": true, "fits": true}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[serve.Experiment]()) {
		key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if key != "" && !written[key] && !strings.Contains(help, "\n  "+key+" ") {
			t.Errorf("the help does not say what %q is", key)
		}
	}
}

func learn(alg algorithms.Algorithm, c algorithms.Comparison, proposed int) error {
	q := algorithms.Query{Points: c.Points, New: proposed}
	if v, ok := alg.(algorithms.ValueLearner); ok {
		return v.TellValues(q, c.Values)
	}
	return alg.Tell(q, c.Winner)
}
