package report

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"popbench/internal/outcome"
	"popbench/internal/views/charting"
	"popbench/internal/views/replay"
	"popbench/internal/words"
)

// File is a file of a report.
type File struct {
	Path string // from the report's folder, with slashes
	Data []byte
}

// Write writes the file below a folder.
func (f *File) Write(dir string) error {
	path := filepath.Join(dir, filepath.FromSlash(f.Path))
	err := os.MkdirAll(filepath.Dir(path), 0o777)
	if err == nil {
		err = os.WriteFile(path, f.Data, 0o666)
	}
	if err != nil {
		return fmt.Errorf("report: %w; make room or give another --out", err)
	}
	return nil
}

// Written is a file with what is written to it.
func Written(path string, write func(io.Writer) error) (File, error) {
	var b bytes.Buffer
	err := write(&b)
	return File{path, b.Bytes()}, err
}

// Files are files in the making, in order.
type Files struct {
	All []File
	Err error // the first of those of writing
}

// Add adds a file with what is written to it.
func (f *Files) Add(path string, write func(io.Writer) error) {
	file, err := Written(path, write)
	f.All, f.Err = append(f.All, file), cmp.Or(f.Err, err)
}

// Manifest names the list of a report's files, in the format of sha256sum.
const Manifest = "files.sha256"

// Replace writes the files of a report over an earlier report and removes files that only the earlier one had. It keeps
// files that were changed since, and returns their paths. Everything else in the folder stays.
func Replace(dir string, files []File) (kept []string, err error) {
	var list strings.Builder
	for i := range files {
		if err := files[i].Write(dir); err != nil {
			return nil, err
		}
		fmt.Fprintf(&list, "%x  %s\n", sha256.Sum256(files[i].Data), files[i].Path)
	}
	old, err := os.ReadFile(filepath.Join(dir, Manifest))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("report: %w; delete it or give another --out", err)
	}
	for line := range bytes.Lines(old) {
		sum, path, ok := strings.Cut(strings.TrimSuffix(string(line), "\n"), "  ")
		local := filepath.FromSlash(path)
		if !ok || !filepath.IsLocal(local) || slices.ContainsFunc(files, func(f File) bool { return f.Path == path }) {
			continue
		}
		full := filepath.Join(dir, local)
		data, err := os.ReadFile(full)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err == nil && fmt.Sprintf("%x", sha256.Sum256(data)) == sum:
			err = os.Remove(full)
		case err == nil:
			kept = append(kept, full)
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("report: a file of an earlier report cannot be removed: %w; remove it or give another --out", err)
		}
	}
	return kept, (&File{Manifest, []byte(list.String())}).Write(dir)
}

// maxReplays is how many bytes of a page are for runs step by step. The runs of every method are cut to as many as fit.
const maxReplays = 1_500_000

// addReplays puts the runs on problems of one or two dimensions on the page, step by step. The method whose lines have the
// first style comes first: POP-BO where it was run. If not even one run of each fits, the page has none.
func (page *Page) addReplays(limit int) error {
	styles := charting.Styles(page.Table.Results)
	for most := outcome.MaxTraces; most > 0; {
		size := 0
		for _, p := range page.Problems {
			groups := words.Only(page.Table.Groups, func(g *outcome.Group) bool { return g.Problem.Name == p.name })
			if k := slices.IndexFunc(groups, func(g *outcome.Group) bool { return styles[g.Algorithm.Label] == 0 }); k > 0 {
				first := groups[k]
				groups = slices.Insert(slices.Delete(groups, k, k+1), 0, first)
			}
			var err error
			if p.Replay, err = replay.New(page.Table.Dir, p.file+"-runs", groups, most); err != nil {
				return err
			}
			if p.Replay != nil {
				size += len(p.Replay.JSON)
			}
		}
		if size <= limit {
			return nil
		}
		most = min(most-1, most*limit/size)
	}
	for _, p := range page.Problems {
		p.Replay = nil
	}
	page.Unshown = true
	return nil
}
