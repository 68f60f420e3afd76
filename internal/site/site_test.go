package site

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"popbench/bench"
	"popbench/internal/check"
)

func TestRelative(t *testing.T) {
	for _, c := range [][3]string{
		{"index.html", "docs/a.html", "docs/a.html"}, {"docs/a.html", "docs/b.html", "b.html"}, {"docs/a.html", "index.html", "../index.html"},
		{"docs/x/a.html", "docs/b.html", "../b.html"}, {"a/b/c.html", "d/e.html", "../../d/e.html"},
	} {
		check.Equal(t, c[0]+" to "+c[1], relative(c[0], c[1]), c[2])
	}
}

// Links between Markdown files lead to pages, those to other files to copies; what the site does not have is text.
func TestLinksOfMarkdown(t *testing.T) {
	b := &builder{site: new(Site), tree: fstest.MapFS{
		"docs/a.md": {Data: []byte("# A title\n\n[b](b.md#part), [top](../README.md), [folder](../examples/x), [none](../nowhere.go), [bare](../bare)\n[file](../f.yaml), [big](../big.bin), [web](https://example.org/), [here](#two), [space](a%20file.yaml)\n\n## Two *words*\n\n| a |\n|---|\n| 1 |\n")},
		"docs/b.md": {}, "README.md": {}, "examples/x/README.md": {}, "bare/f": {},
		"f.yaml": {Data: []byte("a: 1\n")}, "docs/a file.yaml": {}, "big.bin": {Data: bytes.Repeat([]byte("x"), maxFile+1)},
	}}
	check.OK(t, b.convert("docs/a.md"))
	p := b.site.Pages[0]
	check.Equal(t, "page", p.Path+", "+p.Title, "docs/a.html, A title")
	check.Equal(t, "parts", p.Parts[0], Part{"two-words", "Two words"})
	body := string(p.Body)
	check.Contains(t, "body", body, `<a href="b.html#part">b</a>`, `<a href="../README.html">top</a>`, `<a href="../examples/x/README.html">folder</a>`,
		`, none, bare`, `<a href="../f.yaml">file</a>, big, `, `<a href="https://example.org/">web</a>`, `<a href="#two">here</a>`, `<a href="a%20file.yaml">space</a>`, `<div class="scroll" role="group" aria-label="Table" tabindex="0"><table>`)
	check.Equal(t, "copied", strings.Join(b.wanted, ", "), "f.yaml, docs/a file.yaml")
}

// A working tree has folders that are not of the project.
func TestFoldersOfOthers(t *testing.T) {
	b := &builder{site: new(Site), tree: fstest.MapFS{}}
	files := b.tree.(fstest.MapFS)
	for _, name := range []string{"docs/a", "examples/site/a", "results/a", "results/field/a", // these are pages
		"venv/lib/a", "examples/x/.venv/a", ".pytest_cache/a", "examples/x/venv/lib/site-packages/a", "site/a", "dist/a", "results/mine/a", "bench/testdata/a"} {
		files[name+".md"] = &fstest.MapFile{Data: []byte("# A\n\n![none](none.svg)\n")}
	}
	for _, name := range []string{"docs", "examples/site", "results", "results/field"} {
		files[name+"/none.svg"] = new(fstest.MapFile)
	}
	check.OK(t, b.markdown())
	check.Equal(t, "pages", len(b.site.Pages), 4)
}

// Each method, problem and paper has a page, and the pages have what the results say.
func TestBuild(t *testing.T) {
	catalogue := check.Must(bench.Catalogue())(t)
	s := check.Must(Build(os.DirFS("../.."), catalogue))(t)
	for _, name := range catalogue.Algorithms() {
		check.That(t, s.Files["methods/"+name+".html"] != nil, "there is no page of %s", name)
	}
	for _, name := range catalogue.Problems() {
		check.That(t, s.Files["problems/"+name+".html"] != nil, "there is no page of %s", name)
	}
	if check.Long() {
		again := check.Must(Build(os.DirFS("../.."), catalogue))(t)
		check.Equal(t, "files", len(again.Files), len(s.Files))
		for name, data := range s.Files {
			check.That(t, bytes.Equal(data, again.Files[name]), "%s differs when it is made again", name)
		}
	}
	titled := map[string]string{}
	for _, p := range s.Pages {
		check.That(t, titled[p.Title] == "", "%s and %s have the title %q", titled[p.Title], p.Path, p.Title)
		titled[p.Title] = p.Path
	}
	claims := check.Must(os.ReadFile("../../results/paper/claims.json"))(t)
	check.Equal(t, "claims that do not hold", strings.Count(string(s.Files["papers/popbo-2024.html"]), `class="claim fails"`),
		strings.Count(string(claims), "\n      \"verdict\": \"does not hold\""))
	ranks := string(check.Must(os.ReadFile("../../results/field/table.md"))(t))
	for _, row := range strings.Split(string(s.Files["index.html"]), "<tr><th scope=\"row\">")[1:] {
		_, label, _ := strings.Cut(row, `">`)
		label, rest, _ := strings.Cut(label, "</a></th><td>")
		rank, _, _ := strings.Cut(rest, "</td>")
		check.Contains(t, "table of the field", ranks, "| "+label+" | "+strings.NewReplacer("[", `\[`, "]", `\]`).Replace(rank)+" |")
	}
	top := append([]byte("# popbench\n\n[![CI](https://example.org/badge.svg)](https://example.org/)\n\n"), check.Must(os.ReadFile("../../README.md"))(t)[len("# popbench\n\n"):]...)
	check.That(t, intro.Match(withoutBadges(top)), "badges hide the first words of the README")
}
