// Package strict reads YAML and JSON into Go values by one set of rules: every key is known, every value has its type and is
// in its range, and an error has a line for each mistake. The tags of the Go types alone define what a file may contain:
//
//	json      the key
//	doc       what it means, for the schema and for bench list
//	required "true" if the key is mandatory, or the keys that may replace it, separated by commas
//	alone     "true" if a scalar in place of the mapping sets this key
//	enum      the allowed texts, separated by commas
//	min, max  the allowed range of a number, or of the length of a list
//	itemMin, itemMax
//	          the allowed range of each number in a list
package strict

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"popbench/internal/limits"
	"popbench/internal/words"
)

// Decode reads a file with one YAML or JSON document into the struct that dst points to; messages
// call the file name. Keys are the json tags of the fields. The contents of dst are the defaults of
// absent keys; a list replaces the default list, a mapping replaces defaults key by key. Decode
// refuses unknown, repeated and missing keys, values of another type or out of range, keys without
// a value, NaN and infinities, and numbers with leading zeros. The error is an *Error with all
// mistakes and their lines.
//
// Fields may be structs, slices, maps with text keys, pointers (null is nil), numbers, bools,
// strings, any and json.RawMessage. Decode panics for other types. If a field of type any contains
// a pointer, Decode fills the value it points to.
func Decode(name string, data []byte, dst any) error {
	d := NewDecoder(name)
	d.Decode(data, dst)
	return d.Err()
}

// Decode does what the function Decode does; its issues stay in the decoder.
func (d *Decoder) Decode(data []byte, dst any) {
	if root := d.document(data); root != nil {
		d.value(root, reflect.ValueOf(dst).Elem(), "", "")
	}
}

// Held decodes what a field of type any has kept, the field called path, into the struct that dst points to. It does nothing
// if the file has no such field.
func (d *Decoder) Held(held any, path string, dst any) {
	if node, ok := held.(*yaml.Node); ok {
		d.value(node, reflect.ValueOf(dst).Elem(), path, "")
	}
}

// Mapping returns what a field of type any has kept, which has to be a mapping; an empty one if the file has no such field,
// or after an issue.
func (d *Decoder) Mapping(held any, path string) map[string]any {
	node, ok := held.(*yaml.Node)
	if !ok {
		return map[string]any{}
	}
	if node = deref(node); node.Kind != yaml.MappingNode {
		d.Fail(node.Line, path, "want a mapping, not %s", describe(node))
		return map[string]any{}
	}
	return d.generic(node, path).(map[string]any)
}

// RawJSON is the type of fields that keep any value as JSON.
var RawJSON = reflect.TypeFor[json.RawMessage]()

// value sets v, the field called path and declared with tag, to the value of n.
func (d *Decoder) value(n *yaml.Node, v reflect.Value, path string, tag reflect.StructTag) {
	n = deref(n)
	d.at(path, n.Line)
	if isNull(n) && v.Kind() != reflect.Pointer {
		mend := ", or remove the key to keep the default"
		if strings.HasSuffix(path, "]") { // an element of a list
			mend = ""
		}
		if required := tag.Get("required"); required != "" {
			mend = replacements(required)
		}
		d.Fail(n.Line, path, "has no value; give one%s", mend)
		return
	}
	before := len(d.issues)
	if v.Type() == RawJSON {
		if x := d.generic(n, path); len(d.issues) == before {
			raw, err := json.Marshal(x)
			if err != nil {
				panic(err) // generic returns only values that JSON can represent
			}
			v.SetBytes(raw)
		}
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		if isNull(n) {
			v.SetZero()
			return
		}
		p := reflect.New(v.Type().Elem())
		if !v.IsNil() {
			p.Elem().Set(v.Elem())
		}
		d.value(n, p.Elem(), path, tag)
		v.Set(p)
	case reflect.Interface:
		if p := v.Elem(); p.Kind() == reflect.Pointer && !p.IsNil() {
			d.value(n, p.Elem(), path, tag)
		} else if d.Lazy {
			v.Set(reflect.ValueOf(n))
		} else if x := d.generic(n, path); x != nil && len(d.issues) == before {
			v.Set(reflect.ValueOf(x))
		}
	case reflect.Struct:
		d.structure(n, v, path)
	case reflect.Map:
		d.mapping(n, v, path, tag)
	case reflect.Slice:
		d.list(n, v, path, tag)
	default:
		d.scalar(n, v, path, tag)
	}
}

