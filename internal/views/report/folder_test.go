package report

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"popbench/internal/check"
)

// A report that cannot be written, or that would replace a file of somebody else, leaves the folder as it was. One that
// cannot be moved into its place leaves no page, and the next one mends it.
func TestReplaceFails(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put := func(text string, paths ...string) error {
		files := []File{{indexFile, []byte(text)}}
		for _, path := range paths {
			files = append(files, File{path, []byte(text)})
		}
		_, err := Replace(dir, files)
		return err
	}
	check.OK(t, os.MkdirAll(filepath.Join(dir, making, "killed"), 0o777))
	check.OK(t, put("old", "a.txt", "b/c.txt", "d.txt"))
	check.OK(t, os.WriteFile(filepath.Join(dir, "mine.txt"), nil, 0o666))
	before := check.Files(t, dir)
	check.Equal(t, "files", len(before), 6)
	for path, want := range map[string]string{strings.Repeat("x", 300): "x", "mine.txt": "is of no report"} {
		check.Error(t, path, put("new", "a.txt", path), want, "give another --out")
		check.Same(t, "files after "+path, check.Files(t, dir), before)
	}
	check.OK(t, os.Remove(filepath.Join(dir, "d.txt")))
	check.OK(t, os.MkdirAll(filepath.Join(dir, "d.txt", "x"), 0o777))
	check.Error(t, "a folder in the way", put("new", "a.txt", "d.txt"), "d.txt", "in the way")
	check.Equal(t, "page of half a report", check.Files(t, dir)[indexFile], "")
	check.OK(t, os.RemoveAll(filepath.Join(dir, "d.txt")))
	check.OK(t, put("new", "a.txt", "d.txt"))
	check.Equal(t, "page", check.Files(t, dir)[indexFile], "new")
}
