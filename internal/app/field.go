package app

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"popbench/configs"
	"popbench/internal/outcome"
	"popbench/internal/page/document"
	"popbench/internal/views/field"
	"popbench/internal/views/report"
	"popbench/internal/words"
	"popbench/record"
	"popbench/suite"
)

// FieldName is what a user calls the results of the field, and their folder in results.
const FieldName = "field"

// submissionsName is the folder at the top of the repository with a folder for each submission.
const submissionsName = "submissions"

// Field runs the suite that compares all methods on equal terms, unless the folder out has compact records, and writes its
// page. If quick it runs one repetition on boxes of one and two dimensions, with the first oracle. If cells failed it
// returns the page and an error.
func (a *App) Field(ctx context.Context, out string, quick bool) (*field.Field, error) {
	file := configs.Field()
	compact, err := record.IsCompact(out)
	if err != nil {
		return nil, err
	}
	var failed error
	if compact {
		a.tell(Doing{words.Quote(out) + " has compact records, so nothing is run; give another --out to run the suite"})
	} else {
		j := job{RunOptions: RunOptions{Suite: file.Path, Out: out}, text: file.Text}
		if quick {
			j.choose = func(c suite.Cell) bool {
				h := &c.Template
				return c.Repetition == 0 && len(h.Problem.Lo) <= 2 && h.Problem.Arms == nil && h.Oracle == nil
			}
		}
		ran, err := a.run(ctx, j)
		if err != nil {
			return nil, err
		}
		a.tell(Doing{ran.String()})
		failed = ran.Err(false)
	}
	f, err := Until(ctx, func() (*field.Field, error) { return field.New(results{ctx, out, true}, nil) }, "the page was not written")
	if err == nil {
		err = a.writeField(ctx, f, out, []document.Link{{Text: "Suite", Href: "suite.yaml"}}, out)
	}
	if err != nil {
		return nil, errors.Join(failed, err)
	}
	return f, failed
}

// Tuned is what Tune chose, and the field with it.
type Tuned struct {
	*field.Tuning              // nil if no algorithm of the suite has variants
	Field         *field.Field // nil if there is none
	Out           string       // the folder of the page
}

// Tune chooses a variant of each algorithm of a suite, a file or a built-in one, by the plan of the field: it runs the
// variants on the tuning problems in the folder out-tuning, then the published and the chosen form on the field's in the
// folder out, by default results/NAME, and ranks both beside the field. A suite without variants runs on the field only. Its
// time limit is kept, and a smaller number of repetitions. Of the field's own suite only the variants run: its choice is in
// the field's suite.
func (a *App) Tune(ctx context.Context, name, out string) (*Tuned, error) {
	path, text, err := a.readSuite(name)
	if err != nil {
		return nil, err
	}
	own, err := suite.Parse(path, text, a.Catalogue)
	if err != nil {
		return nil, err
	}
	plan := configs.Tuning()
	ours, beside := bytes.Equal(text, plan.Text), ""
	if ours {
		out = cmp.Or(out, filepath.Join("results", FieldName))
	} else {
		if beside, err = findField(); err != nil { // the runs may take hours, and say nothing without it
			return nil, fmt.Errorf("field: %w; work in a copy of the repository, or run bench field first", err)
		}
		out = cmp.Or(out, filepath.Join("results", own.Name))
		text = withAlgorithms(plan.Text, own.Name+"-tuning", variants(own))
	}
	var t Tuned
	if slices.ContainsFunc(own.Algorithms, func(one suite.Algorithm) bool { return one.Of != "" }) {
		if t.Tuning, err = a.tune(ctx, job{RunOptions: RunOptions{Suite: path, Out: tuningFolder(out)}, text: text}); err != nil {
			return nil, err
		}
		if err := a.put(tuningFolder(out), []report.File{{Path: field.TuningFile, Data: t.Bytes()}}); err != nil || ours {
			return &t, err
		}
	}
	text = onField(own, chosen(own, t.Tuning))
	ran, err := a.run(ctx, job{RunOptions: RunOptions{Suite: path, Out: out}, text: text})
	if err != nil {
		return nil, err
	}
	a.tell(Doing{ran.String()})
	t.Out = filepath.Join(out, FieldName)
	t.Field, err = a.Beside(ctx, out, beside, t.Out)
	return &t, errors.Join(ran.Err(false), err)
}

