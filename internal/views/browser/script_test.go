package browser

import (
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"popbench/internal/check"
)

// methods and repetitions are how many the page of scripted has.
const methods, repetitions = 6, 10

// scripted opens a page whose figures and tables have scripts.
func scripted(t *testing.T) (b *tab, page string) {
	t.Helper()
	check.Sequential(t)
	t.Parallel()
	b, page = openTab(t, 1100, 900), filepath.Join(madePages(t), "paper-test-functions", "report", "index.html")
	b.open(page)
	return b, page
}

// figureOf is the selector of what a figure draws.
func figureOf(id string) string { return "#" + id + " .art" }

// hash is the fragment of the page's address.
func (b *tab) hash() string { return ask[string](b, "location.hash") }

// pressed is the names of the buttons of the controls that are pressed.
func (b *tab) pressed() string {
	return strings.Join(ask[[]string](b, `[...document.querySelectorAll('.controls [aria-pressed=true]')].map(e => e.textContent)`), ", ")
}

// forcedGrounds is how many backgrounds elements have where the reader's own colours replace those of the page. All text can
// be read on them.
func (b *tab) forcedGrounds(selector string) int {
	b.t.Helper()
	set := func(value string) {
		b.call("Emulation.setEmulatedMedia", args{"features": []args{{"name": "forced-colors", "value": value}}}, nil)
	}
	set("active")
	defer set("")
	check.Equal(b.t, "texts that are faint in forced colours", strings.Join(ask[[]string](b, faint+"()"), ", "), "")
	return ask[int](b, `new Set([...document.querySelectorAll(`+quoted(selector)+`)].map(e => getComputedStyle(e).backgroundColor)).size`)
}

// back goes back in the browser's history.
func (b *tab) back() {
	b.t.Helper()
	ask[bool](b, `new Promise(done => { addEventListener('hashchange', () => setTimeout(() => done(true)), { once: true }); history.back() })`)
}

// Legend, what is shown, scale and axis by keyboard; the address keeps them, and back undoes them.
func TestFiguresByKeyboard(t *testing.T) {
	b, page := scripted(t)
	labels := func() string {
		return strings.Join(ask[[]string](b, `[...document.querySelectorAll('#figure-branin-suboptimality .live .label')].map(e => e.textContent)`), ", ")
	}
	drawn := func(what string) int {
		return ask[int](b, `document.querySelectorAll('#figure-branin-suboptimality svg.live[role=img] `+what+`').length`)
	}
	still := func() bool {
		return ask[bool](b, `[...document.querySelectorAll('figure svg:not(.live)')].every(e => e.checkVisibility())`)
	}
	start := b.pressed()
	check.Contains(t, "pressed buttons", start, "POP-BO", "DTS", "<i>a&b</i>", "mean, interval", "comparisons", "as printed")
	check.Equal(t, "the drawings of the page are there", still(), true)
	check.Equal(t, "elements i, as the name of a method has", ask[int](b, `[...document.querySelectorAll('i')].filter(e => e.textContent === 'a&b').length`), 0)

	b.focus(".controls", "DTS")
	b.press("Enter")
	check.Equal(t, "address", b.hash(), "#?hide=DTS")
	check.Contains(t, "names at the lines", labels(), "POP-BO", "<i>a&b</i>")
	check.Equal(t, "a hidden line has no name", strings.Contains(labels(), "DTS"), false)
	check.Equal(t, "lines", drawn("path.line"), methods-1)
	b.focus(".controls", "single runs")
	b.press(" ")
	check.Equal(t, "address", b.hash(), "#?hide=DTS&show=runs")
	check.Equal(t, "single runs", drawn("path.run"), (methods-1)*repetitions)
	b.focus(".controls", "seconds")
	b.press(" ")
	check.Contains(t, "text of the figure", ask[string](b, `document.querySelector('#figure-branin-suboptimality svg.live').textContent`), "seconds, mean over the runs")
	here := b.hash()
	view := ask[string](b, `document.querySelector('main').innerHTML`)
	state := b.pressed()

	// The address alone gives the same view.
	b.reload()
	check.Equal(t, "the view after loading the page again", ask[string](b, `document.querySelector('main').innerHTML`) == view, true)
	check.Equal(t, "pressed buttons", b.pressed(), state)

	// A name of any characters can stand in an address.
	b.focus(".controls", "<i>a&b</i>")
	b.press("Enter")
	check.Equal(t, "address", b.hash(), "#?show=runs&x=seconds&hide=DTS&hide=%3Ci%3Ea%26b%3C%2Fi%3E")
	b.reload()
	check.Equal(t, "names at the lines", len(strings.Split(labels(), ", ")), methods-2)
	b.open(page + "#figure-branin-regret" + strings.TrimPrefix(here, "#"))
	check.Equal(t, "pressed buttons", b.pressed(), state)
	check.Equal(t, "the anchor before the view is in sight", ask[bool](b, `Math.abs(document.querySelector('#figure-branin-regret').getBoundingClientRect().top) < innerHeight / 2`), true)

	check.Equal(t, "grounds of buttons in forced colours", b.forcedGrounds(".controls button"), 2)

	// A link within the page keeps the view; back undoes one thing after the other.
	b.open(page)
	b.focus(".controls", "log")
	b.press("Enter")
	b.focus(".controls", "final values")
	b.press("Enter")
	check.Equal(t, "bars", drawn("rect") > 0, true)
	ask[bool](b, `new Promise(done => { addEventListener('hashchange', () => setTimeout(() => done(true)), { once: true }); document.querySelector('nav a[href="#regret"]').click() })`)
	check.Equal(t, "address", b.hash(), "#regret?y=log&show=final")
	b.back()
	check.Equal(t, "address", b.hash(), "#?y=log&show=final")
	b.back()
	check.Equal(t, "address", b.hash(), "#?y=log")
	check.Equal(t, "bars", drawn("rect"), 0)
	b.back()
	check.Equal(t, "pressed buttons", b.pressed(), start)
	check.Equal(t, "the drawings of the page are there again", still(), true)
}

