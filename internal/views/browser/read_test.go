package browser

import (
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

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

// light is the luminance of a colour, as WCAG 2 has it.
const light = `const light = c => { const [r, g, b] = c.match(/[\d.]+/g).map(v => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4); return 0.2126 * r + 0.7152 * g + 0.0722 * b }`

// faint lists the texts of a page with less contrast to what is behind them than WCAG 2.2, AA asks for. Letters on shades of
// a picture are left out.
const faint = `(() => {` + light + `
	const ground = e => { const c = e ? getComputedStyle(e).backgroundColor : 'rgb(255, 255, 255)'; return /rgba\(.* 0\)/.test(c) ? ground(e.parentElement) : light(c) }
	return [...new Set([...document.querySelectorAll('body *')].flatMap(e => {
		const text = [...e.childNodes].filter(n => n.nodeType === 3).map(n => n.data).join('').trim()
		if (!text || e.closest('script, style, title, option') || !e.checkVisibility()) return []
		const style = getComputedStyle(e), [l, g] = [light(e.closest('svg') ? style.fill : style.color), ground(e)]
		return (Math.max(l, g) + 0.05) / (Math.min(l, g) + 0.05) < 4.5 ? [JSON.stringify(text.slice(0, 60)) + ' in ' + (e.closest('[id]')?.id ?? e.tagName)] : []
	}))]
})`

// unsaid lists what keys do not reach and a screen reader does not tell apart: what scrolls, regions of one name, pictures
// without an alternative text, and headings that skip a level.
const unsaid = `(() => {
	const all = s => [...document.querySelectorAll(s)].filter(e => e.checkVisibility()), outer = e => e.outerHTML.slice(0, 120), name = e => e.getAttribute('aria-label')
	const regions = all('[role=region]'), headings = all('h1, h2, h3, h4, h5, h6'), level = e => +(e?.localName[1] ?? 0)
	return [
		...all('body *').filter(e => getComputedStyle(e).overflowX === 'auto' && e.scrollWidth > e.clientWidth && (e.tabIndex < 0 || !e.role || !name(e))),
		...regions.filter((e, i) => regions.findIndex(other => name(other) === name(e)) !== i),
		...all('img').filter(e => !e.hasAttribute('alt')), ...all('svg[role=img]').filter(e => !name(e)),
		...headings.filter((e, i) => level(e) > level(headings[i - 1]) + 1 || i > 0 && level(e) === 1),
	].map(outer)
})`

// shownPage is what a page shows, with its details open.
type shownPage struct {
	Overflow, Figures, Rows int      // pixels beyond the window; figures and rows of tables that can be seen
	Beyond                  []string // what reaches out of the window, other than in a region that can be scrolled
	Broken                  []string // images that cannot be shown, or come late and have no room; strips without a width
	Heading                 string
	Contrast                float64 // of the heading
}

const showsPage = `(() => {` + light + `
	const seen = e => { const r = e.getBoundingClientRect(); return r.width > 20 && r.height > 8 }
	const all = s => [...document.querySelectorAll(s)], outer = e => e.outerHTML.slice(0, 80), h1 = document.querySelector('h1')
	const [a, b] = [h1, document.documentElement].map((e, i) => light(getComputedStyle(e)[i ? 'backgroundColor' : 'color']))
	return {
		Overflow: document.documentElement.scrollWidth - document.documentElement.clientWidth,
		Figures: all('figure svg').filter(seen).length,
		Rows: all('tbody tr').filter(seen).length,
		Beyond: all('body *').filter(e => e.checkVisibility() && !e.closest('.scroll, .wide .art, svg:not(.replay svg), pre') && e.getBoundingClientRect().right > innerWidth + 1).map(outer),
		Broken: [...all('img').filter(e => !e.naturalWidth || e.loading === 'lazy' && getComputedStyle(e).aspectRatio === 'auto'), ...all('.row .strip').filter(e => e.getBoundingClientRect().width < 50 || e.getBoundingClientRect().height < 10)].map(outer),
		Heading: h1.innerText,
		Contrast: (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05),
	}
})()`

// On screens of three widths, on light ground and dark, and on paper every text of every page can be read: none leaves the
// page, is cut off or is written over another. Every figure and table is there, and every link has a target.
func TestPagesCanBeRead(t *testing.T) {
	check.Sequential(t)
	t.Parallel()
	dir := pages(t)
	files := pagesIn(t, dir)
	check.That(t, len(files) >= len(leastShown), "there are %d pages", len(files))
	readPages(t, dir, files, leastShown)
}

// The same is true of the project's site.
func TestSiteCanBeRead(t *testing.T) {
	check.Sequential(t)
	t.Parallel()
	dir := madeSite(t)
	files := pagesIn(t, dir)
	if !check.Long() { // a page of each kind
		for _, page := range files {
			checkLinks(t, page)
		}
		files = nil
		for _, name := range []string{"index", "papers/popbo-2024", "methods/challenger", "problems/gp1", "docs/protocol", "docs/architecture", "docs/method", "results/paper/pf-ts-2026/pf-ts-descent", "search"} {
			files = append(files, filepath.Join(dir, filepath.FromSlash(name)+".html"))
		}
	}
	readPages(t, dir, files, nil)
}

// pagesIn lists the pages in a folder.
func pagesIn(t *testing.T, dir string) (files []string) {
	t.Helper()
	check.OK(t, filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if filepath.Ext(path) == ".html" {
			files = append(files, path)
		}
		return err
	}))
	return files
}

