package suite

import (
	"reflect"
	"slices"

	"popbench/internal/strict"
	"popbench/problems"
)

// Setting describes one key of a settings type.
type Setting struct {
	Key     string   `json:"key"` // with the enclosing keys: beta.schedule
	Default any      `json:"default,omitempty"`
	Enum    []string `json:"enum,omitempty"`  // the allowed texts, if limited
	Range   string   `json:"range,omitempty"` // of a number, or of each number in a list: 1 to 9
	Doc     string   `json:"doc"`
	// Presets has, by name of the preset, the values that differ from the default; nil if there are none.
	Presets map[string]any `json:"presets,omitempty"`
}

// Describe lists the keys of the settings of an algorithm, such as Catalogue.Settings returns, in
// the order of their fields. The contents of the value are the defaults. A key that contains others precedes them
// and has no default. Values other than structs have no keys.
func Describe(settings any) []Setting {
	v := reflect.Indirect(reflect.ValueOf(settings))
	if v.Kind() != reflect.Struct {
		return nil
	}
	all := listOf(v)
	addPresets(all, reflect.TypeOf(settings))
	return all
}

// DescribeOracle lists the keys of an oracle, with defaults where there are any.
func DescribeOracle() []Setting {
	o := Oracle{Model: string(problems.Logistic), Scale: OracleScale{Value: 1}, On: defaultOn, Points: defaultPoints, Ties: TiesLatent}
	return listOf(reflect.ValueOf(o))
}

// listOf lists the keys of a struct.
func listOf(v reflect.Value) []Setting {
	n, _ := newNode(v, "", "") // the catalogue has refused settings that are wrong
	return n.settings("")
}

// addPresets adds the values in presets to the settings of a type, a pointer to a struct.
func addPresets(all []Setting, t reflect.Type) {
	at := slices.IndexFunc(all, func(s Setting) bool { return s.Key == strict.PresetKey })
	if at < 0 || t.Kind() != reflect.Pointer {
		return
	}
	for _, name := range all[at].Enum {
		v := reflect.New(t.Elem())
		if x, ok := v.Interface().(strict.Presets); !ok || !x.UsePreset(name) {
			return
		}
		for i, s := range listOf(v.Elem()) {
			if i == at || reflect.DeepEqual(s.Default, all[i].Default) {
				continue
			}
			if all[i].Presets == nil {
				all[i].Presets = map[string]any{}
			}
			all[i].Presets[name] = s.Default
		}
	}
}

// settings lists the keys of a struct, which is at a path.
func (n *node) settings(path string) (all []Setting) {
	for i := range n.fields {
		f := &n.fields[i]
		s := Setting{Key: strict.Join(path, f.key), Doc: f.doc, Enum: f.enum}
		switch f.value.Kind() {
		case reflect.Struct:
			all = append(append(all, s), f.settings(s.Key)...)
			continue
		case reflect.Int, reflect.Uint64, reflect.Float64, reflect.Pointer: // a pointer is to a number that may be missing
			s.Range = f.size.String()
		case reflect.Slice:
			s.Range = f.items.String()
		}
		if f.element == nil || f.value.Kind() != reflect.Pointer {
			s.Default = f.value.Interface()
		}
		all = append(all, s)
	}
	return all
}
