package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"popbench/internal/limits"
	"popbench/internal/printable"
)

// maxFile is the largest size of a file that ReadFile reads. A suite has a few
// kilobytes, an experiment of 2,000 comparisons in six dimensions half a megabyte.
// Four megabytes are read in less than a second.
const maxFile = 4 << 20

// ReadFile reads a whole file of reasonable size. Its error is one line that
// names the file and the mend.
func ReadFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s: there is no such file; check the path", path)
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

// ReadAll is ReadFile for an open file; messages call it name.
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

// Load reads the suite of a file. See Parse.
func Load(path string, cat Catalogue) (*Suite, error) {
	data, err := ReadFile(path)
	if err != nil {
		return nil, err
	}
	return Parse(path, data, cat)
}

// Parse reads a suite, by the rules of Decode, and validates it: its names
// against the catalogue, the settings of each algorithm by their own Validate.
// The suite has all defaults in place: every label and scale, and complete
// settings of the catalogue's types. The error is an *Error with everything
// that is wrong; name is the file's name for it.
func Parse(name string, data []byte, cat Catalogue) (*Suite, error) {
	d := newDecoder(name)
	d.lazy = true
	s := new(Suite)
	d.decode(data, s)
	d.checkSuite(s, cat)
	if err := asError(d.issues); err != nil {
		return nil, err
	}
	s.Notes = d.notes
	return s, nil
}

// SetRepetitions replaces the number of repetitions, as a command-line flag
// does, within the limits of a file.
func (s *Suite) SetRepetitions(n int) error {
	f, _ := reflect.TypeFor[Suite]().FieldByName("Repetitions")
	if err := checkRange(limits.Of(f.Tag), float64(n)); err != nil {
		return fmt.Errorf("%d %w", n, err)
	}
	s.Repetitions = n
	return s.checkCells()
}

// maxCells is the largest number of runs of a suite; each leaves two files.
const maxCells = 500_000

func (s *Suite) checkCells() error {
	if n := len(s.Problems) * len(s.Algorithms) * s.Repetitions; n > maxCells {
		return fmt.Errorf("%d of %s on %s are %d runs; give %d at most", s.Repetitions, count(len(s.Algorithms), "algorithm"), count(len(s.Problems), "problem"), n, maxCells)
	}
	return nil
}

func count(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

// ParseTimeout reads the time limit of a run, as a file or a flag gives it.
func ParseTimeout(text string) (time.Duration, error) {
	limit, err := time.ParseDuration(text)
	if err != nil || limit <= 0 || limit > 8760*time.Hour {
		return 0, errors.New("is not a time limit; give a duration above zero, up to 8760h, e.g. 90s, 10m or 1h30m")
	}
	return limit, nil
}

// failAt reports an issue on the line of a field, or of what encloses it when
// the file does not give it.
func (d *decoder) failAt(path, format string, args ...any) {
	p := path
	for d.lines[p] == 0 && p != "" {
		p = p[:max(strings.LastIndexAny(p, ".["), 0)]
	}
	d.fail(d.lines[p], path, format, args...)
}

// checkSuite validates what was decoded. Fields that are absent or already
// refused are zero, and not complained of again.
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
	for i := range s.Problems {
		p, path := &s.Problems[i], fmt.Sprintf("problems[%d].name", i)
		if p.Name == "" && (d.lines[path] == 0 || d.failed(path)) {
			continue
		}
		if !slices.Contains(cat.Problems(), p.Name) {
			d.failAt(path, "unknown problem %q; %s", shorten(p.Name), didYouMean(p.Name, cat.Problems(), "bench list problems shows the known ones"))
		} else if first, ok := seen[p.Name]; ok {
			d.failAt(path, "problem %s is already problems[%d]; keep one", p.Name, first)
		} else {
			seen[p.Name] = i
		}
	}

	labels := map[string]int{}
	for i := range s.Algorithms {
		a, path := &s.Algorithms[i], fmt.Sprintf("algorithms[%d]", i)
		if a.Label == "" {
			a.Label = a.Name
		}
		if a.Label != "" {
			d.checkLabel(a.Label, path, i, labels)
		}
		if a.Name == "" && (d.lines[path+".name"] == 0 || d.failed(path+".name")) {
			continue
		}
		if !slices.Contains(cat.Algorithms(), a.Name) {
			d.failAt(path+".name", "unknown algorithm %q; %s", shorten(a.Name), didYouMean(a.Name, cat.Algorithms(), "bench list algorithms shows the known ones"))
			continue
		}
		d.checkSettings(a, path, slices.Sorted(maps.Keys(seen)), cat)
	}
}

// failed reports whether the field has an issue.
func (d *decoder) failed(path string) bool {
	return slices.ContainsFunc(d.issues, func(i Issue) bool { return i.Field == path })
}

// checkLabel holds labels to one line and to be told apart, on disks that do
// not tell upper from lower case too.
func (d *decoder) checkLabel(label, path string, i int, labels map[string]int) {
	folded := strings.ToLower(label)
	first, taken := labels[folded]
	err := printable.CheckLabel(label)
	switch {
	case err != nil:
		d.failAt(path+".label", "%q %v", shorten(label), err)
	case taken:
		d.failAt(path+".label", "label %q is already that of algorithms[%d]; give each its own label", shorten(label), first)
	default:
		labels[folded] = i
	}
}

// layer is a block of settings in the file.
type layer struct {
	path string
	node *yaml.Node
}

