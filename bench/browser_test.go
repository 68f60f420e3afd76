package bench

import (
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"html"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"popbench/internal/analysis/report/reporttest"
	"popbench/internal/analysis/verify"
	"popbench/internal/math/stats"
)

// chromium returns the browser for the pages: $CHROMIUM, or an installed one.
func chromium(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("starts a browser")
	}
	if path := os.Getenv("CHROMIUM"); path != "" {
		return path
	}
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skip("NOTICE: the pages are not looked at, as no Chromium is installed; name one in $CHROMIUM, or install the package chromium")
	return ""
}

// measured holds the browser's measurements of a page.
type measured struct {
	Width    int        // of what the page has to fit in
	Overflow int        // by how much the page is wider than that
	Beyond   []string   // what reaches out of the window, other than in a region of its own that can be scrolled
	Heading  string     // as it is shown
	Figures  int        // that can be seen
	Rows     int        // of tables, that can be seen
	Broken   int        // images that cannot be shown
	Contrast [2]float64 // of text and of subdued text with the ground, as WCAG has it
	Dark     bool
}

// measure runs in a page inside a frame. It stores its results in an attribute of the outer
// page, named after the frame.
const measure = `<script>
const seen = e => { const r = e.getBoundingClientRect(); return r.width > 20 && r.height > 8 }
const light = c => { const [r, g, b] = c.match(/[\d.]+/g).map(v => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4); return 0.2126 * r + 0.7152 * g + 0.0722 * b }
const ground = light(getComputedStyle(document.documentElement).backgroundColor)
const contrast = e => { const l = light(getComputedStyle(e).color); return (Math.max(l, ground) + 0.05) / (Math.min(l, ground) + 0.05) }
const all = s => [...document.querySelectorAll(s)]
parent.document.documentElement.setAttribute('data-' + window.name, JSON.stringify({
	Width: innerWidth,
	Overflow: document.documentElement.scrollWidth - innerWidth,
	Beyond: all('body *').filter(e => !e.closest('.scroll, .wide .art, svg, pre') && e.getBoundingClientRect().right > innerWidth + 1).map(e => e.outerHTML.slice(0, 80)),
	Heading: document.querySelector('h1').innerText,
	Figures: all('figure svg').filter(seen).length,
	Rows: all('tbody tr').filter(seen).length,
	Broken: all('img').filter(e => !e.naturalWidth).length,
	Contrast: [contrast(document.querySelector('h1')), contrast(document.querySelector('.about'))],
	Dark: matchMedia('(prefers-color-scheme: dark)').matches,
}))
</script>`

var measurement = regexp.MustCompile(`data-(\d+)-(\d+)="([^"]*)"`)

// view is a page and the width of its frame.
type view struct {
	page  int
	width int
}

// look opens all pages at their widths. It uses frames because a window cannot be as narrow as
// a phone, and because starting the browser takes the longest.
func look(t *testing.T, browser string, pages []string, widths []int, flags ...string) map[view]measured {
	t.Helper()
	dir := t.TempDir()
	var frames strings.Builder
	frames.WriteString(`<!DOCTYPE html><meta name="color-scheme" content="light dark" />`)
	for i, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		name := fmt.Sprintf("%d.html", i)
		if err := os.WriteFile(filepath.Join(dir, name), []byte(strings.Replace(string(text), "</body>", measure+"</body>", 1)), 0o666); err != nil {
			t.Fatal(err)
		}
		for _, width := range widths {
			fmt.Fprintf(&frames, `<iframe src="%s" name="%d-%d" style="border:0;width:%dpx;height:1000px"></iframe>`, name, i, width, width)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "frames.html"), []byte(frames.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	args := append([]string{"--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
		"--user-data-dir=" + filepath.Join(dir, "profile"), "--window-size=1600,1200", "--allow-file-access-from-files", "--dump-dom"}, flags...)
	var stderr strings.Builder
	cmd := exec.CommandContext(ctx, browser, append(args, "file://"+filepath.Join(dir, "frames.html"))...)
	cmd.Stderr = &stderr
	dom, err := cmd.Output()
	found := map[view]measured{}
	for _, m := range measurement.FindAllSubmatch(dom, -1) {
		var v view
		fmt.Sscan(string(m[1])+" "+string(m[2]), &v.page, &v.width)
		var of measured
		if err := json.Unmarshal([]byte(html.UnescapeString(string(m[3]))), &of); err != nil {
			t.Fatal(err)
		}
		found[v] = of
	}
	if err != nil || len(found) != len(pages)*len(widths) {
		t.Fatalf("%s measured %d pages of %d: %v\n%s", browser, len(found), len(pages)*len(widths), err, stderr.String())
	}
	return found
}

// checkLinks follows the links of a page to files and to anchors in them.
func checkLinks(t *testing.T, page string) (files int) {
	t.Helper()
	for _, target := range attributes(t, page, "href", "src") {
		u, err := url.Parse(target)
		if err == nil && u.Scheme == "https" && !slices.Contains(attributes(t, page, "src"), target) {
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
		if u.Fragment != "" && !strings.Contains(strings.Join(attributes(t, to, "id"), " ")+" ", u.Fragment+" ") {
			t.Errorf("%s leads to %s, which is not in that page", page, target)
		}
	}
	return files
}

// attributes returns the values of an attribute of a page's elements.
func attributes(t *testing.T, page string, names ...string) (values []string) {
	t.Helper()
	f, err := os.Open(page)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for d := xml.NewDecoder(f); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return values
		}
		if err != nil {
			t.Fatalf("%s is not well-formed: %v", page, err)
		}
		if e, ok := token.(xml.StartElement); ok {
			for _, a := range e.Attr {
				for _, name := range names {
					if a.Name.Local == name {
						values = append(values, a.Value)
					}
				}
			}
		}
	}
}