// The values that pointer and keys read are those of the report's files.
func TestValuesOfFigures(t *testing.T) {
	b, page := scripted(t)
	rows := curveRows(t, filepath.Join(filepath.Dir(page), "data", "branin-suboptimality.csv"))
	near := func(what string, step int, label, mean, interval, n string) {
		t.Helper()
		row := rows[fmt.Sprint(step, label)]
		check.Ensure(t, row != nil, "no line of step %d, %s in %v", step, label, rows)
		var lo, hi float64
		check.Must(fmt.Sscanf(interval, "[%g, %g]", &lo, &hi))(t)
		v := check.Must(strconv.ParseFloat(mean, 64))(t)
		for key, got := range map[string]float64{"value": v, "band_lo": lo, "band_hi": hi} {
			want, err := strconv.ParseFloat(row[key], 64)
			check.That(t, err == nil && math.Abs(got-want) <= 6e-4*math.Abs(want),
				"%s: %s of %s after step %d is %v, want %s", what, key, label, step, got, row[key])
		}
		check.Equal(t, what+": runs", n, fmt.Sprint("n = ", repetitions))
	}
	compare := func(what string, step int) {
		t.Helper()
		check.Equal(t, what, ask[string](b, `document.querySelector('#figure-branin-suboptimality .readout b').textContent`), fmt.Sprint("step ", step))
		cells := ask[[][]string](b, `[...document.querySelectorAll('#figure-branin-suboptimality .readout tr')].map(r => [...r.cells].map(c => c.textContent))`)
		check.Equal(t, what+": methods", len(cells), methods)
		for _, c := range cells {
			near(what, step, c[0], c[1], c[2], c[3])
		}
	}
	b.focus("figure", "Values of Branin, suboptimality of the recommended point")
	compare("focus", 12)
	b.press("ArrowLeft")
	compare("arrow", 11)
	b.press("Home")
	compare("Home", 1)
	b.press("ArrowRight")
	compare("arrow", 2)
	spoken := ask[string](b, `document.activeElement.getAttribute('aria-valuetext')`)
	check.Contains(t, "what a screen reader says", spoken, "step 2, ", "POP-BO ", fmt.Sprint("n = ", repetitions))
	check.Equal(t, "marks on lines of the drawing", ask[int](b, onLines), methods)
	b.press("Escape")
	check.Equal(t, "the values are hidden", ask[bool](b, `document.querySelector('#figure-branin-suboptimality .readout').checkVisibility()`), false)
	b.point(figureOf("figure-branin-suboptimality"), 0.4, 0.5)
	check.Equal(t, "the pointer reads values", ask[bool](b, `document.querySelector('#figure-branin-suboptimality .readout').checkVisibility()`), true)
	b.size(400, 800) // of a phone
	b.point(figureOf("figure-branin-suboptimality"), 0.4, 0.5)
	check.Equal(t, "values out of the window", ask[int](b, `[...document.querySelectorAll('.readout, .readout *')].filter(e => e.checkVisibility() && e.getBoundingClientRect().right > innerWidth).length`), 0)
	b.size(1100, 900)

	// The bins of the last values have all runs of each method.
	b.focus(".controls", "final values")
	b.press("Enter")
	b.focus("figure", "Values of Branin, suboptimality of the recommended point")
	b.press("Home")
	runs := map[string]int{}
	for range 24 {
		for _, c := range ask[[][]string](b, `[...document.querySelectorAll('#figure-branin-suboptimality .readout tr')].map(r => [...r.cells].map(c => c.textContent))`) {
			var n int
			fmt.Sscanf(c[1], "%d of 10 runs", &n)
			runs[c[0]] += n
		}
		b.press("ArrowRight")
	}
	check.Equal(t, "methods in the histograms", len(runs), methods)
	for name, n := range runs {
		check.Equal(t, "runs of "+name+" in the histogram", n, repetitions)
	}
}