// readPages reads pages in a folder as a person would. Those that are named have to show so much.
func readPages(t *testing.T, dir string, files []string, leastShown map[string]shown) {
	t.Helper()
	b := openTab(t, 1200, 1000)
	images := map[string]bool{}
	medium := func(media, scheme string) {
		b.call("Emulation.setEmulatedMedia", args{"media": media, "features": []args{{"name": "prefers-color-scheme", "value": scheme}}}, nil)
	}
	read := func(page, how, script string) {
		t.Helper()
		found := ask[[]string](b, script)
		some := strings.Join(found[:min(len(found), 12)], "\n\t")
		check.That(t, len(found) == 0, "%s, %s: %d texts cannot be read, such as\n\t%s", page, how, len(found), some)
	}
	const onScreen, onPaper = misplaced + "(false)", misplaced + "(true)"
	look := func(page string) {
		name, _ := filepath.Rel(dir, page)
		least := leastShown[filepath.ToSlash(name)]
		files := checkLinks(t, page)
		check.That(t, files >= least.files, "%s leads to %d files, want %d", page, files, least.files)
		show := func(how string) {
			t.Helper()
			s := ask[shownPage](b, showsPage)
			whole := s.Overflow <= 0 && len(s.Beyond)+len(s.Broken) == 0 && s.Contrast >= 7
			check.That(t, whole && s.Figures >= least.figures && s.Rows >= least.rows && strings.HasSuffix(s.Heading, least.title),
				"%s, %s: it shows %+v, want at least %+v", page, how, s, least)
		}
		// Each change makes the browser lay out the page anew, so none is undone.
		medium("print", "light")
		b.size(printWidth, 1000)
		b.open(page)
		read(page, "on paper", onPaper)
		for _, src := range ask[[]string](b, `[...document.images].map(e => e.src).filter(src => src.endsWith('.svg'))`) {
			images[strings.TrimPrefix(src, "file://")] = true
		}
		medium("screen", "light")
		read(page, "with a screen reader", unsaid+"()")
		for _, width := range []int{320, 800, 1200} {
			b.size(width, 1000)
			read(page, fmt.Sprint(width, " pixels"), onScreen)
			show(fmt.Sprint(width, " pixels"))
		}
		read(page, "light", faint+"()")
		medium("screen", "dark")
		read(page, "dark", faint+"()")
		show("dark")
		if !ask[bool](b, `!!document.querySelector('.controls')`) {
			return
		}
		for _, view := range []string{"show=final", "show=median&y=log", "y=linear&x=seconds"} {
			ask[any](b, `new Promise(seen => { addEventListener('hashchange', () => setTimeout(seen), { once: true }); location.hash = `+quoted("#?"+view)+` })`)
			read(page, view, onScreen)
		}
	}
	for _, page := range files {
		look(page)
	}
	medium("screen", "light")
	b.size(1600, 1200)
	for image := range images {
		b.open(image)
		read(image, "alone", onScreen)
	}
}

// checkLinks follows the links of a page to files and to anchors in them.
func checkLinks(t *testing.T, page string) (files int) {
	t.Helper()
	ids := map[string][]string{}
	here := attributes(t, page)
	for _, target := range append(here["href"], here["src"]...) {
		u, err := url.Parse(target)
		if err == nil && u.Scheme == "https" && !slices.Contains(here["src"], target) {
			continue // a reader may follow it; the page needs nothing of it
		}
		if strings.HasPrefix(target, "data:image/png;base64,") {
			continue
		}
		if err != nil || u.Host != "" || u.Scheme != "" && target != "data:," {
			t.Errorf("%s leads to %q, which is elsewhere", page, target)
			continue
		}
		to := page
		if u.Path != "" {
			to = filepath.Join(filepath.Dir(page), filepath.FromSlash(u.Path))
			if info, err := os.Stat(to); err != nil || info.Size() == 0 {
				t.Errorf("%s leads to %s, where nothing is (%v)", page, target, err)
				continue
			}
			files++
		}
		if u.Fragment != "" && ids[to] == nil {
			ids[to] = attributes(t, to)["id"]
		}
		check.That(t, u.Fragment == "" || strings.Contains(strings.Join(ids[to], " ")+" ", u.Fragment+" "),
			"%s leads to %s, which is not in that page", page, target)
	}
	return files
}

// attributes returns the values of the attributes of a page's elements, by name.
func attributes(t *testing.T, page string) map[string][]string {
	t.Helper()
	values := map[string][]string{}
	for _, e := range check.Elements(t, check.Text(t, page)) {
		for _, a := range e.Attr {
			values[a.Name.Local] = append(values[a.Name.Local], a.Value)
		}
	}
	return values
}
