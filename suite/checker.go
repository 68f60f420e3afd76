package suite

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode"

	"popbench/internal/strict"
	"popbench/internal/words"
	"popbench/record"
)

// checker checks a suite that was read.
type checker struct {
	*strict.Decoder
	cat   names
	names map[string]string // of the suite's built-in problems, by ID
}

// failUnknown refuses a name that is not built in. An entry with a command is meant to be a program.
func (d *checker) failUnknown(path, kind, name string, known []string, program *Program) {
	if len(program.Command) > 0 {
		d.FailAt(path, "no %s %q is built in; for a program write name: external, and label: %s", kind, strict.Shorten(name), strict.Shorten(name))
		return
	}
	d.FailAt(path, "unknown %s %q; %s", kind, strict.Shorten(name),
		strict.DidYouMean(name, append(known, External), fmt.Sprintf("bench list %ss shows the known ones", kind)))
}

// checkLabel requires labels that fit on one line and differ, even on disks that ignore case, and to the eye: invisible
// characters and kinds of spaces make no difference. Letters of several alphabets may look alike.
func (d *checker) checkLabel(label, list, path string, i int, labels map[string]int) {
	folded := strings.ToLower(strings.Join(strings.Fields(strings.Map(visible, label)), " "))
	first, taken := labels[folded]
	err := words.CheckLabel(label)
	switch {
	case err != nil:
		d.FailAt(path+".label", "%q %v", strict.Shorten(label), err)
	case len(words.FileName(label)) > words.MaxFileName:
		d.FailAt(path+".label", "%q is too long for the name of a folder, in which all but letters and digits take three bytes each; shorten it",
			strict.Shorten(label))
	case taken:
		d.FailAt(path+".label", "label %q is already that of %s[%d]; give each its own label", strict.Shorten(label), list, first)
	default:
		labels[folded] = i
	}
}

func visible(r rune) rune {
	if unicode.In(r, unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point) {
		return -1
	}
	return r
}

// checkDisclosure checks an algorithm on a problem: a disclosed kernel must exist, and fitted
// hyper-parameters need pilot comparisons.
func (d *checker) checkDisclosure(a *Algorithm, path, problem string) {
	disclose := a.DiscloseFor(problem)
	if disclose == record.DisclosedNone {
		s, ok := a.SettingsFor(problem).(interface{ NeedsPilot() bool })
		if ok && s.NeedsPilot() && a.Pilot.Comparisons == 0 && !d.Failed(path+".pilot") && !d.Failed(path+".pilot.comparisons") {
			d.FailAt(path+".pilot", "is 0, but the settings fit hyper-parameters to pilot comparisons; give some, e.g. pilot: 50")
		}
		return
	}
	if d.cat.Drawn(d.names[problem]) {
		return
	}
	at := path + ".disclose"
	if own := strict.Join(path+".disclose_on", problem); d.Given(own) {
		at = own
	}
	d.FailAt(at, "is %s, but %s is not drawn from an RKHS, so there is no kernel to disclose; write disclose_on: {%s: none}", disclose, problem, problem)
}

// checkOwnName checks the label of an external entry, which must not be the name of a built-in one.
func (d *checker) checkOwnName(label, path, what string, builtIn []string) {
	at := path + ".label"
	if label == "" {
		if !d.Failed(at) {
			d.FailAt(at, "is missing; an external %s needs one", what)
		}
		return
	}
	if i := slices.IndexFunc(builtIn, func(name string) bool { return strings.EqualFold(name, label) }); i >= 0 || label == External {
		d.FailAt(at, "%q is the name of a built-in %s; give another", strict.Shorten(label), what)
	}
}

// names has what a suite file may name: a [Catalogue].
type names interface {
	Problems() []string
	Drawn(problem string) bool
	Algorithms() []string
	Settings(algorithm string) any
}

// refuseKeys reports the keys of an entry that only entries with other names have. Their tag says with which.
func (d *checker) refuseKeys(entry any, name, path string) {
	for _, f := range strict.FieldsOf(reflect.TypeOf(entry)) {
		names, at := f.Tag.Get("only"), path+"."+f.Name
		switch {
		case names == "" || !d.Given(at) || slices.Contains(strings.Split(names, ","), name):
		case names == Table:
			d.FailAt(at, "is a key of name: table only; give arms, or name: table")
		default:
			d.FailAt(at, "is a key of name: external only; remove it")
		}
	}
}
