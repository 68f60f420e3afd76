package suite

import (
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"popbench/internal/limits"
	"popbench/internal/strict"
)

// node is a key of a suite file or of settings, with all that its Go type and tags say of it. The list of settings and the
// schema are made of it.
type node struct {
	key, doc    string
	required    bool
	value       reflect.Value // the default
	enum        []string      // the allowed texts, if limited
	size, items limits.Range  // of a number or of the length of a list; of each number in a list
	element     *node         // of a list, of a mapping, or of what may be null
	fields      []node        // of a struct
	alone       *node         // the field that a scalar in place of the struct sets; nil if none
}

// newNode returns the tree of the value at a path, which is the default. The error names the first key of a type that cannot
// be decoded, whose tag has an invalid limit, or whose default hides a value that was written; the tree is complete all the
// same.
func newNode(v reflect.Value, tag reflect.StructTag, path string) (node, error) {
	n := node{value: v, size: limits.Of(tag), items: limits.OfItems(tag)}
	if enum := tag.Get("enum"); enum != "" {
		n.enum = strings.Split(enum, ",")
	}
	of := func(t reflect.Type, tag reflect.StructTag) (node, error) {
		element, err := newNode(reflect.Zero(t), tag, path)
		n.element = &element
		return n, err
	}
	t := v.Type()
	switch kind := v.Kind(); {
	case t == strict.RawJSON || v.CanInt() || v.CanUint() || v.CanFloat():
	case kind == reflect.Bool || kind == reflect.String || kind == reflect.Interface:
	case kind == reflect.Pointer:
		return of(t.Elem(), tag)
	case kind == reflect.Slice || kind == reflect.Map && t.Key().Kind() == reflect.String:
		return of(t.Elem(), strict.ElementTag(tag))
	case kind == reflect.Struct:
		err := n.addFields(path)
		return n, err
	default:
		return n, fmt.Errorf("%s is %v, which a suite file cannot give", path, t)
	}
	return n, nil
}

// addFields adds the fields of a struct.
func (n *node) addFields(path string) (err error) {
	wrong := func(format string, args ...any) { err = cmp.Or(err, fmt.Errorf(format, args...)) }
	t := n.value.Type()
	filled := reflect.New(t)
	filled.Elem().Set(n.value)
	if x, ok := filled.Interface().(interface{ SetDefaults() }); ok && n.value.IsZero() {
		x.SetDefaults()
	}
	fields := strict.FieldsOf(t)
	for _, f := range fields {
		at := strict.Join(path, f.Name)
		for _, key := range []string{"min", "max", "itemMin", "itemMax"} {
			if text, ok := f.Tag.Lookup(key); ok {
				if _, err := strconv.ParseFloat(text, 64); err != nil {
					wrong("%s has the tag %s:%q, which is no number", at, key, text)
				}
			}
		}
		child, failed := newNode(filled.Elem().FieldByIndex(f.Index), f.Tag, at)
		err = cmp.Or(err, failed)
		child.key, child.doc, child.required = f.Name, f.Tag.Get("doc"), f.Required == "true"
		_, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if emptyIsRefused := child.enum != nil; options == "omitempty" && child.hasDefault() && !child.value.IsZero() && !emptyIsRefused {
			wrong("%v.%s has a default and omitempty, so zero would be read back as the default; drop omitempty", t, f.Name)
		}
		n.fields = append(n.fields, child)
	}
	if f, ok := strict.AloneOf(fields); ok {
		n.alone = &n.fields[slices.IndexFunc(n.fields, func(child node) bool { return child.key == f.Name })]
	}
	return err
}

// hasDefault reports whether a default is worth showing.
func (n *node) hasDefault() bool {
	switch n.value.Kind() {
	case reflect.Struct, reflect.Interface, reflect.Map, reflect.Pointer:
		return false
	case reflect.String, reflect.Slice:
		return n.value.Len() > 0
	}
	return !n.required
}

// checkSettings returns an error if a suite file or a record cannot represent the settings that the
// pointer points to. Their type must be a struct of types that Decode accepts.
func checkSettings(settings any) error {
	v := reflect.ValueOf(settings)
	if v.Kind() != reflect.Pointer || v.Elem().Kind() != reflect.Struct {
		return fmt.Errorf("has settings of type %T; give a struct", settings)
	}
	if _, err := newNode(v.Elem(), "", ""); err != nil {
		return fmt.Errorf("has settings of type %v: %w", v.Type().Elem(), err)
	}
	if _, err := json.Marshal(settings); err != nil {
		return fmt.Errorf("has default settings that a record cannot represent: %w", err)
	}
	return nil
}