// Field is a key of a struct.
type Field struct {
	Name     string
	Index    []int
	Tag      reflect.StructTag
	Required string // "" if optional; else "true", or the keys that may replace it, separated by commas
}

// FieldsOf lists the keys of a struct type, including those of embedded structs.
func FieldsOf(t reflect.Type) []Field {
	var fields []Field
	for _, f := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if !f.IsExported() || name == "-" || f.Anonymous && name == "" {
			continue
		}
		if name == "" {
			name = f.Name
		}
		fields = append(fields, Field{name, f.Index, f.Tag, f.Tag.Get("required")})
	}
	return fields
}

// AloneOf returns the field of a struct that a scalar instead of a mapping sets, if there is one.
func AloneOf(fields []Field) (Field, bool) {
	for _, f := range fields {
		if f.Tag.Get("alone") == "true" {
			return f, true
		}
	}
	return Field{}, false
}

func (d *Decoder) structure(n *yaml.Node, v reflect.Value, path string) {
	fields := FieldsOf(v.Type())
	alone, hasAlone := AloneOf(fields)
	if n.Kind != yaml.MappingNode && !(hasAlone && n.Kind == yaml.ScalarNode) {
		also := ""
		if hasAlone {
			also = alone.Name + " alone, or "
		}
		d.Fail(n.Line, path, "want %sa mapping of keys to values, not %s%s", also, describe(n), example("; write ", n, v.Type()))
		return
	}
	if x, ok := v.Addr().Interface().(interface{ SetDefaults() }); ok && v.IsZero() {
		x.SetDefaults()
	}
	if n.Kind == yaml.ScalarNode {
		d.value(n, v.FieldByIndex(alone.Index), path, alone.Tag)
		d.at(Join(path, alone.Name), n.Line)
		return
	}
	names := words.Each(fields, func(f Field) string { return f.Name })
	given := map[string]bool{}
	pairs := d.pairs(n, path)
	if x, ok := v.Addr().Interface().(Presets); ok {
		for _, p := range pairs {
			if p.key == PresetKey && deref(p.value).Kind == yaml.ScalarNode {
				x.UsePreset(deref(p.value).Value) // an unknown name remains an error of the key
			}
		}
	}
	for _, p := range pairs {
		i := slices.Index(names, p.key)
		if i < 0 {
			d.Fail(p.line, path, "unknown key %q; %s", Shorten(p.key), DidYouMean(p.key, names, "remove it"))
			continue
		}
		given[p.key] = true
		d.value(p.value, v.FieldByIndex(fields[i].Index), Join(path, p.key), fields[i].Tag)
		d.at(Join(path, p.key), p.line)
	}
	for _, f := range fields {
		if f.Required == "" || given[f.Name] {
			continue
		}
		replaced := func(g Field) bool {
			return given[g.Name] && slices.Contains(strings.Split(f.Required, ","), g.Name) && !v.FieldByIndex(g.Index).IsZero()
		}
		if slices.ContainsFunc(fields, replaced) {
			continue
		}
		d.Fail(n.Line, path, "key %q is missing; add it%s", f.Name, replacements(f.Required))
	}
}

// replacements names the keys that may replace a mandatory one: ", or tie, or values".
func replacements(required string) string {
	if required == "true" {
		return ""
	}
	return ", or " + strings.ReplaceAll(required, ",", ", or ")
}

// PresetKey is the key of settings with presets.
const PresetKey = "preset"

// Presets are settings with a key preset, whose value replaces all settings before the other keys of its block change
// single ones. The enum tag of that key names the presets. UsePreset returns false for an unknown name.
type Presets interface{ UsePreset(name string) bool }

func (d *Decoder) mapping(n *yaml.Node, v reflect.Value, path string, tag reflect.StructTag) {
	if n.Kind != yaml.MappingNode {
		d.Fail(n.Line, path, "want a mapping of names to values, not %s", describe(n))
		return
	}
	m := reflect.MakeMap(v.Type())
	for iter := v.MapRange(); iter.Next(); {
		m.SetMapIndex(iter.Key(), iter.Value())
	}
	for _, p := range d.pairs(n, path) {
		key := reflect.ValueOf(p.key).Convert(v.Type().Key())
		elem := reflect.New(v.Type().Elem()).Elem()
		if old := m.MapIndex(key); old.IsValid() {
			elem.Set(old)
		}
		d.value(p.value, elem, Join(path, p.key), ElementTag(tag))
		d.at(Join(path, p.key), p.line)
		m.SetMapIndex(key, elem)
	}
	v.Set(m)
}

