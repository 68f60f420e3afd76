package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"popbench/internal/limits"
	"popbench/internal/printable"
	"popbench/internal/words"
)

// maxFile is the maximum size of a file that ReadFile reads. A suite has a few kilobytes, an
// experiment with 2,000 comparisons in six dimensions half a megabyte. Reading four megabytes takes
// less than a second.
const maxFile = 4 << 20

// ReadFile reads a whole file of reasonable size. Its error is one line that names the file and
// says how to mend the problem.
func ReadFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s: no such file; check the path", path)
	case errors.Is(err, fs.ErrPermission):
		return nil, fmt.Errorf("%s: no permission to read it; check its mode", path)
	case err != nil:
		return nil, fmt.Errorf("%s: cannot open: %w", path, err)
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return nil, fmt.Errorf("%s: is a folder; name a file in it", path)
	}
	return ReadAll(path, f)
}

// ReadAll is ReadFile for an open file, which messages call name.
func ReadAll(name string, r io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	if err != nil {
		return nil, fmt.Errorf("%s: cannot read: %w", name, err)
	}
	if len(data) > maxFile {
		return nil, fmt.Errorf("%s: is larger than %d MiB; is it the right file?", name, maxFile>>20)
	}
	return data, nil
}

// Load reads a suite file. See [Parse].
func Load(path string, cat Catalogue) (*Suite, error) {
	data, err := ReadFile(path)
	if err != nil {
		return nil, err
	}
	return Parse(path, data, cat)
}

// Parse reads a suite by the rules of [Decode] and validates it: its names against the catalogue,
// the settings of each algorithm with their own Validate. The result includes all defaults: every
// label and scale, and complete settings of the catalogue's types. The error is an *Error with all
// mistakes; it calls the file name.
func Parse(name string, data []byte, cat Catalogue) (*Suite, error) {
	d := newDecoder(name)
	d.lazy = true
	s := new(Suite)
	d.decode(data, s)
	s.Dir = filepath.Dir(name)
	d.checkSuite(s, cat)
	if err := asError(d.issues); err != nil {
		return nil, err
	}
	return s, nil
}

// SetRepetitions replaces the number of repetitions, as a command-line flag does. The limits of a
// file apply.
func (s *Suite) SetRepetitions(n int) error {
	f, _ := reflect.TypeFor[Suite]().FieldByName("Repetitions")
	if err := checkRange(limits.Of(f.Tag), float64(n)); err != nil {
		return fmt.Errorf("%d %w", n, err)
	}
	s.Repetitions = n
	return s.checkCells()
}

// maxCells is the maximum number of runs of a suite; each writes two files.
const maxCells = 500_000

func (s *Suite) checkCells() error {
	if n := len(s.Problems) * len(s.Algorithms) * s.Repetitions; n > maxCells {
		return fmt.Errorf("%d repetitions of %s on %s are %d runs; the maximum is %d", s.Repetitions, words.Count(len(s.Algorithms), "algorithm"), words.Count(len(s.Problems), "problem"), n, maxCells)
	}
	return nil
}

// ParseTimeout reads the time limit of a run from a file or a flag.
func ParseTimeout(text string) (time.Duration, error) {
	limit, err := time.ParseDuration(text)
	if err != nil || limit <= 0 || limit > 8760*time.Hour {
		return 0, errors.New("is not a time limit; give a positive duration up to 8760h, e.g. 90s, 10m or 1h30m")
	}
	return limit, nil
}

// failAt reports an issue on the line of a field or, if the file does not contain it, of the field
// around it.
func (d *decoder) failAt(path, format string, args ...any) {
	p := path
	for d.lines[p] == 0 && p != "" {
		p = p[:max(strings.LastIndexAny(p, ".["), 0)]
	}
	d.fail(d.lines[p], path, format, args...)
}