// onLines counts the marks of read values that lie on a line of the drawing with their colour. It compares what package
// figure draws with what the script makes of the same numbers.
const onLines = `(() => {
	const art = document.querySelector('#figure-branin-suboptimality .art')
	const lines = [...art.querySelectorAll('svg:not(.live) path')]
	return [...art.querySelectorAll('.over circle')].filter(circle => {
		const r = circle.getBoundingClientRect(), at = new DOMPoint(r.x + r.width / 2, r.y + r.height / 2)
		return lines.some(line => getComputedStyle(line).stroke === getComputedStyle(circle).stroke && (line.style.strokeDasharray = 'none') && line.isPointInStroke(at.matrixTransform(line.getScreenCTM().inverse())))
	}).length
})()`

// curveRows are the lines of a file of curves, by step and method.
func curveRows(t *testing.T, path string) map[string]map[string]string {
	t.Helper()
	f := check.Must(os.Open(path))(t)
	defer f.Close()
	lines := check.Must(csv.NewReader(f).ReadAll())(t)
	rows := map[string]map[string]string{}
	for _, line := range lines[1:] {
		row := map[string]string{}
		for i, key := range lines[0] {
			row[key] = line[i]
		}
		rows[row["step"]+row["series"]] = row
	}
	return rows
}

