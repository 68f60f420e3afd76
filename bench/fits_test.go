package bench

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"popbench/internal/analysis/report/reporttest"
	"popbench/internal/check"
)

// printWidth is what the margins of page.css leave of A4, in CSS pixels.
const printWidth = 688

// misplaced lists the texts of a page that a reader cannot read: what leaves the page, what an element around it cuts off,
// and pairs that are written over each other. A table may be wider than the page where it shows that it scrolls, which
// paper cannot. The boxes of letters are taken without the room above and below that most letters leave.
const misplaced = `(print => {
	const found = new Set(), texts = [], width = document.documentElement.clientWidth || innerWidth, slack = 1.5
	const cut = (text, why) => found.add(JSON.stringify(text.trim().slice(0, 60)) + ' ' + why)
	const where = e => e.closest('[id]')?.id ?? e.tagName
	const inner = ([a, b, c, d]) => {
		const mix = (p, q, u) => [p[0] + u * (q[0] - p[0]), p[1] + u * (q[1] - p[1])]
		return [mix(a, d, 0.25), mix(b, c, 0.25), mix(b, c, 0.8), mix(a, d, 0.8)]
	}
	const add = (e, text, corners) => {
		const xs = corners.map(p => p[0]), ys = corners.map(p => p[1])
		const box = { e, text, corners: inner(corners), left: Math.min(...xs), right: Math.max(...xs), top: Math.min(...ys), bottom: Math.max(...ys) }
		let scrolls
		for (let a = e; a && !scrolls; a = a.parentElement) {
			const style = getComputedStyle(a), r = a.getBoundingClientRect()
			if (style.overflowX === 'visible' || a === document.documentElement && a.localName === 'html') continue
			if (r.width <= 1) return // for screen readers
			if (style.overflowX === 'auto' && !print) {
				scrolls = a.scrollWidth > a.clientWidth + 1 && r
				if (scrolls && style.backgroundImage === 'none') cut(text, 'in ' + where(a) + ', which does not show that it scrolls')
			} else if (box.left < r.left - slack || box.right > r.right + slack || box.top < r.top - slack - 1 || box.bottom > r.bottom + slack + 1) {
				cut(text, 'is cut off by ' + where(a))
			}
		}
		if (scrolls ? scrolls.left < -slack || scrolls.right > width + slack : box.left < -slack || box.right > width + slack) cut(text, 'leaves the page in ' + where(e))
		if (!scrolls || box.right <= scrolls.right && box.left >= scrolls.left) texts.push(box)
	}
	document.querySelectorAll('details').forEach(e => { e.open = true })
	const walk = document.createTreeWalker(document.documentElement, NodeFilter.SHOW_TEXT), range = document.createRange()
	while (walk.nextNode()) {
		const e = walk.currentNode.parentElement
		if (!walk.currentNode.data.trim() || e.closest('script, style, title, svg, option, defs') || !e.checkVisibility({ opacityProperty: true })) continue
		range.selectNode(walk.currentNode)
		for (const r of range.getClientRects()) if (r.width > 1) add(e, walk.currentNode.data, [[r.left, r.top], [r.right, r.top], [r.right, r.bottom], [r.left, r.bottom]])
	}
	for (const e of document.querySelectorAll('svg text')) {
		if (!e.checkVisibility() || !e.textContent.trim()) continue
		const { x, y, width, height } = e.getBBox(), m = e.getScreenCTM()
		add(e, e.textContent, [[x, y], [x + width, y], [x + width, y + height], [x, y + height]].map(([u, v]) => [m.a * u + m.c * v + m.e, m.b * u + m.d * v + m.f]))
	}
	// the least distance by which one box has to be moved out of the other
	const depth = (p, q) => Math.min(...[p, q].flatMap(c => [[c[0], c[1]], [c[1], c[2]]].map(([a, b]) => {
		const length = Math.hypot(b[0] - a[0], b[1] - a[1]), along = r => (r[0] * (b[0] - a[0]) + r[1] * (b[1] - a[1])) / length
		const [s, t] = [p.map(along), q.map(along)]
		return Math.min(Math.max(...s) - Math.min(...t), Math.max(...t) - Math.min(...s))
	})))
	texts.sort((a, b) => a.top - b.top)
	texts.forEach((a, i) => {
		for (let k = i + 1; k < texts.length && texts[k].top < a.bottom; k++) {
			const b = texts[k]
			if (a.right > b.left && b.right > a.left && depth(a.corners, b.corners) > slack) cut(a.text, 'and ' + JSON.stringify(b.text.trim().slice(0, 60)) + ' overlap in ' + where(a.e))
		}
	})
	return [...found]
})`

