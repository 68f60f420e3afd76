package app

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"popbench/internal/views/export"
	"popbench/record"
)

// Compact is the form of an export that is a smaller results folder.
const Compact = "compact"

// Exported is an export.
type Exported struct {
	Out string // its folder
	*export.Summary
}

var exportForms = map[string]export.Form{"csv": export.Tidy, "ioh": export.IOH, "pairs": export.Pairs}

// Export writes the records in dir, or in all results folders there, as csv, ioh, pairs or Compact; by default to
// export/FORM in dir.
func (a *App) Export(ctx context.Context, dir, out, form string) (*Exported, error) {
	out = cmp.Or(out, filepath.Join(dir, "export", form))
	if form == Compact {
		return exportCompact(ctx, dir, out)
	}
	names, err := record.Folders(dir)
	if err != nil {
		return nil, err
	}
	if names == nil {
		names = []string{""}
	}
	var folders []export.Folder
	for _, name := range names {
		r, err := record.Open(filepath.Join(dir, name))
		if err != nil {
			return nil, err
		}
		folders = append(folders, export.Folder{Name: filepath.ToSlash(name), Source: Stoppable{Source: r, Ctx: ctx}})
	}
	var summary *export.Summary
	err = newFolder(out, func(create export.Create) (err error) {
		summary, err = exportForms[form](folders, create)
		return err
	})
	switch {
	case errors.Is(err, context.Canceled):
		return nil, Stopped("nothing was written")
	case err != nil:
		return nil, fmt.Errorf("export: %w", err)
	}
	return &Exported{out, summary}, nil
}

// exportCompact writes a results folder that says less of each run.
func exportCompact(ctx context.Context, dir, out string) (*Exported, error) {
	r, err := record.Open(dir)
	if err != nil {
		return nil, err
	}
	n, err := Until(ctx, func() (int, error) { return record.WriteCompact(out, r) }, "the compact records are not complete")
	if err != nil {
		return nil, fmt.Errorf("export: %w", err)
	}
	return &Exported{out, &export.Summary{Runs: n}}, nil
}

// newFolder makes a folder with the files that write creates. It refuses a folder that has files, because those of another
// export would stay among the new ones. After an error there is no folder.
func newFolder(dir string, write func(export.Create) error) error {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if len(entries) > 0 {
		return fmt.Errorf("%s has files already; delete it or give another --out", dir)
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o777); err != nil {
		return err
	}
	temp, err := os.MkdirTemp(filepath.Dir(dir), filepath.Base(dir)+".*.tmp")
	if err != nil {
		return err
	}
	if err = write(func(path string) (io.WriteCloser, error) {
		return createFile(filepath.Join(temp, filepath.FromSlash(path)))
	}); err == nil {
		if entries != nil {
			err = os.Remove(dir) // Windows renames onto no folder
		}
		if err == nil {
			err = os.Chmod(temp, 0o755) // MkdirTemp keeps others out
		}
		if err == nil {
			err = os.Rename(temp, dir)
		}
	}
	if err != nil {
		_ = os.RemoveAll(temp)
	}
	return err
}

// bufferedFile is a file with a buffer, which Close writes.
type bufferedFile struct {
	*bufio.Writer
	file *os.File
}

func createFile(path string) (io.WriteCloser, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return nil, err
	}
	return bufferedFile{bufio.NewWriter(f), f}, nil
}

func (b bufferedFile) Close() error {
	err := b.Flush()
	if e := b.file.Close(); err == nil {
		err = e
	}
	return err
}
