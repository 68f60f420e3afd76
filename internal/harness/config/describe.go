package config

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"popbench/internal/limits"
	"popbench/internal/strict"
)

// Setting describes one key of a settings type.
type Setting struct {
	Key     string   `json:"key"` // with the enclosing keys: beta.schedule
	Default any      `json:"default,omitempty"`
	Enum    []string `json:"enum,omitempty"`  // the allowed texts, if limited
	Range   string   `json:"range,omitempty"` // of a number, or of each number in a list: 1 to 9
	Doc     string   `json:"doc"`
	// Presets has the value in each preset, by name, in which it is not the default; nil if there is none.
	Presets map[string]any `json:"presets,omitempty"`
}

// Describe lists the keys of the settings of an algorithm, such as Catalogue.Settings returns, in
// the order of their fields. The contents of the value are the defaults. A key that contains others precedes them
// and has no default.
func Describe(settings any) []Setting {
	all := describeStruct(reflect.Indirect(reflect.ValueOf(settings)), "")
	addPresets(all, reflect.TypeOf(settings))
	return all
}

// DescribeOracle lists the keys of an oracle, with the defaults of those that apply.
func DescribeOracle() []Setting {
	return describeStruct(reflect.ValueOf(Oracle{Model: OracleLogistic, Scale: OracleScale{Value: 1}, On: defaultOn, Points: defaultPoints, Ties: TiesLatent}), "")
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
		for i, s := range describeStruct(v.Elem(), "") {
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

func describeStruct(v reflect.Value, path string) []Setting {
	var all []Setting
	for _, f := range strict.FieldsOf(v.Type()) {
		value := v.FieldByIndex(f.Index)
		s := Setting{Key: strict.Join(path, f.Name), Doc: f.Tag.Get("doc")}
		if enum := f.Tag.Get("enum"); enum != "" {
			s.Enum = strings.Split(enum, ",")
		}
		switch value.Kind() {
		case reflect.Int, reflect.Uint64, reflect.Float64:
			s.Range = limits.Of(f.Tag).String()
		case reflect.Slice:
			s.Range = limits.OfItems(f.Tag).String()
		}
		if value.Kind() == reflect.Struct {
			all = append(append(all, s), describeStruct(value, s.Key)...)
			continue
		}
		if value.Kind() == reflect.Pointer { // a number that may be missing
			s.Range = limits.Of(f.Tag).String()
		} else {
			s.Default = value.Interface()
		}
		all = append(all, s)
	}
	return all
}

// CheckSettings returns an error if a suite file or a record cannot represent the settings that the
// pointer points to. Their type must be a struct of types that Decode accepts.
func CheckSettings(settings any) error {
	v := reflect.ValueOf(settings)
	if v.Kind() != reflect.Pointer || v.Elem().Kind() != reflect.Struct {
		return fmt.Errorf("has settings of type %T; give a struct", settings)
	}
	if err := checkType(v.Type().Elem(), ""); err != nil {
		return fmt.Errorf("has settings of type %v: %w", v.Type().Elem(), err)
	}
	var b schemaBuilder
	b.of(v.Elem(), "")
	if b.err != nil {
		return fmt.Errorf("has settings of type %v: %w", v.Type().Elem(), b.err)
	}
	if _, err := json.Marshal(settings); err != nil {
		return fmt.Errorf("has default settings that a record cannot represent: %w", err)
	}
	return nil
}

// checkType returns an error that names the first field of a type that cannot be decoded or whose
// tag has an invalid limit.
func checkType(t reflect.Type, path string) error {
	if t == strict.RawJSON {
		return nil
	}
	if v := reflect.Zero(t); v.CanInt() || v.CanUint() || v.CanFloat() {
		return nil
	}
	switch t.Kind() {
	case reflect.Bool, reflect.String, reflect.Interface:
		return nil
	case reflect.Pointer, reflect.Slice:
		return checkType(t.Elem(), path)
	case reflect.Map:
		if t.Key().Kind() == reflect.String {
			return checkType(t.Elem(), path)
		}
	case reflect.Struct:
		for _, f := range strict.FieldsOf(t) {
			at := strict.Join(path, f.Name)
			for _, key := range []string{"min", "max", "itemMin", "itemMax"} {
				if text, ok := f.Tag.Lookup(key); ok {
					if _, err := strconv.ParseFloat(text, 64); err != nil {
						return fmt.Errorf("%s has the tag %s:%q, which is no number", at, key, text)
					}
				}
			}
			if err := checkType(t.FieldByIndex(f.Index).Type, at); err != nil {
				return err
			}
		}
		return nil
	}
	return fmt.Errorf("%s is %v, which a suite file cannot give", path, t)
}