// checkSuite validates the decoded suite. Absent and refused fields are zero; it does not report
// them again.
func (d *decoder) checkSuite(s *Suite, cat Catalogue) {
	if s.Name != "" || d.lines["name"] > 0 && !d.failed("name") {
		if err := printable.CheckName(s.Name); err != nil {
			d.failAt("name", "%q %v", shorten(s.Name), err)
		}
	}
	if err := printable.CheckTitle(s.Title); err != nil {
		d.failAt("title", "%v", err)
	}
	if s.Timeout != "" {
		if _, err := ParseTimeout(s.Timeout); err != nil {
			d.failAt("timeout", "%q %v; remove the key for no limit", shorten(s.Timeout), err)
		}
	}

	if s.FirstDuels > 0 && s.FirstDuels >= s.Steps && !d.failed("first_duels") && !d.failed("steps") {
		d.failAt("first_duels", "is %d, and steps is %d; leave the algorithms at least one", s.FirstDuels, s.Steps)
	}
	for i, t := range s.Snapshots {
		path := fmt.Sprintf("snapshots[%d]", i)
		switch {
		case d.failed(path):
		case t < 1 || t > s.Steps:
			d.failAt(path, "is %d; give a step from 1 to %d, the number of steps", t, s.Steps)
		case i > 0 && t <= s.Snapshots[i-1]:
			d.failAt(path, "is %d after %d; give them in increasing order", t, s.Snapshots[i-1])
		}
	}

	if err := s.checkCells(); err != nil {
		d.failAt("repetitions", "%v", err)
	}

	seen := map[string]int{}
	problemLabels := map[string]int{}
	for i := range s.Problems {
		p, entry := &s.Problems[i], fmt.Sprintf("problems[%d]", i)
		path := entry + ".name"
		if p.Name == "" && (d.lines[path] == 0 || d.failed(path) || d.failed(entry)) {
			continue
		}
		builtIn, own := slices.Contains(cat.Problems(), p.Name), p.External() || p.Name == Table
		if builtIn || own || len(p.Command) == 0 {
			d.checkProgram(&p.Program, entry, p.External())
			d.checkObjective(p, entry, cat)
			d.checkFinite(p, entry, cat)
		}
		if s.Paper != "" && p.Arms != nil {
			d.failAt(entry+".arms", "is another set of points than the paper's box; remove it, or the key paper")
		}
		switch first, twice := seen[p.ID()]; {
		case !builtIn && !own:
			d.failUnknown(path, "problem", p.Name, cat.Problems(), &p.Program)
		case p.Label != "":
			d.checkLabel(p.Label, "problems", entry, i, problemLabels)
			if !own && slices.Contains(cat.Problems(), p.Label) && p.Label != p.Name {
				d.failAt(entry+".label", "%q is the name of a built-in problem; give another", shorten(p.Label))
			}
			seen[p.Label] = i
		case own: // its label is missing
		case twice:
			d.failAt(path, "problem %s is already problems[%d]; keep one, or give arms and a label", p.Name, first)
		default:
			seen[p.Name] = i
			problemLabels[strings.ToLower(p.Name)] = i
		}
		if builtIn {
			d.names[p.ID()] = p.Name
		}
	}

	labels := map[string]int{}
	for i := range s.Algorithms {
		a, path := &s.Algorithms[i], fmt.Sprintf("algorithms[%d]", i)
		if a.External() {
			d.checkOwnName(a.Label, path, "algorithm", cat.Algorithms())
		} else if a.Label == "" {
			a.Label = a.Name
		}
		if a.Label != "" {
			d.checkLabel(a.Label, "algorithms", path, i, labels)
		}
		if a.Name == "" && (d.lines[path+".name"] == 0 || d.failed(path+".name") || d.failed(path)) {
			continue
		}
		if !a.External() && !slices.Contains(cat.Algorithms(), a.Name) {
			d.failUnknown(path+".name", "algorithm", a.Name, cat.Algorithms(), &a.Program)
			continue
		}
		d.checkProgram(&a.Program, path, a.External())
		d.checkSettings(a, path, slices.Sorted(maps.Keys(seen)), cat)
	}
	d.checkOracles(s)
}

// failUnknown refuses a name that is not built in. What has a command is meant to be a program.
func (d *decoder) failUnknown(path, kind, name string, known []string, program *Program) {
	if len(program.Command) > 0 {
		d.failAt(path, "no %s %q is built in; for a program write name: external, and label: %s", kind, shorten(name), shorten(name))
		return
	}
	d.failAt(path, "unknown %s %q; %s", kind, shorten(name), didYouMean(name, append(known, External), fmt.Sprintf("bench list %ss shows the known ones", kind)))
}

// failed reports whether the field has an issue.
func (d *decoder) failed(path string) bool {
	return slices.ContainsFunc(d.issues, func(i Issue) bool { return i.Field == path })
}