// checkSettings gives an algorithm's settings their type: the catalogue's defaults,
// then the settings block, then for a problem with an override that block.
func (d *decoder) checkSettings(a *Algorithm, path string, problems []string, cat Catalogue) {
	known := func(at, problem string) {
		if !slices.Contains(problems, problem) {
			d.failAt(at, "the suite has no problem %q; %s", shorten(problem), didYouMean(problem, problems, "remove the override"))
		}
	}
	for _, problem := range slices.Sorted(maps.Keys(a.DiscloseOn)) {
		known(join(path+".disclose_on", problem), problem)
	}
	base := layer{path: path + ".settings"}
	base.node, _ = a.Settings.(*yaml.Node)
	if grant := d.takeGrant(&base, path+".disclose", a.Disclose); grant != "" {
		a.Disclose = grant
	}
	a.Settings = d.typed(a.Name, cat, base)

	for _, problem := range slices.Sorted(maps.Keys(a.Overrides)) {
		over := layer{path: join(path+".overrides", problem)}
		over.node, _ = a.Overrides[problem].(*yaml.Node)
		known(over.path, problem)
		if grant := d.takeGrant(&over, join(path+".disclose_on", problem), a.DiscloseOn[problem]); grant != "" {
			if a.DiscloseOn == nil {
				a.DiscloseOn = map[string]string{}
			}
			a.DiscloseOn[problem] = grant
		}
		a.Overrides[problem] = d.typed(a.Name, cat, base, over)
	}
	for _, problem := range problems {
		d.checkDisclosure(a, path, problem, cat)
	}
}

// takeGrant takes the key grant, the earlier form of disclose, out of a block of
// settings and returns its value. path is the key that says it now, and given its
// value if the file has it.
func (d *decoder) takeGrant(block *layer, path, given string) (grant string) {
	if block.node == nil || deref(block.node).Kind != yaml.MappingNode {
		return ""
	}
	from := block.path + ".grant"
	rest := &yaml.Node{Kind: yaml.MappingNode, Line: deref(block.node).Line}
	for _, p := range d.pairs(deref(block.node), block.path) {
		if p.key != "grant" {
			key := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: p.key, Line: p.line}
			rest.Content = append(rest.Content, key, p.value)
			continue
		}
		field, _ := reflect.TypeFor[Algorithm]().FieldByName("Disclose")
		d.value(p.value, reflect.ValueOf(&grant).Elem(), from, field.Tag)
		d.lines[from] = p.line
	}
	block.node = rest
	switch line := d.lines[path]; {
	case grant == "":
	case line > 0 && grant != given:
		d.failAt(from, "is %s, but %s on line %d is %s; remove grant", grant, path, line, given)
	default:
		d.notes = append(d.notes, Issue{d.file, d.lines[from], from, fmt.Sprintf("is now a key beside label; write %s: %s in its place, the next release refuses grant", path, grant)}.Error())
	}
	return grant
}

// checkDisclosure checks an algorithm on a problem: a kernel that is disclosed has
// to exist, and hyper-parameters that are fitted need a pilot.
func (d *decoder) checkDisclosure(a *Algorithm, path, problem string, cat Catalogue) {
	disclose := a.DiscloseFor(problem)
	if disclose == DiscloseNone {
		s, ok := a.SettingsFor(problem).(interface{ NeedsPilot() bool })
		if ok && s.NeedsPilot() && a.Pilot.Comparisons == 0 && !d.failed(path+".pilot") && !d.failed(path+".pilot.comparisons") {
			d.failAt(path+".pilot", "is 0, but the settings fit hyper-parameters to pilot comparisons; give some, e.g. pilot: 50")
		}
		return
	}
	if cat.Drawn(problem) {
		return
	}
	at := path + ".disclose"
	for _, own := range []string{path + ".settings.grant", join(path+".disclose_on", problem), join(path+".overrides", problem) + ".grant"} {
		if d.lines[own] > 0 {
			at = own
		}
	}
	d.failAt(at, "is %s, but %s is not drawn from an RKHS, so there is no kernel to disclose; write disclose_on: {%s: none}", disclose, problem, problem)
}

// typed decodes the layers over the algorithm's defaults and validates the result.
func (d *decoder) typed(algorithm string, cat Catalogue, layers ...layer) any {
	dst, before := cat.Settings(algorithm), len(d.issues)
	for _, l := range layers {
		if l.node != nil {
			d.settings = settingsAt{l.path, algorithm}
			d.value(l.node, reflect.ValueOf(dst).Elem(), l.path, "")
		}
	}
	if v, ok := dst.(interface{ Validate() error }); ok && len(d.issues) == before {
		for _, err := range split(v.Validate()) {
			path := d.blame(err.Error(), layers)
			d.failAt(path, "%v", err)
		}
	}
	return dst
}

// split lists the errors that errors.Join put together.
func split(err error) []error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		return joined.Unwrap()
	}
	if err == nil {
		return nil
	}
	return []error{err}
}

// blame finds the field that an error of the settings speaks of: the one that
// the file gives and the message names first, by its path in the settings or
// its last part. The block itself when there is none.
func (d *decoder) blame(message string, layers []layer) string {
	best, bestAt, bestLen := layers[len(layers)-1].path, len(message), 0
	for _, l := range slices.Backward(layers) {
		for _, path := range slices.Sorted(maps.Keys(d.lines)) {
			rel, ok := strings.CutPrefix(path, l.path+".")
			if !ok {
				continue
			}
			for _, name := range []string{rel, rel[strings.LastIndex(rel, ".")+1:]} {
				if at := wordIndex(message, name); at >= 0 && (at < bestAt || at == bestAt && len(name) > bestLen) {
					best, bestAt, bestLen = path, at, len(name)
				}
			}
		}
	}
	return best
}

// wordIndex is where s has the word w, or -1.
func wordIndex(s, w string) int {
	m := regexp.MustCompile(`(?:^|[^\w.])(` + regexp.QuoteMeta(w) + `)(?:[^\w]|$)`).FindStringSubmatchIndex(s)
	if m == nil {
		return -1
	}
	return m[2]
}
