package bench

import (
	"bytes"
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
	"popbench/internal/protocol/serve"
	"popbench/suite"
)

// experiments are small, with what states can have: pilots and fits, initial duels, values, ties, a start. Tests of each
// method restore it.
var experiments = map[string]string{
	"popbo":     `"settings": {"adapt_norm_bound": true, "norm_bound": 0.5, "restarts": 4, "fit_lengthscale": "isotropic"}, "pilot": [{"points": [[18, 0], [24, 1]], "winner": 1}, {"points": [[24, 1], [30, 0]], "winner": 0}]`,
	"sgp":       `"settings": {"initial_duels": 3, "fit": {"refit_every": 4}}`,
	"gpucb":     `"settings": {"restarts": 2}, "seed": 7`,
	"maxminlcb": `"settings": {"preset": "paper", "beta": {"factor": 2}}`,
	"random":    `"settings": {"opponent": "incumbent"}, "start": [20, 0.5]`,
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
	list, _ := json.Marshal(append([]algorithms.Comparison{}, comparisons...))
	return fmt.Sprintf(`{"algorithm": %q, "box": {"lo": [18, 0], "hi": [30, 1]}, %s, "comparisons": %s}`, algorithm, rest, list)
}

// Three ways give the same suggestions, byte for byte, at every step: without a state, with a
// state, and with an algorithm that stays in memory.
func TestSuggestThreeWays(t *testing.T) {
	check.Sequential(t)
	for name, own := range experiments {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := check.Must(serve.ReadExperiment(suite.Catalogue{}, name, []byte(experimentJSON(name, own, nil))))(t)
			alg := check.Must(suite.Catalogue{}.Restore(name, e.State, e.Settings))(t)
			_, values := alg.(algorithms.ValueLearner)
			state := filepath.Join(t.TempDir(), "state")
			var comparisons []algorithms.Comparison
			for step := range check.Few(6, 14) {
				var plain bytes.Buffer
				check.OK(t, writeJSON(&plain, check.Must(serve.Suggest(name, alg, step))(t)))
				file := check.Temporary(t, "experiment.json", experimentJSON(name, own, comparisons))
				if step%3 == 1 { // it learns from all comparisons
					check.Equal(t, "without a state", succeed(t, "suggest", file), plain.String())
				}
				if step%5 != 2 { // so that a call finds two new comparisons
					check.Equal(t, "with a state", succeed(t, "suggest", "--state", state, file), plain.String())
				}
				q := check.Must(alg.Ask())(t)
				c := play(q, step, values)
				check.OK(t, learn(alg, c, q.New))
				comparisons = append(comparisons, c)
			}
		})
	}
}

// A state of another experiment is replaced, with a note: a query that was computed for other arms, say, is not asked.
func TestSuggestStateMismatch(t *testing.T) {
	good := experimentJSON("random", experiments["random"], []algorithms.Comparison{{Points: [][]float64{{20, 0.5}, {21, 0.6}}, Winner: 1}})
	const arms = `{"algorithm": "random", "arms": [[1], [2], [3]]}`
	for part, c := range map[string]struct{ was, is string }{
		"it is of the algorithm":  {good, strings.Replace(spoil(good, `"settings": {"opponent": "incumbent"}, `, ""), "random", "sgp", 1)},
		"the settings changed":    {good, spoil(good, "incumbent", "last")},
		"the box changed":         {good, spoil(good, "30", "31")},
		"the start changed":       {good, spoil(good, "[20, 0.5]", "[20, 0.6]")},
		"the seed changed":        {good, spoil(good, `"start"`, `"seed": 3, "start"`)},
		"the known changed":       {good, spoil(good, `"start"`, `"known": {"kernel": {"family": "se-half", "variance": 1, "lengthscale": [1]}}, "start"`)},
		"the pilot changed":       {good, spoil(good, `"start"`, `"pilot": [{"points": [[18, 0], [24, 1]], "winner": 1}], "start"`)},
		"its comparisons differ":  {good, spoil(good, `"winner":1`, `"winner":0`)},
		"it has more comparisons": {good, experimentJSON("random", experiments["random"], nil)},
		"the arms changed":        {arms, spoil(arms, "[3]]", "[3], [4], [5], [6], [7], [8], [9]]")},
		"the steps changed":       {arms, spoil(arms, `"arms"`, `"steps": 9, "arms"`)},
	} {
		path, file := filepath.Join(t.TempDir(), "state"), check.Temporary(t, "other.json", c.is)
		succeed(t, "suggest", "--state", path, check.Temporary(t, "was.json", c.was))
		want := succeed(t, "suggest", file)
		got, stderr, err := bench(t, "suggest", "--state", path, file)
		check.OK(t, err)
		check.Equal(t, part+": suggestion", got, want)
		check.Contains(t, "the only line", strings.Replace(stderr, "\n", "", 1), "note: ", part)
		check.Equal(t, part+": the second time", succeed(t, "suggest", "--state", path, file), want)
	}
}