func (d *Decoder) list(n *yaml.Node, v reflect.Value, path string, tag reflect.StructTag) {
	if n.Kind != yaml.SequenceNode {
		d.Fail(n.Line, path, "want a list, not %s%s", describe(n), example("; write ", n, v.Type()))
		return
	}
	if err := CheckRange(limits.Of(tag), float64(len(n.Content))); err != nil {
		d.Fail(n.Line, path, "a list of %d entries %v", len(n.Content), err)
		if len(n.Content) > 0 {
			return
		}
	}
	s := reflect.MakeSlice(v.Type(), len(n.Content), len(n.Content))
	tag = ElementTag(tag)
	for i, c := range n.Content {
		d.value(c, s.Index(i), path+"["+strconv.Itoa(i)+"]", tag)
	}
	v.Set(s)
}

// example returns a lone scalar as the type expects it to be written, or "" if that cannot be
// guessed.
func example(intro string, n *yaml.Node, t reflect.Type) string {
	if n.Kind != yaml.ScalarNode {
		return ""
	}
	switch t.Kind() {
	case reflect.Slice:
		if words := strings.Fields(n.Value); t.Elem().Kind() == reflect.String && len(words) > 1 { // a command
			if strings.ContainsAny(n.Value, "&|;<>()$*`\"'\\") { // of a shell
				return intro + fmt.Sprintf("[sh, -c, %q]", Shorten(n.Value))
			}
			return intro + "[" + Shorten(strings.Join(words, ", ")) + "]"
		}
		if inner := example("", n, t.Elem()); inner != "" {
			return intro + "[" + inner + "]"
		}
		return ""
	case reflect.Struct:
		if _, ok := AloneOf(FieldsOf(t)); !ok {
			return ""
		}
	}
	return intro + Shorten(n.Value)
}

// ElementTag returns the tag of the elements of a list or map. In the tag of the list, min and max
// limit its length, itemMin and itemMax its elements.
func ElementTag(tag reflect.StructTag) reflect.StructTag {
	var of []string
	for _, key := range [][2]string{{"enum", "enum"}, {"itemMin", "min"}, {"itemMax", "max"}} {
		if value, ok := tag.Lookup(key[0]); ok {
			of = append(of, fmt.Sprintf("%s:%q", key[1], value))
		}
	}
	return reflect.StructTag(strings.Join(of, " "))
}

// generic returns the value of a node without a given type: map[string]any, []any, string, bool,
// int64, uint64, float64 or nil. What is wrong in it becomes issues.
func (d *Decoder) generic(n *yaml.Node, path string) any {
	n = deref(n)
	switch n.Kind {
	case yaml.MappingNode:
		m := map[string]any{}
		for _, p := range d.pairs(n, path) {
			at := Join(path, p.key)
			m[p.key] = d.generic(p.value, at)
			d.checkText(p.line, at, p.key)
		}
		return m
	case yaml.SequenceNode:
		s := make([]any, len(n.Content))
		for i, c := range n.Content {
			s[i] = d.generic(c, fmt.Sprintf("%s[%d]", path, i))
		}
		return s
	}
	switch {
	case isNull(n):
		return nil
	case n.Tag == "!!bool":
		return strings.EqualFold(n.Value, "true")
	case isNumber(n):
		return d.genericNumber(n, path)
	}
	d.checkText(n.Line, path, n.Value)
	return n.Value
}

// genericNumber returns a number without a given type. -0 is a float64, because integers have no negative zero.
func (d *Decoder) genericNumber(n *yaml.Node, path string) any {
	for _, p := range []any{new(int64), new(uint64)} {
		if v := reflect.ValueOf(p).Elem(); n.Value != "-0" && setNumber(n, v, "") == nil {
			return v.Interface()
		}
	}
	x := new(float64)
	d.scalar(n, reflect.ValueOf(x).Elem(), path, "")
	return *x
}

// checkText reports a text that no record may contain.
func (d *Decoder) checkText(line int, path, text string) {
	if err := words.CheckText(text); err != nil {
		d.Fail(line, path, "%v, or put it into a file", err)
	}
}

// Join returns the path of a key of the mapping at a path.
func Join(path, key string) string {
	for _, r := range key {
		if !(r == '_' || r == '-' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z') {
			return path + "[" + strconv.Quote(Shorten(key)) + "]"
		}
	}
	if path == "" {
		return key
	}
	return path + "." + key
}
