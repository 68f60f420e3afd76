// Package site writes the static site of the project from a working tree: its documentation and results, and a page for each
// paper, method and problem. Pages lead to each other by relative links, and need neither a network nor scripts.
package site

import (
	"bytes"
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"popbench/internal/inspect"
	"popbench/internal/page/document"
	"popbench/suite"
)

// Build makes the site of a working tree of the project. The catalogue has the methods and problems that get a page.
func Build(tree fs.FS, catalogue suite.Catalogue) (*Site, error) {
	known, err := read(tree, catalogue)
	if err != nil {
		return nil, err
	}
	b := &builder{known: known, tree: tree, catalogue: catalogue, listing: inspect.All(catalogue), site: &Site{Files: map[string][]byte{}}}
	b.methods()
	for _, make := range []func() error{b.markdown, b.papers, b.problems, b.home, b.copyFiles} {
		if err := make(); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(b.site.Pages, func(p, q *Page) int { return cmp.Compare(p.Path, q.Path) })
	b.distinguish()
	b.search()
	for _, p := range b.site.Pages {
		b.site.Files[p.Path] = made("page", p)
	}
	b.site.Files[styleFile] = []byte(string(document.CSS()) + style)
	return b.site, nil
}

// Write writes the files to a folder, which must be empty or absent.
func (s *Site) Write(dir string) error {
	if there, _ := os.ReadDir(dir); len(there) > 0 {
		return fmt.Errorf("%s is not empty; delete it or give another folder", dir)
	}
	for name, data := range s.Files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(file, data, 0o666); err != nil {
			return err
		}
	}
	return nil
}

// Size is the size of all files together, in bytes.
func (s *Site) Size() (size int) {
	for _, data := range s.Files {
		size += len(data)
	}
	return size
}

// copyFiles adds the files that pages lead to, and the page of the field, with the navigation above it, and its tables.
func (b *builder) copyFiles() error {
	entries, err := fs.ReadDir(b.tree, path.Dir(fieldPage))
	if err != nil {
		return err
	}
	for _, e := range entries {
		if slices.Contains([]string{".html", ".csv", ".md", ".svg", ".txt", ".yaml"}, path.Ext(e.Name())) {
			b.wanted = append(b.wanted, path.Join(path.Dir(fieldPage), e.Name()))
		}
	}
	for _, name := range b.wanted {
		if _, ok := b.site.Files[name]; ok {
			continue
		}
		data, err := fs.ReadFile(b.tree, name)
		if err != nil {
			return err
		}
		if name == fieldPage {
			data = bytes.Replace(data, []byte("<body>\n"), append([]byte("<body>\n"), made("above", navigation("../../"))...), 1)
		}
		b.site.Files[name] = data
	}
	return nil
}

// distinguish adds the path of a text to its title where other pages have the same.
func (b *builder) distinguish() {
	titled := map[string]int{}
	for _, p := range b.site.Pages {
		titled[p.Title]++
	}
	for _, p := range b.site.Pages {
		if titled[p.Title] > 1 && (p.Kind == "Documentation" || p.Kind == "Results") {
			p.Title += " (" + strings.TrimSuffix(p.Path, path.Ext(p.Path)) + ")"
		}
	}
}

// search adds the page that lists all pages and their parts.
func (b *builder) search() {
	type kind struct {
		Name  string
		Pages []*Page
	}
	var kinds []kind
	for _, name := range []string{"Methods", "Problems", "Papers", "Documentation", "Results"} {
		others := func(p *Page) bool { return p.Kind != name }
		kinds = append(kinds, kind{name, slices.DeleteFunc(slices.Clone(b.site.Pages), others)})
	}
	b.add(&Page{Path: searchPage, Title: "Search"}, "search", kinds)
}
