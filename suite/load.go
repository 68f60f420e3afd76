package suite

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"popbench/internal/limits"
	"popbench/internal/strict"
	"popbench/internal/words"
)

// Load reads a suite file, which may name what is in the catalogue. See [Parse].
func Load(path string, cat Catalogue) (*Suite, error) {
	data, err := strict.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return Parse(path, data, cat)
}

// Parse reads a suite, YAML or JSON, and validates it: its names against the catalogue, the settings of each algorithm
// with their own Validate. The result includes all defaults: every label and scale, and complete settings of the
// catalogue's types. The error has a line for each mistake, which begins with the name of the file and the line.
func Parse(name string, data []byte, cat Catalogue) (*Suite, error) {
	s, err := parse(name, data, cat)
	if err == nil {
		s.file, s.text, s.catalogue = name, slices.Clone(data), cat
	}
	return s, err
}

// Source returns what Parse got. It returns an error if fields have changed since, because results keep the text as the
// suite of their runs.
func (s *Suite) Source() (name string, text []byte, cat Catalogue, err error) {
	if s == nil || s.text == nil {
		return "", nil, Catalogue{}, errors.New("the suite is empty; Load or Parse reads one")
	}
	before, err := parse(s.file, s.text, s.catalogue)
	if err != nil {
		return "", nil, Catalogue{}, err
	}
	now := *s
	now.file, now.text, now.catalogue = "", nil, Catalogue{}
	if !reflect.DeepEqual(&now, before) {
		return "", nil, Catalogue{}, fmt.Errorf("suite %s differs from its text; change that and Parse it", s.Name)
	}
	return s.file, s.text, s.catalogue, nil
}

func parse(name string, data []byte, cat names) (*Suite, error) {
	d := &checker{strict.NewDecoder(name), cat, map[string]string{}}
	d.Lazy = true
	s := new(Suite)
	d.Decode(data, s)
	s.Dir = filepath.Dir(name)
	d.checkSuite(s)
	if err := d.Err(); err != nil {
		return nil, err
	}
	return s, nil
}

// checkSuite validates the decoded suite. Absent and refused fields are zero; it does not report
// them again.
func (d *checker) checkSuite(s *Suite) {
	if s.Name != "" || d.Given("name") && !d.Failed("name") {
		if err := words.CheckName(s.Name); err != nil {
			d.FailAt("name", "%q %v", strict.Shorten(s.Name), err)
		}
	}
	if err := words.CheckTitle(s.Title); err != nil {
		d.FailAt("title", "%v", err)
	}
	if s.Timeout != "" {
		if _, err := limits.Timeout(s.Timeout); err != nil {
			d.FailAt("timeout", "%q %v; remove the key for no limit", strict.Shorten(s.Timeout), err)
		}
	}

	if s.FirstDuels > 0 && s.FirstDuels >= s.Steps && !d.Failed("first_duels") && !d.Failed("steps") {
		d.FailAt("first_duels", "is %d, and steps is %d; leave the algorithms at least one", s.FirstDuels, s.Steps)
	}
	for i, t := range s.Snapshots {
		path := fmt.Sprintf("snapshots[%d]", i)
		switch {
		case d.Failed(path):
		case t < 1 || t > s.Steps:
			d.FailAt(path, "is %d; give a step from 1 to %d, the number of steps", t, s.Steps)
		case i > 0 && t <= s.Snapshots[i-1]:
			d.FailAt(path, "is %d after %d; give them in increasing order", t, s.Snapshots[i-1])
		}
	}
	if scored := []string{"held-out-log-loss", "excess-log-loss", "kendall-tau"}; slices.Contains(scored, s.Headline) && !d.Given("held_out") {
		d.FailAt("headline", "is %s, which only runs with held-out duels have; add held_out: 200", s.Headline)
	}

	problems := d.checkProblems(s)
	d.checkAlgorithms(s, problems)
	d.checkOracles(s)
	if err := s.checkCells(); err != nil {
		d.FailAt("repetitions", "%v", err)
	}
}

// checkProblems returns the identifiers of the problems, sorted.
func (d *checker) checkProblems(s *Suite) []string {
	seen := map[string]int{}
	labels := map[string]int{}
	for i := range s.Problems {
		p, entry := &s.Problems[i], fmt.Sprintf("problems[%d]", i)
		path := entry + ".name"
		if p.Name == "" && (!d.Given(path) || d.Failed(path) || d.Failed(entry)) {
			continue
		}
		builtIn, own := slices.Contains(d.cat.Problems(), p.Name), p.External() || p.Name == Table
		if builtIn || own || len(p.Command) == 0 {
			d.refuseKeys(*p, p.Name, entry)
			if p.External() {
				d.checkObjective(p, entry)
			}
			d.checkFinite(p, entry)
		}
		if s.Paper != "" && p.Arms != nil {
			d.FailAt(entry+".arms", "is another set of points than the paper's box; remove it, or the key paper")
		}
		switch first, twice := seen[p.ID()]; {
		case !builtIn && !own:
			d.failUnknown(path, "problem", p.Name, d.cat.Problems(), &p.Program)
		case p.Label != "":
			d.checkLabel(p.Label, "problems", entry, i, labels)
			if !own && slices.Contains(d.cat.Problems(), p.Label) && p.Label != p.Name {
				d.FailAt(entry+".label", "%q is the name of a built-in problem; give another", strict.Shorten(p.Label))
			}
			seen[p.Label] = i
		case own: // its label is missing
		case twice:
			d.FailAt(path, "problem %s is already problems[%d]; keep one, or give this one a label", p.Name, first)
		default:
			seen[p.Name] = i
			labels[strings.ToLower(p.Name)] = i
		}
		if builtIn {
			d.names[p.ID()] = p.Name
		}
	}
	return slices.Sorted(maps.Keys(seen))
}