// In a browser, wide and narrow, light and dark, all content of the pages is visible, and every
// link has a target.
func TestPagesInBrowser(t *testing.T) {
	t.Parallel()
	browser := chromium(t)
	dir := t.TempDir()
	six := []string{"popbo", "qeubo", "sgp", "dts", "gpucb", "random"}
	for name, o := range map[string]reporttest.Options{
		"functions": {Problems: []string{"beale", "branin", "holder_table"}, Algorithms: six, Runs: stats.MinRuns, Steps: 6},
		"drawn":     {Problems: []string{"gp1"}, Algorithms: six, Paper: "gp-1d", Runs: stats.MinRuns, Steps: 12, Norm: 5, Snapshots: []int{4, 12}},
	} {
		if err := os.Rename(resultsFolder(t, o), filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, verify.Page), []byte("<html></html>"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, _, err := reportOn(t, dir); err != nil {
		t.Fatal(err)
	}
	pages := []struct {
		path                 string
		heading              string
		figures, rows, files int // at least
	}{
		{"index.html", "Results", 2, 2 * 6, 3},
		{"functions/report/index.html", "synthetic: made-up runs for tests", 2 + 3*2, 6 + 3*6, 8*4 + 3 + 5},
		{"drawn/report/index.html", "synthetic: made-up runs for tests", 4 + 3, 6 + 6 + 6, 7*4 + 1 + 7},
	}
	var paths []string
	for _, page := range pages {
		path := filepath.Join(dir, filepath.FromSlash(page.path))
		paths = append(paths, path)
		if files := checkLinks(t, path); files < page.files {
			t.Errorf("%s leads to %d files, want %d", page.path, files, page.files)
		}
	}
	for _, flags := range [][]string{nil, {"--force-dark-mode"}} {
		for v, m := range look(t, browser, paths, []int{1400, 400}, flags...) {
			page := pages[v.page]
			at := fmt.Sprintf("%s, %d pixels wide, dark: %v", page.path, v.width, m.Dark)
			if m.Width != v.width || m.Dark != (flags != nil) {
				t.Fatalf("%s: the page has %d pixels", at, m.Width)
			}
			if m.Overflow > 0 || len(m.Beyond) > 0 || m.Broken > 0 {
				t.Errorf("%s: the page is %d pixels too wide, %d images are broken, out of sight are %q", at, m.Overflow, m.Broken, m.Beyond)
			}
			if m.Heading != page.heading || m.Figures < page.figures || m.Rows < page.rows {
				t.Errorf("%s: of %q can be seen %d figures and %d rows of tables, want %d and %d", at, m.Heading, m.Figures, m.Rows, page.figures, page.rows)
			}
			if m.Contrast[0] < 7 || m.Contrast[1] < 4.5 { // WCAG 2.2: AAA for text, AA for captions
				t.Errorf("%s: contrasts of %.3g", at, m.Contrast)
			}
		}
	}
}