// faint lists the texts of a page with less contrast to what is behind them than WCAG 2.2, AA asks for. Letters on shades of
// a picture are left out.
const faint = `(() => {
	const light = c => { const [r, g, b] = c.match(/[\d.]+/g).map(v => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4); return 0.2126 * r + 0.7152 * g + 0.0722 * b }
	const ground = e => { const c = e ? getComputedStyle(e).backgroundColor : 'rgb(255, 255, 255)'; return /rgba\(.* 0\)/.test(c) ? ground(e.parentElement) : light(c) }
	return [...new Set([...document.querySelectorAll('body *')].flatMap(e => {
		const text = [...e.childNodes].filter(n => n.nodeType === 3).map(n => n.data).join('').trim()
		if (!text || e.closest('script, style, title, option') || !e.checkVisibility()) return []
		const style = getComputedStyle(e), [l, g] = [light(e.closest('svg') ? style.fill : style.color), ground(e)]
		return (Math.max(l, g) + 0.05) / (Math.min(l, g) + 0.05) < 4.5 ? [JSON.stringify(text.slice(0, 60)) + ' in ' + (e.closest('[id]')?.id ?? e.tagName)] : []
	}))]
})`

// pagesToRead are those of a results folder with all that pages have, or of the one in $POPBENCH_PAGES: a whole bench
// reproduce is too long for a test.
func pagesToRead(t *testing.T) (pages []string) {
	t.Helper()
	dir := os.Getenv("POPBENCH_PAGES")
	if dir == "" {
		dir = t.TempDir()
		ackley(t, dir, 8)
		for name, o := range map[string]reporttest.Options{
			"functions": {Problems: []string{"beale", "branin", "a_problem_with_a_long_name"}, Algorithms: []string{"popbo", "qeubo", "sgp", "dts", "gpucb", "random"}, Runs: 12, Steps: 12},
			"drawn":     {Problems: []string{"gp1"}, Algorithms: []string{"popbo", "qeubo", "sgp"}, Paper: "gp-1d", Runs: 6, Steps: 12, Norm: 5, Snapshots: []int{4, 12}},
		} {
			check.Equal(t, "error", os.Rename(resultsFolder(t, o), filepath.Join(dir, name)), nil)
		}
		if _, err := verifyOn(dir); err != nil {
			t.Fatal(err)
		}
		if _, _, err := reportOn(t, dir); err != nil {
			t.Fatal(err)
		}
	}
	check.Equal(t, "error", filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if filepath.Ext(path) == ".html" {
			pages = append(pages, path)
		}
		return err
	}), nil)
	return pages
}

// On screens of three widths, on light ground and dark, and on paper every text of every page can be read: none leaves the
// page, is cut off or is written over another.
func TestTextCanBeRead(t *testing.T) {
	sequential(t)
	t.Parallel()
	pages := pagesToRead(t)
	if len(pages) == 0 {
		t.Fatal("there are no pages")
	}
	b := openTab(t, 1200, 1000)
	images := map[string]bool{}
	medium := func(media, scheme string) {
		b.call("Emulation.setEmulatedMedia", args{"media": media, "features": []args{{"name": "prefers-color-scheme", "value": scheme}}}, nil)
	}
	read := func(page, how, check string) {
		t.Helper()
		if found := ask[[]string](b, check); len(found) > 0 {
			t.Errorf("%s, %s: %d texts cannot be read, such as\n\t%s", page, how, len(found), strings.Join(found[:min(len(found), 12)], "\n\t"))
		}
	}
	const onScreen, onPaper = misplaced + "(false)", misplaced + "(true)"
	for _, page := range pages {
		medium("screen", "light")
		b.open(page)
		for _, src := range ask[[]string](b, `[...document.images].map(e => e.src).filter(src => src.endsWith('.svg'))`) {
			images[strings.TrimPrefix(src, "file://")] = true
		}
		for _, width := range []int{400, 800, 1200} {
			b.size(width, 1000)
			read(page, fmt.Sprint(width, " pixels"), onScreen)
		}
		read(page, "light", faint+"()")
		medium("screen", "dark")
		read(page, "dark", faint+"()")
		b.size(printWidth, 1000)
		medium("print", "light")
		read(page, "on paper", onPaper)
		if !ask[bool](b, `!!document.querySelector('.controls')`) {
			continue
		}
		medium("screen", "light")
		b.size(1200, 1000)
		for _, view := range []string{"show=final", "show=median&y=log", "y=linear&x=seconds"} {
			ask[any](b, `new Promise(seen => { addEventListener('hashchange', () => setTimeout(seen), { once: true }); location.hash = `+quoted("#?"+view)+` })`)
			read(page, view, onScreen)
		}
	}
	medium("screen", "light")
	b.size(1600, 1200)
	for image := range images {
		b.open(image)
		read(image, "alone", onScreen)
	}
}
