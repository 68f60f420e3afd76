package suite_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"popbench/internal/check"
	"popbench/internal/golden"
	"popbench/internal/strict"
	"popbench/suite"
)

func TestSchemaGolden(t *testing.T) {
	raw := check.Must(suite.SchemaWith(catalogue{}))(t)
	golden.Check(t, "schema.golden.json", string(raw))
}

// The schema and the reader agree: an editor accepts what the reader accepts,
// and marks every mistake that a schema can express.
func TestSchemaAgreesWithReader(t *testing.T) {
	raw := check.Must(suite.SchemaWith(catalogue{}))(t)
	var schema map[string]any
	check.OK(t, json.Unmarshal(raw, &schema))
	for _, path := range glob(t, "testdata/good/*") {
		if errs := validate(schema, schema, readAny(t, path), ""); len(errs) > 0 {
			t.Errorf("%s: the schema refuses it: %s", path, strings.Join(errs, "; "))
		}
	}

	// Only the reader checks rules between fields and rules about the text of the file.
	readerOnly := []string{"label-form", "label-twice", "name-device", "override-invalid", "override-problem", "pilot-missing", "problem-twice",
		"settings-invalid", "settings-invalid-default", "cells", "title-long", "timeout-negative", "timeout-text", "title-lines"}
	for _, path := range glob(t, "testdata/bad/*.yaml") {
		name := strings.TrimSuffix(filepath.Base(path), ".yaml")
		tree, ok := tryAny(path)
		if !ok {
			continue // not a document at all
		}
		refused := len(validate(schema, schema, tree, "")) > 0
		check.That(t, refused != slices.Contains(readerOnly, name), "%s: refused by the schema: %v", path, refused)
	}
}

func readAny(t *testing.T, path string) any {
	t.Helper()
	tree, ok := tryAny(path)
	if !ok {
		t.Fatalf("%s: cannot be read", path)
	}
	return tree
}

// tryAny reads a file as a JSON tree, if its text is one.
func tryAny(path string) (any, bool) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, false
	}
	var tree any
	if strict.Decode(path, data, &tree) != nil {
		return nil, false
	}
	raw, err := json.Marshal(tree)
	if err != nil {
		return nil, false
	}
	var out any // numbers as JSON has them
	err = json.Unmarshal(raw, &out)
	return out, err == nil
}

// The schema that editors use accepts the suites that come with the benchmark.
func TestSchemaAcceptsOurSuites(t *testing.T) {
	schema := readAny(t, "../configs/schema.json").(map[string]any)
	for _, path := range append(glob(t, "../configs/*.yaml"), glob(t, "../configs/*/*.yaml")...) {
		if errs := validate(schema, schema, readAny(t, path), ""); len(errs) > 0 {
			t.Errorf("%s: %s", path, strings.Join(errs, "; "))
		}
	}
}

