package suite

import (
	"bytes"
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
// and has no default. Values other than structs have no keys.
func Describe(settings any) []Setting {
	v := reflect.Indirect(reflect.ValueOf(settings))
	if v.Kind() != reflect.Struct {
		return nil
	}
	all := describeStruct(v, "")
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

// checkSettings returns an error if a suite file or a record cannot represent the settings that the
// pointer points to. Their type must be a struct of types that Decode accepts.
func checkSettings(settings any) error {
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

// schemaBuilder turns Go types into schemas.
type schemaBuilder struct {
	extra map[string]object // additions to the tags of a field, by "Type.key"
	err   error
}

// of returns the schema of the type of v; v itself is the default.
func (b *schemaBuilder) of(v reflect.Value, tag reflect.StructTag) object {
	t := v.Type()
	if t == strict.RawJSON {
		return object{}
	}
	switch t.Kind() {
	case reflect.Bool:
		return object{{"type", "boolean"}}
	case reflect.String:
		s := object{{"type", "string"}}
		if enum := tag.Get("enum"); enum != "" {
			s = append(s, member{"enum", strings.Split(enum, ",")})
		}
		return s
	case reflect.Float32, reflect.Float64:
		return append(object{{"type", "number"}}, bounds(tag, "minimum", "maximum")...)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return append(object{{"type", "integer"}}, bounds(tag, "minimum", "maximum")...)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return object{{"type", "integer"}, {"minimum", 0}}.with(bounds(tag, "minimum", "maximum"))
	case reflect.Slice:
		items := b.of(reflect.Zero(t.Elem()), strict.ElementTag(tag))
		return append(object{{"type", "array"}, {"items", items}}, bounds(tag, "minItems", "maxItems")...)
	case reflect.Map:
		return object{{"type", "object"}, {"additionalProperties", b.of(reflect.Zero(t.Elem()), strict.ElementTag(tag))}}
	case reflect.Pointer:
		return object{{"anyOf", []object{b.of(reflect.Zero(t.Elem()), tag), {{"type", "null"}}}}}
	case reflect.Struct:
		return b.structure(v)
	}
	return object{} // any
}

func (b *schemaBuilder) structure(v reflect.Value) object {
	t := v.Type()
	filled := reflect.New(t)
	filled.Elem().Set(v)
	if x, ok := filled.Interface().(interface{ SetDefaults() }); ok && v.IsZero() {
		x.SetDefaults()
	}
	var props object
	required := []string{}
	for _, f := range strict.FieldsOf(t) {
		def := filled.Elem().FieldByIndex(f.Index)
		p := b.of(def, f.Tag)
		if doc := f.Tag.Get("doc"); doc != "" {
			p = append(object{{"description", doc}}, p...)
		}
		if f.Required == "true" {
			required = append(required, f.Name)
		} else if hasDefault(def) {
			p = append(p, member{"default", def.Interface()})
			_, options, _ := strings.Cut(f.Tag.Get("json"), ",")
			emptyIsRefused := f.Tag.Get("enum") != ""
			if options == "omitempty" && !def.IsZero() && !emptyIsRefused && b.err == nil {
				b.err = fmt.Errorf("config: %v.%s has a default and omitempty, so zero would be read back as the default; drop omitempty", t, f.Name)
			}
		}
		props = append(props, member{f.Name, p.with(b.extra[t.Name()+"."+f.Name])})
	}
	s := object{{"type", "object"}, {"additionalProperties", false}, {"properties", props}}
	if len(required) > 0 {
		s = append(s, member{"required", required})
	}
	if f, ok := strict.AloneOf(v, strict.FieldsOf(t)); ok {
		return object{{"anyOf", []object{b.of(filled.Elem().FieldByIndex(f.Index), f.Tag), s}}}
	}
	return s
}

// hasDefault reports whether a default is worth showing.
func hasDefault(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Struct, reflect.Interface, reflect.Map, reflect.Pointer:
		return false
	case reflect.String, reflect.Slice:
		return v.Len() > 0
	}
	return true
}

func bounds(tag reflect.StructTag, low, high string) object {
	var o object
	r := limits.Of(tag)
	if r.Min != "" {
		o = append(o, member{low, json.Number(r.Min)})
	}
	if r.Max != "" {
		o = append(o, member{high, json.Number(r.Max)})
	}
	return o
}

// object is a JSON object that keeps the order of its keys.
type object []member

type member struct {
	key   string
	value any
}

// with returns o with the members of more, which replace members with the same keys.
func (o object) with(more object) object {
	o = slices.Clone(o)
	for _, m := range more {
		if i := slices.IndexFunc(o, func(have member) bool { return have.key == m.key }); i >= 0 {
			o[i] = m
		} else {
			o = append(o, m)
		}
	}
	return o
}

// MarshalJSON writes the members in order.
func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		key, err := json.Marshal(m.key)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(m.value)
		if err != nil {
			return nil, err
		}
		b.Write(key)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// get returns the value of a member, or nil if there is none.
func (o object) get(key string) any {
	for _, m := range o {
		if m.key == key {
			return m.value
		}
	}
	return nil
}
