package browser

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"popbench/internal/app"
	"popbench/internal/check"
	"popbench/internal/views/report"
)

// runsShown is what the page shows of the runs on Beale.
const runsShown = `(() => {
	const figure = document.querySelector('#beale-runs'), controls = [...figure.querySelectorAll('select, input')]
	return {
		Marks: [...figure.querySelectorAll('.moves *')].map(e => [e.localName, ...e.getAttributeNames().sort().map(n => n + '=' + e.getAttribute(n)), ...e.children.length ? [] : [e.textContent]].join(' ')),
		Chosen: controls.map(e => e.value).join(' '), Names: controls.map(e => [...e.labels].map(l => l.firstChild.data).join('/')).join(' '),
		Answer: figure.querySelector('.answer').textContent, Points: figure.querySelectorAll('.moves circle').length,
		Label: figure.querySelector('svg').getAttribute('aria-label'), Ground: figure.querySelector('image').getAttribute('href')?.length ?? 0,
	}
})()`

type shownRuns struct {
	Marks                        []string
	Chosen, Names, Answer, Label string
	Points, Ground               int
}

// randomRuns writes a report of runs of two methods on Beale, and on drawn functions of one variable.
func randomRuns(t *testing.T) (page string) {
	t.Helper()
	file := check.Temporary(t, "demo.yaml", `
name: demo
seed: 3
steps: 6
repetitions: 3
problems: [{name: beale}, {name: gp1, scale: raw}]
algorithms: [{name: random, label: a}, {name: random, label: b}]
`)
	results := filepath.Join(t.TempDir(), "results")
	check.Must((&app.App{Workers: 2}).Run(t.Context(), app.RunOptions{Suite: file, Out: results}))(t)
	check.Must(new(app.App).Report(t.Context(), results, "", nil, report.Options{}))(t)
	return filepath.Join(results, "report", "index.html")
}

// Keys move the slider through the steps of a run and choose other runs. The address restores what was shown. The script
// draws what the page has without it.
func TestRunsByKeyboard(t *testing.T) {
	check.Sequential(t)
	t.Parallel()
	b := openTab(t, 1100, 900)
	page := randomRuns(t)
	shown := func() shownRuns {
		t.Helper()
		return ask[shownRuns](b, runsShown)
	}
	b.call("Emulation.setScriptExecutionDisabled", args{"value": true}, nil)
	b.open(page)
	still := shown()
	check.Equal(t, "controls without a script", still.Names, "")
	b.call("Emulation.setScriptExecutionDisabled", args{"value": false}, nil)
	b.open(page)
	control := func(name string) {
		t.Helper()
		ask[bool](b, `[...document.querySelectorAll('#beale-runs label')].find(e => e.firstChild.data === `+quoted(name)+`).control.focus()`)
	}
	files := checkLinks(t, page)
	check.That(t, files >= 20, "the page leads to %d files", files)
	first := shown()
	check.Equal(t, "controls", first.Names, "Method Run Step")
	check.Equal(t, "chosen at first", first.Chosen, "a 0 6")
	check.Equal(t, "there is a contour", first.Ground > 1000, true)
	check.Equal(t, "answer with a script", first.Answer, still.Answer)
	check.Equal(t, "drawn with a script", strings.Join(first.Marks, "\n"), strings.Join(still.Marks, "\n"))

	entries := ask[int](b, `history.length`)
	control("Step")
	b.press("Home")
	one := shown()
	check.Equal(t, "chosen with Home", one.Chosen, "a 0 1")
	check.Equal(t, "points after the first step", one.Points, 2)
	check.Contains(t, "first step", one.Answer, "a, run 0, step 1 of 6: (", ") with regret ", " was preferred to (", "Recommended: (")
	b.press("ArrowRight")
	check.Equal(t, "chosen with an arrow", shown().Chosen, "a 0 2")
	check.Equal(t, "address", b.hash(), "#?at.beale=a&at.beale=0&at.beale=2")
	check.Equal(t, "entries of the history, to which the slider adds none", ask[int](b, `history.length`), entries)

	control("Method")
	b.press("ArrowDown")
	control("Run")
	b.press("ArrowDown")
	other := shown()
	check.Equal(t, "chosen with arrows", other.Chosen, "b 1 2")
	check.Lacks(t, "alternative text of another run", other.Label, "a asked", "run 0")
	check.Equal(t, "other points", slices.Equal(other.Marks, first.Marks), false)
	b.reload()
	check.Equal(t, "restored", shown().Chosen, other.Chosen)
	check.Equal(t, "restored points", slices.Equal(shown().Marks, other.Marks), true)
	b.back()
	check.Equal(t, "back", shown().Chosen, "b 0 2")
	b.open(page + "#?at.beale=x&at.beale=99&at.beale=y") // nobody has these
	check.Contains(t, "chosen by nonsense", shown().Chosen, "a 0 ")
	got := ask[int](b, `document.querySelectorAll('#gp1-runs .moves circle').length`)
	check.That(t, got >= 2, "%d points on a curve", got)
}
