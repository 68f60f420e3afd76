package suite

import (
	"encoding/json"
	"io/fs"
	"maps"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"popbench/algorithms"
	"popbench/internal/check"
	"popbench/internal/limits"
	"popbench/space"
)

// reasons has the settings that no suite, example or preset changes, with the words of their help that say when one would.
var reasons = map[string]string{
	"challenger.preset":             "to repeat runs of the program",
	"dts.fit":                       "where you know it",
	"ginop.epsilon":                 "raise it if estimates fail",
	"ginop.lambda":                  "raise it to trust the answers less",
	"ginop.self_duels":              "where a person answers",
	"gpucb.beta.factor":             "raise it to explore more",
	"gpucb.fit":                     "a kernel that you know",
	"gpucb.noise_variance":          "the oracle's scale if you set one",
	"gpucb.recommendation":          "where only what was tried may be recommended",
	"gpucb.restarts":                "raise it if f has many peaks",
	"maxminlcb.self_duels":          "where a person answers",
	"mrlpf.self_duels":              "where a person answers",
	"pfts.self_duels":               "where a person answers",
	"popbo.beta.delta":              "lower it for a larger set",
	"popbo.epsilon":                 "raise it if estimates fail",
	"popbo.grid":                    "raise it if f has features narrower",
	"popbo.lambda":                  "raise it so that each duel lowers it less",
	"sgp.burn_in":                   "to repeat its runs",
	"sgp.candidates_per_coordinate": "raise it if f has many peaks",
	"sgp.restarts":                  "raise it if f has many peaks",
}

// Every setting is changed by a suite, an example or a preset, or its help says when one would. One that several
// methods share, with the same help, needs one of them.
func TestEverySettingIsForSomeone(t *testing.T) {
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
				for _, p := range s.Problems {
					if a.Name == External {
						continue
					}
					defaults := Describe(cat.Settings(a.Name))
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
	unused := maps.Clone(reasons)
	for _, name := range cat.Algorithms() {
		for _, s := range Describe(cat.Settings(name)) {
			if s.Default == nil || changed[setting{s.Key, s.Doc}] {
				continue
			}
			words, ok := reasons[name+"."+s.Key]
			check.That(t, ok && strings.Contains(s.Doc, words),
				"%s.%s is changed by no suite, example or preset: remove it, or say in its help when one would, and add that to the list", name, s.Key)
			delete(unused, name+"."+s.Key)
		}
	}
	check.Equal(t, "settings of the list that something changes, or that are none", len(unused), 0)
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