// checkLabel requires labels that fit on one line and differ, even on disks that ignore case.
func (d *decoder) checkLabel(label, list, path string, i int, labels map[string]int) {
	folded := strings.ToLower(label)
	first, taken := labels[folded]
	err := printable.CheckLabel(label)
	switch {
	case err != nil:
		d.failAt(path+".label", "%q %v", shorten(label), err)
	case len(printable.FileName(label)) > printable.MaxFileName:
		d.failAt(path+".label", "%q is too long for the name of a folder, in which all but letters and digits take three bytes each; shorten it", shorten(label))
	case taken:
		d.failAt(path+".label", "label %q is already that of %s[%d]; give each its own label", shorten(label), list, first)
	default:
		labels[folded] = i
	}
}

// layer is a block of settings in a file.
type layer struct {
	path string
	node *yaml.Node
}

// checkSettings decodes an algorithm's settings into their type: the catalogue's defaults, then the
// settings block, then the overrides of a problem.
func (d *decoder) checkSettings(a *Algorithm, path string, problems []string, cat Catalogue) {
	known := func(at, problem string) {
		if !slices.Contains(problems, problem) {
			d.failAt(at, "the suite has no problem %q; %s", shorten(problem), didYouMean(problem, problems, "remove the override"))
		}
	}
	for _, problem := range slices.Sorted(maps.Keys(a.DiscloseOn)) {
		known(join(path+".disclose_on", problem), problem)
	}
	if a.External() {
		for _, problem := range slices.Sorted(maps.Keys(a.Overrides)) {
			known(join(path+".overrides", problem), problem)
		}
		d.checkExternal(a, path, problems, cat)
		return
	}
	base := layer{path: path + ".settings"}
	base.node, _ = a.Settings.(*yaml.Node)
	a.Settings = d.typed(a.Name, cat, base)

	for _, problem := range slices.Sorted(maps.Keys(a.Overrides)) {
		over := layer{path: join(path+".overrides", problem)}
		over.node, _ = a.Overrides[problem].(*yaml.Node)
		known(over.path, problem)
		a.Overrides[problem] = d.typed(a.Name, cat, base, over)
	}
	for _, problem := range problems {
		d.checkDisclosure(a, path, problem, cat)
	}
}

// checkDisclosure checks an algorithm on a problem: a disclosed kernel must exist, and fitted
// hyper-parameters need pilot comparisons.
func (d *decoder) checkDisclosure(a *Algorithm, path, problem string, cat Catalogue) {
	disclose := a.DiscloseFor(problem)
	if disclose == DiscloseNone {
		s, ok := a.SettingsFor(problem).(interface{ NeedsPilot() bool })
		if ok && s.NeedsPilot() && a.Pilot.Comparisons == 0 && !d.failed(path+".pilot") && !d.failed(path+".pilot.comparisons") {
			d.failAt(path+".pilot", "is 0, but the settings fit hyper-parameters to pilot comparisons; give some, e.g. pilot: 50")
		}
		return
	}
	if cat.Drawn(d.names[problem]) {
		return
	}
	at := path + ".disclose"
	if own := join(path+".disclose_on", problem); d.lines[own] > 0 {
		at = own
	}
	d.failAt(at, "is %s, but %s is not drawn from an RKHS, so there is no kernel to disclose; write disclose_on: {%s: none}", disclose, problem, problem)
}

// typed decodes the layers over the algorithm's defaults and validates the result.
func (d *decoder) typed(algorithm string, cat Catalogue, layers ...layer) any {
	dst, before := cat.Settings(algorithm), len(d.issues)
	for _, l := range layers {
		if l.node != nil {
			d.value(l.node, reflect.ValueOf(dst).Elem(), l.path, "")
		}
	}
	if v, ok := dst.(interface{ Validate() error }); ok && len(d.issues) == before {
		for _, err := range split(v.Validate()) {
			d.failAt(d.wrong(err, layers), "%v", err)
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

// wrong returns the path of the key that an error of the settings is about: of those that the error has, the first that the
// file gives. Without one it returns the path of the block.
func (d *decoder) wrong(err error, layers []layer) string {
	if of, ok := errors.AsType[keyed](err); ok {
		for _, key := range of.Keys() {
			for _, l := range slices.Backward(layers) {
				if path := l.path + "." + key; d.lines[path] > 0 {
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
