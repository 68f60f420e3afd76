package app

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"popbench/configs"
	"popbench/internal/page/document"
	"popbench/internal/printable"
	"popbench/internal/views/field"
	"popbench/record"
	"popbench/suite"
)

// FieldName is what a user calls the results of the field, and their folder in results.
const FieldName = "field"

// FieldOptions say where the field's suite runs.
type FieldOptions struct {
	Out     string
	Workers int
	Quick   bool // one of every thirty repetitions
}

// Field runs the suite that compares all methods on equal terms, unless the folder has compact records, and writes its page.
// If cells failed it returns the page and an error.
func (a *App) Field(ctx context.Context, o FieldOptions) (*field.Field, error) {
	file := configs.Field()
	compact, err := record.IsCompact(o.Out)
	if err != nil {
		return nil, err
	}
	var failed error
	if compact {
		a.tell(Doing{printable.Quote(o.Out) + " has compact records, so nothing is run; give another --out to run the suite"})
	} else {
		s, err := suite.Parse(file.Path, file.Text, a.Catalogue)
		if err != nil {
			return nil, err
		}
		j := job{RunOptions: RunOptions{Suite: file.Path, Out: o.Out, Workers: o.Workers}, text: file.Text}
		if o.Quick {
			j.Seeds = quick(s)
		}
		ran, err := a.run(ctx, j)
		if err != nil {
			return nil, err
		}
		a.tell(Doing{ran.String()})
		failed = ran.Err(false)
	}
	in, err := timed(o.Out)
	if err != nil {
		return nil, err
	}
	f, err := a.writeField(ctx, in, nil, o.Out, []document.Link{{Text: "Suite", Href: "suite.yaml"}})
	if err != nil {
		return nil, errors.Join(failed, err)
	}
	return f, failed
}

// Beside ranks the methods of a results folder among those of the field, in the folder beside, and writes the page to out.
// It returns the labels of these methods too. FieldName stands for the folder results/field, here or in a folder above.
func (a *App) Beside(ctx context.Context, dir, beside, out string) (f *field.Field, mine []string, err error) {
	if beside == FieldName {
		if beside, err = findField(); err != nil {
			return nil, nil, err
		}
	}
	own, err := timed(dir)
	if err != nil {
		return nil, nil, err
	}
	others, err := timed(beside)
	if err != nil {
		return nil, nil, err
	}
	joined, err := Until(ctx, func() (*field.Joined, error) { return field.Beside(own, others) }, "the page was not written")
	if err != nil {
		return nil, nil, err
	}
	f, err = a.writeField(ctx, joined, joined.Labels, out, nil)
	return f, joined.Labels, err
}

// timed returns a reader of records with their times.
func timed(dir string) (*record.Reader, error) {
	r, err := record.Open(dir)
	if err == nil {
		r.Timed = true
	}
	return r, err
}

// findField returns the folder results/field of the working directory or of one above it.
func findField() (string, error) {
	if _, err := os.Stat(FieldName); err == nil { // a folder of that name
		return FieldName, nil
	}
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		at := filepath.Join(dir, "results", FieldName)
		if _, err := os.Stat(filepath.Join(at, "records")); err == nil {
			return at, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", errors.New("report: --beside field: there is no results/field here or in a folder above; it is in popbench's repository, and bench field makes it: name its folder")
		}
		dir = parent
	}
}

// writeField writes the page of the field.
func (a *App) writeField(ctx context.Context, in record.Source, mine []string, out string, links []document.Link) (*field.Field, error) {
	f, err := Until(ctx, func() (*field.Field, error) { return field.New(Stoppable{in, ctx}, mine) }, "the page was not written")
	if err != nil {
		return nil, err
	}
	files, err := f.Files(links)
	if err != nil {
		return nil, err
	}
	return f, a.put(out, files)
}