// tuningFolder is where the variants of the methods in a results folder were run.
func tuningFolder(results string) string { return filepath.Clean(results) + "-tuning" }

// tune runs the variants of a suite and chooses. The suite's file is the plan.
func (a *App) tune(ctx context.Context, j job) (*field.Tuning, error) {
	s, err := suite.Parse(j.Suite, j.text, a.Catalogue)
	if err != nil {
		return nil, err
	}
	var methods [][]string
	for _, one := range s.Algorithms {
		if one.Of == "" {
			methods = append(methods, nil)
		}
		last := &methods[len(methods)-1]
		*last = append(*last, one.Label)
	}
	plan := digest(j.text)
	a.tell(Doing{fmt.Sprintf("the plan of tuning is %s, SHA-256 %s", words.Quote(filepath.Join(j.Out, "suite.yaml")), plan)})
	ran, err := a.run(ctx, j)
	if err != nil {
		return nil, err
	}
	a.tell(Doing{ran.String()})
	if err := ran.Err(false); err != nil {
		return nil, err
	}
	of, err := Until(ctx, func() (*outcome.Results, error) { return outcome.Collect(results{ctx, j.Out, false}) }, "nothing was chosen")
	if err != nil {
		return nil, err
	}
	return field.Choose(of, plan, methods)
}

// labelOf is the label of an algorithm in a plan.
var labelOf = regexp.MustCompile(`label: ([^,}]+)`)

// sources are the comments of a plan on where the variants of each algorithm are from. "The same" at the beginning of one
// stands for the last comment that does not begin so.
func sources(plan []byte) map[string]string {
	from := map[string]string{}
	base, comment := "", ""
	_, text, _ := strings.Cut(string(plan), "\nalgorithms:\n")
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if words, ok := strings.CutPrefix(line, "#"); ok {
			comment = strings.TrimSpace(comment + words)
		} else if m := labelOf.FindStringSubmatch(line); m != nil && comment != "" {
			if rest, same := strings.CutPrefix(comment, "The same"); same {
				comment = strings.TrimSuffix(base, ".") + rest
			} else {
				base = comment
			}
			from[m[1]], comment = comment, ""
		}
	}
	return from
}

// variants returns the algorithms of a suite as its file may have them, with their variants.
func variants(s *suite.Suite) (all []suite.Algorithm) {
	for _, one := range s.Algorithms {
		if one.Of == "" {
			all = append(all, one)
			continue
		}
		last := &all[len(all)-1]
		last.Variants = append(last.Variants, one.Settings)
	}
	return all
}

// chosen returns the published form of each algorithm, and its chosen variant unless that is the published form.
func chosen(s *suite.Suite, t *field.Tuning) (all []suite.Algorithm) {
	for _, one := range s.Algorithms {
		if one.Of != "" {
			m := t.Of(one.Of)
			if m.Variants[m.Chosen].Label != one.Label {
				continue
			}
			one.Label = m.Label + field.TunedSuffix
		}
		all = append(all, one)
	}
	return all
}

// withAlgorithms returns the text of a suite with another name, which is its title too, and other algorithms. The last key
// of the text is algorithms.
func withAlgorithms(text []byte, name string, all []suite.Algorithm) []byte {
	head, _, _ := bytes.Cut(text, []byte("\nalgorithms:\n"))
	b := bytes.NewBuffer(withKey(withKey(head, "name", inYAML(name)), "title", inYAML(name)))
	b.WriteString("\nalgorithms:\n")
	for _, one := range all {
		entry, err := json.Marshal(one)
		if err != nil {
			panic(err) // it was read from a file
		}
		fmt.Fprintf(b, "  - %s\n", entry)
	}
	return b.Bytes()
}

// onField returns the text of the field's suite with what the user's suite states: name, title, algorithms, time limit, and
// repetitions if the field has more.
func onField(own *suite.Suite, algorithms []suite.Algorithm) []byte {
	file := configs.Field()
	all, err := suite.Parse(file.Path, file.Text, suite.Catalogue{})
	if err != nil {
		panic(err) // it is part of the program
	}
	text := withKey(withAlgorithms(file.Text, own.Name, algorithms), "title", strconv.Quote(cmp.Or(own.Title, own.Name)))
	text = withKey(text, "repetitions", strconv.Itoa(min(own.Repetitions, all.Repetitions)))
	return withKey(text, "timeout", cmp.Or(own.Timeout, all.Timeout))
}