// A file that is not a state is not overwritten. If only what the algorithm remembers is damaged, or a later version wrote
// it, the state is computed again.
func TestSuggestStateDamaged(t *testing.T) {
	good := experimentJSON("random", experiments["random"], []algorithms.Comparison{{Points: [][]float64{{20, 0.5}, {21, 0.6}}, Winner: 1}})
	file, state := check.Temporary(t, "good.json", good), filepath.Join(t.TempDir(), "state")
	want := succeed(t, "suggest", "--state", state, file)
	text := check.Text(t, state)
	for _, bad := range []string{"", "{}", "[]", "x", good, spoil(text, "learnt", "learned"), spoil(text, `"box":{`, `"box":3,"was":{`), text[:len(text)/2]} {
		path := check.Temporary(t, "state", bad)
		stdout, _, err := bench(t, "suggest", "--state", path, file)
		refused(t, stdout, err, "it is not a state of an algorithm, or damaged; delete it")
		check.Equal(t, "the file afterwards", check.Text(t, path), bad)
		check.Lacks(t, "the error", err.Error(), "Go struct")
	}
	dir := t.TempDir()
	for _, path := range []string{"-", dir, os.DevNull, filepath.Join(dir, "missing", "state"), filepath.Join(state, "x")} {
		stdout, _, err := bench(t, "suggest", "--state", path, file)
		refused(t, stdout, err, "--state "+path+": ")
	}
	later := strings.NewReplacer("learnt", "learned", `"program":"`, `"program":"later `).Replace(text)
	for damaged, note := range map[string]string{
		later: "another version wrote it", spoil(text, `"learnt":1`, `"learnt":7`): "cannot be restored", spoil(text, `"learnt":1`, `"learnt":1,"memory":{"x":1}`): "",
	} {
		got, stderr, err := bench(t, "suggest", "--state", check.Temporary(t, "state", damaged), file)
		check.Equal(t, "error", err, nil)
		check.Equal(t, "suggestion", got, want)
		check.Contains(t, "stderr", stderr, note)
	}
}

// Concurrent calls leave a complete state and no other file.
func TestSuggestStateConcurrent(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "state")
	file := check.Temporary(t, "experiment.json", experimentJSON("random", experiments["random"], nil))
	want := succeed(t, "suggest", file)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 5 {
				got, stderr, err := bench(t, "suggest", "--state", path, file)
				check.That(t, err == nil && got == want && stderr == "", "%v, %s", err, stderr)
			}
		})
	}
	wg.Wait()
	check.Equal(t, "files", len(check.Files(t, dir)), 1)
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
	path := filepath.Join(t.TempDir(), "state")
	text := experimentJSON("random", experiments["random"], nil)
	succeed(t, "suggest", "--state", path, check.Temporary(t, "experiment.json", text))
	before := check.Text(t, path)
	ctx, cancel := context.WithCancel(t.Context())
	var out strings.Builder
	// The interrupt comes with the note that the state is of another experiment.
	note := blocked{cancel, make(chan struct{})}
	err := plain(&out, note).run(ctx, []string{"suggest", "--state", path, check.Temporary(t, "other.json", spoil(text, "30", "31"))})
	check.That(t, app.IsInterrupted(err) && out.Len() == 0, "%v, stdout %q", err, out.String())
	close(note.release)
	time.Sleep(50 * time.Millisecond) // what was abandoned goes on to compute
	check.Equal(t, "the state", check.Text(t, path), before)
	check.Equal(t, "files", len(check.Files(t, filepath.Dir(path))), 1)
}

// The example in the help works, and the help lists all keys of an experiment.
func TestSuggestHelp(t *testing.T) {
	help := succeed(t, "help", "suggest")
	check.Contains(t, "the help", help, suggestExample)
	var s serve.Suggestion
	out := succeed(t, "suggest", check.Temporary(t, "tea.json", suggestExample), "--state", filepath.Join(t.TempDir(), "tea.state"))
	check.OK(t, json.Unmarshal([]byte(out), &s))
	check.Equal(t, "algorithm", s.Algorithm, "qeubo")
	check.Equal(t, "points to compare", len(s.Compare), 2)
	check.That(t, s.Recommended.Belief != nil, "no belief about the recommended point:\n%s", out)
	for _, f := range reflect.VisibleFields(reflect.TypeFor[serve.Experiment]()) {
		key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		check.That(t, key == "" || key == "-" || key == "stream" || strings.Contains(help, "\n  "+key+" "), "the help does not say what %q is", key)
	}
}

func learn(alg algorithms.Algorithm, c algorithms.Comparison, proposed int) error {
	q := algorithms.Query{Points: c.Points, New: proposed}
	if v, ok := alg.(algorithms.ValueLearner); ok {
		return v.TellValues(q, c.Values)
	}
	return alg.Tell(q, c.Winner)
}