// Tables sort and filter by keyboard, and the address keeps it. A third press restores the order.
func TestTablesByKeyboard(t *testing.T) {
	b, _ := scripted(t)
	column := func() []string {
		return ask[[]string](b, `[...document.querySelectorAll('#regret tbody tr')].filter(r => r.checkVisibility()).map(r => r.cells[2].dataset.sort ?? r.cells[2].textContent)`)
	}
	numbers := func() (v []float64) {
		for _, text := range column() {
			v = append(v, check.Must(strconv.ParseFloat(text, 64))(t))
		}
		return v
	}
	head := ask[string](b, `document.querySelector('#regret thead').rows[0].cells[2].textContent`)
	sorted := func() string {
		return ask[string](b, `document.querySelector('#regret thead').rows[0].cells[2].ariaSort ?? ''`)
	}
	order := column()
	check.Equal(t, "rows", len(order), 2*methods)
	ask[bool](b, `document.querySelector('#regret thead').rows[0].cells[1].querySelector('button').focus() ?? true`)
	b.press("Tab")
	b.focus("#regret", head)
	b.press("Enter")
	check.Equal(t, "aria-sort", sorted(), "ascending")
	check.Equal(t, "the column increases", slices.IsSorted(numbers()), true)
	b.press(" ")
	check.Equal(t, "aria-sort", sorted(), "descending")
	check.Equal(t, "address", b.hash(), "#?sort.regret.1=-2")
	backwards := numbers()
	slices.Reverse(backwards)
	check.Equal(t, "the column decreases", slices.IsSorted(backwards) && backwards[0] < backwards[len(backwards)-1], true)
	kept := column()
	b.reload()
	check.Equal(t, "rows after loading the page again", fmt.Sprint(column()), fmt.Sprint(kept))
	b.back()
	check.Equal(t, "aria-sort", sorted(), "ascending")
	b.focus("#regret", head)
	b.press("Enter")
	b.press("Enter")
	check.Equal(t, "aria-sort after a third press", sorted(), "")
	check.Equal(t, "rows in their order", fmt.Sprint(column()), fmt.Sprint(order))

	ask[bool](b, `document.querySelector('#regret .filter').focus() ?? true`)
	b.write("BRANIN")
	check.Equal(t, "rows of a problem", len(column()), methods)
	said := func() string { return ask[string](b, `document.querySelector('#regret [role=status]').textContent`) }
	check.Equal(t, "what a screen reader says of them", said(), "6 of 12 rows")
	check.Equal(t, "address", b.hash(), "#?find.regret.1=BRANIN")
	b.write("x")
	check.Equal(t, "rows of no problem", len(column()), 0)
	check.Equal(t, "what a screen reader says of none", said(), "0 of 12 rows")
	b.back()
	check.Equal(t, "rows", len(column()), 2*methods)
}

// Without scripts a page shows all its texts, tables and figures.
func TestPageWithoutScript(t *testing.T) {
	b, page := scripted(t)
	const count = `[document.querySelectorAll('figure').length, [...document.querySelectorAll('figure svg')].filter(e => e.checkVisibility()).length,
		[...document.querySelectorAll('tbody tr')].filter(e => e.checkVisibility()).length, document.querySelectorAll('button, input').length]`
	const text = `[...document.querySelectorAll('h1, h2, h3, p, li, dd, td, tbody th, figcaption')].map(e => e.innerText).join('\n')`
	with, said := ask[[4]int](b, count), ask[string](b, text)
	b.call("Emulation.setScriptExecutionDisabled", args{"value": true}, nil)
	b.open(page + "#?hide=DTS&show=runs")
	without := ask[[4]int](b, count)
	check.Equal(t, "buttons and fields without scripts", without[3], 0)
	check.Equal(t, "buttons with scripts", with[3] > 20, true)
	check.Equal(t, "figures that are seen", without[1] >= without[0] && without[0] == with[0], true)
	check.Equal(t, "rows that are seen", without[2], with[2])
	check.Equal(t, "the same text", ask[string](b, text) == said, true)
}

// The search of the site shows the titles with all words, and says how many there are.
func TestSearch(t *testing.T) {
	check.Sequential(t)
	t.Parallel()
	b := openTab(t, 800, 900)
	b.open(filepath.Join(madeSite(t), "search.html"))
	for words, least := range map[string]int{"Branin ": 1, "of no title": 0} {
		b.write(words)
		found := ask[int](b, `[...document.querySelectorAll('main li')].filter(e => e.checkVisibility()).length`)
		check.That(t, found >= least && found <= 50*least, "%q: %d titles", words, found)
		check.Equal(t, words, ask[string](b, `document.querySelector('[role=status]').textContent`), fmt.Sprint("Titles with all of these words: ", found))
		ask[any](b, `void (document.getElementById('filter').select())`)
	}
}
