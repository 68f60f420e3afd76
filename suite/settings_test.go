package suite

import (
	"encoding/json"
	"io/fs"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"popbench/algorithms"
	"popbench/internal/check"
	"popbench/internal/limits"
	"popbench/space"
)

// reasons are words by which the help of a setting says when someone would change it.
var reasons = []string{"to repeat ", "where ", "raise it ", "lower it ", "that you know", "if you set one"}

// Every setting is changed by a suite, an example or a preset, or its help says when one would. One that several
// methods share, with the same help, needs one of them.
func TestEverySettingIsForSomeone(t *testing.T) {
	check.Sequential(t)
	var cat Catalogue
	type setting struct{ key, doc string }
	changed := map[setting]bool{}
	for _, dir := range []string{"../configs", "../examples"} {
		check.OK(t, filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
			own := filepath.Base(path) == "walk.yaml" // its method is not built in
			if err != nil || filepath.Ext(path) != ".yaml" || own {
				return err
			}
			s := load(t, path)
			for _, a := range s.Algorithms {
				if a.Name == External {
					continue
				}
				defaults := Describe(cat.Settings(a.Name))
				for _, p := range s.Problems {
					for i, given := range Describe(a.SettingsFor(p.ID())) {
						if given.Presets != nil || !reflect.DeepEqual(given.Default, defaults[i].Default) {
							changed[setting{given.Key, given.Doc}] = true
						}
					}
				}
			}
			return nil
		}))
	}
	for _, name := range cat.Algorithms() {
		for _, s := range Describe(cat.Settings(name)) {
			said := slices.ContainsFunc(reasons, func(words string) bool { return strings.Contains(s.Doc, words) })
			check.That(t, said || s.Default == nil || changed[setting{s.Key, s.Doc}],
				"%s.%s is changed by no suite, example or preset: remove it, or say in its help when one would, with one of %q", name, s.Key, reasons)
		}
	}
}

// Every number that a file can contain has a range, and every list a maximum length.
func TestEveryNumberHasLimits(t *testing.T) {
	numbers := 0
	var walk func(path string, v reflect.Type, tag reflect.StructTag, inList bool)
	walk = func(path string, v reflect.Type, tag reflect.StructTag, inList bool) {
		switch v.Kind() {
		case reflect.Int, reflect.Uint64, reflect.Float64:
			r := limits.Of(tag)
			if inList {
				r = limits.OfItems(tag)
			}
			numbers++
			check.That(t, r.Min != "" && r.Max != "", "%s has the limits %q", path, r)
		case reflect.Slice:
			if v == reflect.TypeFor[json.RawMessage]() {
				break
			}
			check.That(t, tag.Get("max") != "" || inList, "%s is of any length", path)
			if v != reflect.TypeFor[[][]float64]() { // points, which must lie in the box
				walk(path+"[]", v.Elem(), tag, true)
			}
		case reflect.Pointer:
			walk(path, v.Elem(), tag, inList)
		case reflect.Struct:
			for f := range v.Fields() {
				if f.IsExported() && f.Tag.Get("json") != "-" && v != reflect.TypeFor[space.Box]() {
					walk(path+"."+f.Name, f.Type, f.Tag, false)
				}
			}
		}
	}
	walk("Suite", reflect.TypeFor[Suite](), "", false)
	walk("State", reflect.TypeFor[algorithms.State](), "", false)
	for _, name := range (Catalogue{}).Algorithms() {
		walk(name, reflect.TypeOf(Catalogue{}.Settings(name)).Elem(), "", false)
	}
	check.That(t, numbers >= 60, "%d numbers were found", numbers)
}
