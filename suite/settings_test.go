package suite

import (
	"io/fs"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"popbench/internal/check"
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
	compare := func(defaults, given []Setting) {
		for i, s := range given {
			if s.Presets != nil || !reflect.DeepEqual(s.Default, defaults[i].Default) {
				changed[setting{s.Key, s.Doc}] = true
			}
		}
	}
	files := 0
	for _, dir := range []string{"../configs", "../examples"} {
		check.OK(t, filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
			own := filepath.Base(path) == "walk.yaml" // its method is not built in
			if err != nil || filepath.Ext(path) != ".yaml" || own {
				return err
			}
			files++
			s := load(t, path)
			for _, a := range s.Algorithms {
				for _, p := range s.Problems {
					if a.Name != External {
						compare(Describe(cat.Settings(a.Name)), Describe(a.SettingsFor(p.ID())))
					}
				}
			}
			return nil
		}))
	}
	if files < 40 {
		t.Fatalf("%d suites", files)
	}
	unused := map[string]string{}
	for key := range reasons {
		unused[key] = "is no setting, or something changes it: remove it from the list"
	}
	for _, name := range cat.Algorithms() {
		for _, s := range Describe(cat.Settings(name)) {
			if s.Default == nil || changed[setting{s.Key, s.Doc}] {
				continue
			}
			key := name + "." + s.Key
			if words, ok := reasons[key]; !ok {
				unused[key] = "is changed by no suite, example or preset: remove the setting, or say in its help when one would, and add that to the list"
			} else if delete(unused, key); !strings.Contains(s.Doc, words) {
				unused[key] = "does not say why in its help, which is " + s.Doc
			}
		}
	}
	for key, what := range unused {
		t.Errorf("%s %s", key, what)
	}
}