// validate is the part of JSON Schema that the generator uses; a keyword it
// does not know is an error.
func validate(root, s map[string]any, v any, path string) []string {
	var errs []string
	fail := func(format string, args ...any) {
		errs = append(errs, path+": "+fmt.Sprintf(format, args...))
	}
	obj, isObj := v.(map[string]any)
	list, isList := v.([]any)
	num, isNum := v.(float64)
	sub := func(s any, v any, path string) {
		if s == false {
			fail("has %s, which is not allowed", path)
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
			_, isText := v.(string)
			_, isBool := v.(bool)
			good := map[string]bool{"object": isObj, "array": isList, "string": isText, "boolean": isBool,
				"number": isNum, "integer": isNum && num == float64(int64(num)), "null": v == nil}
			if !good[arg.(string)] {
				fail("is not %s", arg)
			}
		case "enum":
			if !slices.Contains(arg.([]any), v) {
				fail("is not one of %v", arg)
			}
		case "const":
			if v != arg {
				fail("is not %v", arg)
			}
		case "pattern":
			if text, ok := v.(string); ok && !regexp.MustCompile(arg.(string)).MatchString(text) {
				fail("does not match %s", arg)
			}
		case "minimum":
			if isNum && num < arg.(float64) {
				fail("is below %v", arg)
			}
		case "maximum":
			if isNum && num > arg.(float64) {
				fail("is above %v", arg)
			}
		case "minItems":
			if isList && float64(len(list)) < arg.(float64) {
				fail("is too short")
			}
		case "maxItems":
			if isList && float64(len(list)) > arg.(float64) {
				fail("is too long")
			}
		case "items":
			for i, e := range list {
				sub(arg, e, fmt.Sprintf("%s[%d]", path, i))
			}
		case "required":
			for _, name := range arg.([]any) {
				if _, ok := obj[name.(string)]; isObj && !ok {
					fail("lacks %s", name)
				}
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
					fail("has the unknown %s", name)
				} else {
					sub(arg, e, path+"."+name)
				}
			}
		case "allOf":
			for _, a := range arg.([]any) {
				sub(a, v, path)
			}
		case "anyOf":
			if !slices.ContainsFunc(arg.([]any), func(a any) bool { return len(validate(root, a.(map[string]any), v, path)) == 0 }) {
				fail("is none of those it may be")
			}
		case "if":
			if len(validate(root, arg.(map[string]any), v, path)) == 0 {
				sub(s["then"], v, path)
			} else if s["else"] != nil {
				sub(s["else"], v, path)
			}
		default:
			fail("keyword %s is unknown to the test", keyword)
		}
	}
	return errs
}

// Settings that would change when written into a record are refused.
func TestSchemaRefusesLossySettings(t *testing.T) {
	_, err := suite.SchemaWith(lossy{})
	check.Error(t, "error", err, "delta has a default and omitempty")
}

type lossy struct{ catalogue }

func (lossy) Settings(string) any {
	return &struct {
		Delta float64 `json:"delta,omitempty"`
	}{0.1}
}

// Editors mark what is missing from an external entry, and keys of such an entry elsewhere.
func TestSchemaOfPrograms(t *testing.T) {
	raw := check.Must(suite.SchemaWith(catalogue{}))(t)
	var schema map[string]any
	check.OK(t, json.Unmarshal(raw, &schema))
	for problem, want := range map[string]bool{
		"{name: external, label: L, command: [a]}":                                       true,
		"{name: external, label: L, command: [a], scale: std, divide_by: 2, threads: 2}": true,
		"{name: external, command: [a]}":                                                 false,
		"{name: external, label: L}":                                                     false,
		"{name: external, label: L, command: []}":                                        false,
		"{name: external, label: L, command: [a], scale: standardise}":                   false,
		"{name: external, label: L, command: [a], scale: standardise-uniform}":           false,
		"{name: beale, optimum: 1}":                                                      false,
		"{name: beale, label: L}":                                                        true,
		"{name: beale, command: [a]}":                                                    false,
	} {
		for _, text := range []string{
			"{name: a, problems: [" + problem + "], algorithms: [{name: popbo, pilot: 9}]}",
			"{name: a, problems: [{name: beale}], algorithms: [" + problem + "]}",
		} {
			if strings.Contains(text, "algorithms: [{name: beale") || strings.Contains(text, "algorithms: [{name: external") && strings.Contains(text, "scale:") {
				continue // no algorithm
			}
			var tree any
			check.OK(t, strict.Decode("a.yaml", []byte(text), &tree))
			asJSON, err := json.Marshal(tree)
			if err == nil {
				err = json.Unmarshal(asJSON, &tree)
			}
			if err != nil {
				t.Fatal(err)
			}
			errs := validate(schema, schema, tree, "")
			_, refused := suite.ParseWith("a.yaml", []byte(text), catalogue{})
			if (errs == nil) != want || (refused == nil) != want {
				t.Errorf("%s: the schema says %q, the reader %v", text, errs, refused)
			}
		}
	}
}
