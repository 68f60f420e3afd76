package bench

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// file is a file of a report; its path is from the report's folder, with
// slashes.
type file struct {
	path string
	data []byte
}

func (f *file) write(dir string) error {
	path := filepath.Join(dir, filepath.FromSlash(f.path))
	err := os.MkdirAll(filepath.Dir(path), 0o777)
	if err == nil {
		err = os.WriteFile(path, f.data, 0o666)
	}
	if err != nil {
		return fmt.Errorf("report: %w; make room or give another --out", err)
	}
	return nil
}

func (f *file) sum() string {
	sum := sha256.Sum256(f.data)
	return hex.EncodeToString(sum[:])
}

// manifest is the list of a report's files, in the format of sha256sum.
const manifest = "files.sha256"

// replaceFiles writes a report in the place of an earlier one: files that only
// that one had are removed. Those that were changed since stay, and are
// returned; so does whatever else is in the folder.
func replaceFiles(dir string, files []file) (kept []string, err error) {
	var list strings.Builder
	for i := range files {
		if err := files[i].write(dir); err != nil {
			return nil, err
		}
		fmt.Fprintf(&list, "%s  %s\n", files[i].sum(), files[i].path)
	}
	old, err := os.ReadFile(filepath.Join(dir, manifest))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("report: %w; delete it or give another --out", err)
	}
	for line := range bytes.Lines(old) {
		sum, path, ok := strings.Cut(strings.TrimSuffix(string(line), "\n"), "  ")
		local := filepath.FromSlash(path)
		if !ok || !filepath.IsLocal(local) || slices.ContainsFunc(files, func(f file) bool { return f.path == path }) {
			continue
		}
		full := filepath.Join(dir, local)
		data, err := os.ReadFile(full)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err == nil && (&file{path, data}).sum() == sum:
			err = os.Remove(full)
		case err == nil:
			kept = append(kept, full)
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("report: a file of an earlier report cannot be removed: %w; remove it or give another --out", err)
		}
	}
	return kept, (&file{manifest, []byte(list.String())}).write(dir)
}
