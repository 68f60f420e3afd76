package suite

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"popbench/internal/check"
	"popbench/internal/golden"
	"popbench/internal/strict"
)

func TestSchemaGolden(t *testing.T) {
	raw := check.Must(schema(catalogue{}))(t)
	golden.Check(t, "schema.golden.json", string(raw))
}

// The schema and the reader agree: an editor accepts what the reader accepts, such as our suites, and marks every mistake
// that a schema can express.
func TestSchemaAgreesWithReader(t *testing.T) {
	ours := readAny(t, read(t, "../configs/schema.json"))
	for _, path := range append(glob(t, "../configs/*.yaml"), glob(t, "../configs/*/*.yaml")...) {
		check.Equal(t, path, strings.Join(refusals(t, ours, read(t, path)), "; "), "")
	}
	smaller := readAny(t, string(check.Must(schema(catalogue{}))(t)))
	for _, path := range glob(t, "testdata/good/*") {
		check.Equal(t, path, strings.Join(refusals(t, smaller, read(t, path)), "; "), "")
	}
	// Only the reader checks rules between fields and rules about the text of the file.
	readerOnly := []string{"label-form", "label-twice", "name-device", "override-invalid", "override-problem", "pilot-missing", "problem-twice",
		"settings-invalid", "settings-invalid-default", "cells", "title-long", "timeout-negative", "timeout-text", "title-lines"}
	for _, path := range glob(t, "testdata/bad/*.yaml") {
		name := strings.TrimSuffix(filepath.Base(path), ".yaml")
		if text := read(t, path); readAny(t, text) != nil { // else it is not a document at all
			check.Equal(t, path+": refused by the schema", len(refusals(t, smaller, text)) > 0, !slices.Contains(readerOnly, name))
		}
	}
	// Editors mark what is missing from an external entry, and keys of such an entry elsewhere.
	for entry, want := range map[string]bool{
		"problems: [{name: external, label: L, command: [a], scale: std, divide_by: 2, threads: 2}]": true,
		"problems: [{name: external, label: L, command: [a], scale: standardise}]":                   false,
		"problems: [{name: external, label: L, command: [a], scale: standardise-uniform}]":           false,
		"problems: [{name: beale, optimum: 1}]":                                                      false,
		"problems: [{name: beale, label: L}]":                                                        true,
		"problems: [{name: beale, command: [a]}]":                                                    false,
		"LIST: [{name: external, label: L, command: [a]}]":                                           true,
		"LIST: [{name: external, command: [a]}]":                                                     false,
		"LIST: [{name: external, label: L}]":                                                         false,
		"LIST: [{name: external, label: L, command: []}]":                                            false,
	} {
		for list, other := range map[string]string{"problems": "algorithms: [{name: popbo, pilot: 9}]", "algorithms": "problems: [{name: beale}]"} {
			text := "{name: a, " + strings.Replace(entry, "LIST", list, 1) + ", " + other + "}"
			if !strings.Contains(entry, "LIST") && list == "algorithms" {
				continue
			}
			_, err := parse("a.yaml", []byte(text), catalogue{})
			errs := refusals(t, smaller, text)
			check.That(t, (errs == nil) == want && (err == nil) == want, "%s: the schema says %q, the reader %v", text, errs, err)
		}
	}
}

// readAny reads a text as a JSON tree, with numbers as JSON has them; nil if it is no document.
func readAny(t *testing.T, text string) (out any) {
	t.Helper()
	var tree any
	if strict.Decode("a.yaml", []byte(text), &tree) == nil {
		_ = json.Unmarshal(check.Must(json.Marshal(tree))(t), &out)
	}
	return out
}

// refusals are what is wrong with the text of a suite by a schema.
func refusals(t *testing.T, schema any, text string) []string {
	t.Helper()
	root := schema.(map[string]any)
	return validate(root, root, readAny(t, text), "")
}

// validate is the part of JSON Schema that the generator uses; a keyword it
// does not know is an error.
func validate(root, s map[string]any, v any, path string) []string {
	var errs []string
	unless := func(ok bool, format string, args ...any) {
		if !ok {
			errs = append(errs, path+": "+fmt.Sprintf(format, args...))
		}
	}
	obj, isObj := v.(map[string]any)
	list, isList := v.([]any)
	num, isNum := v.(float64)
	text, isText := v.(string)
	_, isBool := v.(bool)
	sub := func(s any, v any, path string) {
		if s == false {
			unless(false, "has %s, which is not allowed", path)
			return
		}
		errs = append(errs, validate(root, s.(map[string]any), v, path)...)
	}

	for keyword, arg := range s {
		switch keyword {
		case "$schema", "title", "description", "default", "deprecated", "$defs", "then", "else":
		case "$ref":
			name := strings.TrimPrefix(arg.(string), "#/$defs/")
			sub(root["$defs"].(map[string]any)[name], v, path)
		case "type":
			good := map[string]bool{"object": isObj, "array": isList, "string": isText, "boolean": isBool,
				"number": isNum, "integer": isNum && num == float64(int64(num)), "null": v == nil}
			unless(good[arg.(string)], "is not %s", arg)
		case "enum":
			unless(slices.Contains(arg.([]any), v), "is not one of %v", arg)
		case "const":
			unless(v == arg, "is not %v", arg)
		case "pattern":
			unless(!isText || regexp.MustCompile(arg.(string)).MatchString(text), "does not match %s", arg)
		case "minimum":
			unless(!isNum || num >= arg.(float64), "is below %v", arg)
		case "maximum":
			unless(!isNum || num <= arg.(float64), "is above %v", arg)
		case "minItems":
			unless(!isList || float64(len(list)) >= arg.(float64), "is too short")
		case "maxItems":
			unless(!isList || float64(len(list)) <= arg.(float64), "is too long")
		case "items":
			for i, e := range list {
				sub(arg, e, fmt.Sprintf("%s[%d]", path, i))
			}
		case "required":
			for _, name := range arg.([]any) {
				_, ok := obj[name.(string)]
				unless(!isObj || ok, "lacks %s", name)
			}
		case "properties":
			for name, p := range arg.(map[string]any) {
				if e, ok := obj[name]; ok {
					sub(p, e, path+"."+name)
				}
			}
		case "propertyNames":
			for name := range obj {
				sub(arg, name, path+"."+name)
			}
		case "additionalProperties":
			known, _ := s["properties"].(map[string]any)
			for name, e := range obj {
				if _, ok := known[name]; ok {
					continue
				}
				if arg == false {
					unless(false, "has the unknown %s", name)
				} else {
					sub(arg, e, path+"."+name)
				}
			}
		case "allOf":
			for _, a := range arg.([]any) {
				sub(a, v, path)
			}
		case "anyOf":
			unless(slices.ContainsFunc(arg.([]any), func(a any) bool { return len(validate(root, a.(map[string]any), v, path)) == 0 }), "is none of those it may be")
		case "if":
			if len(validate(root, arg.(map[string]any), v, path)) == 0 {
				sub(s["then"], v, path)
			} else if s["else"] != nil {
				sub(s["else"], v, path)
			}
		default:
			unless(false, "keyword %s is unknown to the test", keyword)
		}
	}
	return errs
}

// Settings that would change when written into a record are refused.
func TestSchemaRefusesLossySettings(t *testing.T) {
	check.Error(t, "error", check.Err(schema(lossy{})), "delta has a default and omitempty")
}

type lossy struct{ catalogue }

func (lossy) Settings(string) any {
	return &struct {
		Delta float64 `json:"delta,omitempty"`
	}{0.1}
}
