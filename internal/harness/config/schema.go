package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"popbench/internal/keys"
	"popbench/internal/limits"
	"popbench/internal/printable"
)

// Schema is the JSON Schema (draft 2020-12) of a suite file, for editors. It is
// made from the Go types that the reader fills. It fails when settings of the
// catalogue would not survive being written out and read back.
func Schema(cat Catalogue) ([]byte, error) {
	problemNames := object{{"enum", cat.Problems()}}
	b := schemaBuilder{extra: map[string]object{
		"Suite.name":            {{"pattern", printable.NamePattern}},
		"Suite.algorithms":      {{"items", ref("algorithm")}},
		"Problem.name":          problemNames,
		"Algorithm.name":        {{"enum", cat.Algorithms()}},
		"Algorithm.settings":    {{"type", "object"}},
		"Algorithm.overrides":   {{"propertyNames", problemNames}},
		"Algorithm.disclose_on": {{"propertyNames", problemNames}},
	}}

	var defs object
	var perName []object // which settings go with which algorithm
	for _, name := range cat.Algorithms() {
		settings := b.of(reflect.ValueOf(cat.Settings(name)).Elem(), "")
		for _, k := range keys.Renamed(name) {
			settings = settings.alsoNamed(k, k.In+k.New)
		}
		defs = append(defs, member{name + ".settings", settings})
		own := ref(name + ".settings")
		perName = append(perName, object{
			{"if", object{
				{"properties", object{{"name", object{{"const", name}}}}},
				{"required", []string{"name"}},
			}},
			{"then", object{{"properties", object{
				{"settings", own},
				{"overrides", object{{"additionalProperties", own}}},
			}}}},
		})
	}
	algorithm := b.of(reflect.ValueOf(Algorithm{}), "")
	defs = append(defs, member{"algorithm", algorithm.with(object{{"allOf", perName}})})

	doc := object{
		{"$schema", "https://json-schema.org/draft/2020-12/schema"},
		{"title", "popbench suite"},
		{"description", "What bench run runs. Made by bench schema from the Go types; do not edit."},
	}.with(b.of(reflect.ValueOf(Suite{}), "")).with(object{{"$defs", defs}})
	if b.err != nil {
		return nil, b.err
	}

	raw, err := json.Marshal(doc)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if err := json.Indent(&out, raw, "", "  "); err != nil {
		return nil, err
	}
	out.WriteByte('\n')
	return out.Bytes(), nil
}

// alsoNamed adds the earlier name of the setting at the path to the schema of settings.
// Editors accept it and say that it is deprecated.
func (o object) alsoNamed(k keys.Key, path string) object {
	props, _ := o.get("properties").(object)
	name, inner, nested := strings.Cut(path, ".")
	now, ok := props.get(name).(object)
	if !ok {
		return o
	}
	if nested {
		props = props.with(object{{name, now.alsoNamed(k, inner)}})
	} else {
		was := object{{"description", "The earlier name of " + name + "."}, {"deprecated", true}}
		for _, m := range now {
			if m.key != "description" && m.key != "default" {
				was = append(was, m)
			}
		}
		if k.ZeroWasDefault {
			was = was.with(object{{"minimum", 0}})
		}
		props = props.with(object{{k.Old, was}})
	}
	return o.with(object{{"properties", props}})
}

// get returns the value of a member, nil if there is none.
func (o object) get(key string) any {
	for _, m := range o {
		if m.key == key {
			return m.value
		}
	}
	return nil
}

func ref(name string) object { return object{{"$ref", "#/$defs/" + name}} }

// schemaBuilder turns Go types into schemas.
type schemaBuilder struct {
	extra map[string]object // what is known of a field beyond its tags, by "Type.key"
	err   error
}

// of is the schema of a value's type; the value is the default.
func (b *schemaBuilder) of(v reflect.Value, tag reflect.StructTag) object {
	t := v.Type()
	if t == rawJSON {
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
		items := b.of(reflect.Zero(t.Elem()), elementTag(tag))
		return append(object{{"type", "array"}, {"items", items}}, bounds(tag, "minItems", "maxItems")...)
	case reflect.Map:
		return object{{"type", "object"}, {"additionalProperties", b.of(reflect.Zero(t.Elem()), elementTag(tag))}}
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
	if x, ok := filled.Interface().(interface{ setDefaults() }); ok && v.IsZero() {
		x.setDefaults()
	}
	var props object
	required := []string{}
	for _, f := range fieldsOf(t) {
		def := filled.Elem().FieldByIndex(f.index)
		p := b.of(def, f.tag)
		if doc := f.tag.Get("doc"); doc != "" {
			p = append(object{{"description", doc}}, p...)
		}
		if f.required == "true" {
			required = append(required, f.name)
		} else if hasDefault(def) {
			p = append(p, member{"default", def.Interface()})
			_, options, _ := strings.Cut(f.tag.Get("json"), ",")
			emptyIsRefused := f.tag.Get("enum") != ""
			if options == "omitempty" && !def.IsZero() && !emptyIsRefused && b.err == nil {
				b.err = fmt.Errorf("config: %v.%s has a default and omitempty, so that zero would be read back as the default; drop omitempty", t, f.name)
			}
		}
		props = append(props, member{f.name, p.with(b.extra[t.Name()+"."+f.name])})
	}
	s := object{{"type", "object"}, {"additionalProperties", false}, {"properties", props}}
	if len(required) > 0 {
		s = append(s, member{"required", required})
	}
	if f, ok := aloneOf(v, fieldsOf(t)); ok {
		return object{{"anyOf", []object{b.of(filled.Elem().FieldByIndex(f.index), f.tag), s}}}
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

// with adds the members of more, which replace those of the same key.
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