// checkAlgorithms also puts the variants of each algorithm behind it.
func (d *checker) checkAlgorithms(s *Suite, problems []string) {
	labels := map[string]int{}
	variants := make([][]Algorithm, len(s.Algorithms))
	for i := range s.Algorithms {
		a, path := &s.Algorithms[i], fmt.Sprintf("algorithms[%d]", i)
		if a.External() {
			d.checkOwnName(a.Label, path, "algorithm", d.cat.Algorithms())
		} else if a.Label == "" {
			a.Label = a.Name
		}
		if a.Label != "" {
			d.checkLabel(a.Label, "algorithms", path, i, labels)
		}
		if a.Name == "" && (!d.Given(path+".name") || d.Failed(path+".name") || d.Failed(path)) {
			continue
		}
		if !a.External() && !slices.Contains(d.cat.Algorithms(), a.Name) {
			d.failUnknown(path+".name", "algorithm", a.Name, d.cat.Algorithms(), &a.Program)
			continue
		}
		d.refuseKeys(*a, a.Name, path)
		if a.External() {
			d.checkProgram(&a.Program, path)
		}
		variants[i] = d.variants(a, path, i, labels, problems)
		d.checkSettings(a, path, problems)
	}
	var all []Algorithm
	for i, a := range s.Algorithms {
		all = append(append(all, a), variants[i]...)
	}
	s.Algorithms = all
}

// variants returns the variants of algorithm i as algorithms, checked and with complete settings. Its own settings must not
// be decoded yet.
func (d *checker) variants(a *Algorithm, path string, i int, labels map[string]int, problems []string) (all []Algorithm) {
	if len(a.Variants) > 0 && len(a.Overrides) > 0 {
		d.FailAt(path+".variants", "is given, and overrides too; keep one")
		return nil
	}
	for k, v := range a.Variants {
		at, one := fmt.Sprintf("%s.variants[%d]", path, k), *a
		// Variants count from 2: the algorithm itself is the first.
		one.Variants, one.Of, one.Label = nil, a.Label, fmt.Sprintf("%s %d", a.Label, k+2)
		d.checkLabel(one.Label, "algorithms", at, i, labels)
		one.Settings = d.settings(a, layer{path + ".settings", a.Settings}, layer{at, v})
		for _, problem := range problems {
			d.checkDisclosure(&one, path, problem)
		}
		all = append(all, one)
	}
	a.Variants = nil
	return all
}

// layer is a block of settings in a file.
type layer struct {
	path string
	held any // as the decoder keeps it; nil if the file has none
}

// checkSettings decodes an algorithm's settings: the settings block, then the overrides of a problem.
func (d *checker) checkSettings(a *Algorithm, path string, problems []string) {
	known := func(at, problem string) {
		if !slices.Contains(problems, problem) {
			d.FailAt(at, "the suite has no problem %q; %s", strict.Shorten(problem), strict.DidYouMean(problem, problems, "remove the override"))
		}
	}
	for _, problem := range slices.Sorted(maps.Keys(a.DiscloseOn)) {
		known(strict.Join(path+".disclose_on", problem), problem)
	}
	overridden := slices.Sorted(maps.Keys(a.Overrides))
	for _, problem := range overridden {
		known(strict.Join(path+".overrides", problem), problem)
	}
	base := layer{path + ".settings", a.Settings}
	a.Settings = d.settings(a, base)
	for _, problem := range overridden {
		over := layer{strict.Join(path+".overrides", problem), a.Overrides[problem]}
		a.Overrides[problem] = d.settings(a, base, over)
	}
	for _, problem := range problems {
		d.checkDisclosure(a, path, problem)
	}
}

// settings decodes the layers, each over those before: over the algorithm's defaults, and validates the result; or as a
// mapping, which an external algorithm gets as it is.
func (d *checker) settings(a *Algorithm, layers ...layer) any {
	if a.External() {
		all := map[string]any{}
		for _, l := range layers {
			maps.Copy(all, d.Mapping(l.held, l.path))
		}
		return all
	}
	dst, before := d.cat.Settings(a.Name), d.Count()
	for _, l := range layers {
		d.Held(l.held, l.path, dst)
	}
	if v, ok := dst.(interface{ Validate() error }); ok && d.Count() == before {
		for _, err := range split(v.Validate()) {
			d.FailAt(d.wrong(err, layers), "%v", err)
		}
	}
	return dst
}

// split returns the errors that errors.Join has combined.
func split(err error) []error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		return joined.Unwrap()
	}
	if err == nil {
		return nil
	}
	return []error{err}
}

// wrong returns the path of the key that an error of the settings is about: the first of the error's keys that the file
// gives. If the file gives none of them, it returns the path of the block.
func (d *checker) wrong(err error, layers []layer) string {
	if of, ok := errors.AsType[keyed](err); ok {
		for _, key := range of.Keys() {
			for _, l := range slices.Backward(layers) {
				if path := l.path + "." + key; d.Given(path) {
					return path
				}
			}
		}
	}
	return layers[len(layers)-1].path
}

// keyed is an error of settings that knows the keys that may have caused it, the most likely first.
type keyed interface {
	error
	Keys() []string
}