// Beside ranks the methods in the results folder dir among the field's, whose results are in the folder beside, and writes
// the page to out. FieldName stands for results/field, here or further up.
func (a *App) Beside(ctx context.Context, dir, beside, out string) (f *field.Field, err error) {
	if beside == FieldName {
		if beside, err = findField(); err != nil {
			return nil, fmt.Errorf("report: --beside field: %w: name its folder", err)
		}
	}
	if f, err = rank(ctx, "the page was not written", beside, dir); err != nil {
		return nil, err
	}
	return f, a.writeField(ctx, f, out, nil, beside, dir)
}

// findField returns the folder results/field of the working directory or of one above it.
func findField() (string, error) {
	if exists(FieldName) { // a folder of that name
		return FieldName, nil
	}
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		at := filepath.Join(dir, "results", FieldName)
		if exists(filepath.Join(at, "records")) {
			return at, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", errors.New("there is no results/field here or in a folder above; it is in popbench's repository, and bench field makes it")
		}
		dir = parent
	}
}

// writeField writes the page of the field. The folders in tuned say how its methods were tuned.
func (a *App) writeField(ctx context.Context, f *field.Field, out string, links []document.Link, tuned ...string) error {
	for _, dir := range tuned {
		path := filepath.Join(dir, field.TuningFile)
		data, err := readAny(dir, field.TuningFile)
		if data == nil && err == nil {
			path = filepath.Join(tuningFolder(dir), field.TuningFile)
			data, err = readAny(tuningFolder(dir), field.TuningFile)
		}
		if data == nil && err == nil {
			continue
		}
		var t *field.Tuning
		if err == nil {
			t, err = field.ReadTuning(data)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", words.Quote(path), err)
		}
		if plan := configs.Tuning().Text; t.Plan == digest(plan) {
			from := sources(plan)
			for i := range t.Methods {
				t.Methods[i].Source = from[t.Methods[i].Label]
			}
		}
		f.Tuned(t)
	}
	if f.Mine == nil {
		if err := a.enter(ctx, f, out); err != nil {
			return err
		}
	}
	files, err := f.Files(links)
	if err != nil {
		return err
	}
	return a.put(out, files)
}

// enter adds the submissions of the repository to the field in the folder out, two below its top. It tells which submissions
// it leaves out, and adds none if one of them cannot be compared with the field.
func (a *App) enter(ctx context.Context, f *field.Field, out string) error {
	dir := filepath.Join(filepath.Clean(out), "..", "..", submissionsName)
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	var files []string
	entrants := map[string]field.Entrant{}
	for _, e := range entries {
		folder := filepath.Join(dir, e.Name())
		if !e.IsDir() {
			continue
		}
		s, err := readSubmission(folder)
		if err == nil {
			file := filepath.Join(folder, submissionResults)
			if err = eachLabel(file, func(label string) { entrants[label] = field.Entrant{From: s.Program, Checked: s.checked()} }); err == nil {
				files = append(files, file)
			}
		}
		if err != nil {
			a.tell(Doing{fmt.Sprintf("the page is without %s: %v", words.Quote(folder), err)})
		}
	}
	if files == nil {
		return nil
	}
	others, err := rank(ctx, "nothing was ranked", out, files...)
	switch {
	case ctx.Err() != nil:
		return err
	case err != nil:
		a.tell(Doing{fmt.Sprintf("the page is without the programs in %s: %v", words.Quote(dir), err)})
	default:
		f.Enter(others, entrants)
	}
	return nil
}

func eachLabel(file string, visit func(label string)) error {
	_, err := results{context.Background(), file, false}.Each(func(r *record.Record, _ *record.Timing) error {
		visit(r.Header.Algorithm.Label)
		return nil
	})
	return err
}

// rank ranks the methods of some results folders or archives among those of the field. The sentence says what is missing if
// the context ends it.
func rank(ctx context.Context, sentence, theField string, dirs ...string) (*field.Field, error) {
	theirs := words.Each(dirs, func(dir string) record.Source { return results{ctx, dir, true} })
	return Until(ctx, func() (*field.Field, error) {
		joined, err := field.Beside(results{ctx, theField, true}, theirs...)
		if err != nil {
			return nil, err
		}
		return field.New(joined, joined.Labels)
	}, sentence)
}
