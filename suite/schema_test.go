package suite

import (
	"cmp"
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
	refused := func(schema, text string) string {
		root := readAny(t, schema).(map[string]any)
		return against(root, root, readAny(t, text), "")
	}
	ours, smaller := read(t, "../configs/schema.json"), string(check.Must(schema(catalogue{}))(t))
	for _, path := range append(glob(t, "../configs/*.yaml"), glob(t, "../configs/*/*.yaml")...) {
		check.Equal(t, path, refused(ours, read(t, path)), "")
	}
	for _, path := range glob(t, "testdata/good/*") {
		check.Equal(t, path, refused(smaller, read(t, path)), "")
	}
	// Only the reader checks rules between fields and rules about the text of the file.
	readerOnly := []string{"label-form", "label-twice", "name-device", "override-invalid", "override-problem", "pilot-missing", "problem-twice",
		"settings-invalid", "settings-invalid-default", "cells", "title-long", "timeout-negative", "timeout-text", "title-lines"}
	for _, path := range glob(t, "testdata/bad/*.yaml") {
		name := strings.TrimSuffix(filepath.Base(path), ".yaml")
		if text := read(t, path); readAny(t, text) != nil { // else it is not a document at all
			check.Equal(t, path+": refused by the schema", refused(smaller, text) != "", !slices.Contains(readerOnly, name))
		}
	}
	// Editors mark what is missing from an external entry, and keys of such an entry elsewhere.
	golden.Lines(t, "entries.golden", func(line string) string {
		err, said := check.Err(parse("a.yaml", []byte(line), catalogue{})), refused(smaller, line)
		check.That(t, (said == "") == (err == nil), "%s: the schema says %q, the reader %v", line, said, err)
		return map[bool]string{true: "refused"}[said != ""]
	})
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

// against is what is wrong with a value by a schema, of which it knows the keywords that the generator uses; "" if nothing.
func against(root map[string]any, schema, v any, path string) string {
	s, isSchema := schema.(map[string]any)
	if !isSchema {
		return path + " is not allowed"
	}
	obj, isObj := v.(map[string]any)
	list, isList := v.([]any)
	num, isNum := v.(float64)
	text, isText := v.(string)
	_, isBool := v.(bool)
	for keyword, arg := range s {
		limit, _ := arg.(float64)
		below, good := "", true // the first refusal of a part
		part := func(schema, v any, name string) { below = cmp.Or(below, against(root, schema, v, path+name)) }
		switch keyword {
		case "$schema", "title", "description", "default", "deprecated", "$defs", "then", "else":
		case "$ref":
			part(root["$defs"].(map[string]any)[strings.TrimPrefix(arg.(string), "#/$defs/")], v, "")
		case "type":
			good = map[string]bool{"object": isObj, "array": isList, "string": isText, "boolean": isBool,
				"number": isNum, "integer": isNum && num == float64(int64(num)), "null": v == nil}[arg.(string)]
		case "enum":
			good = slices.Contains(arg.([]any), v)
		case "const":
			good = v == arg
		case "pattern":
			good = !isText || regexp.MustCompile(arg.(string)).MatchString(text)
		case "minimum":
			good = !isNum || num >= limit
		case "maximum":
			good = !isNum || num <= limit
		case "minItems":
			good = !isList || float64(len(list)) >= limit
		case "maxItems":
			good = !isList || float64(len(list)) <= limit
		case "items":
			for i, e := range list {
				part(arg, e, fmt.Sprintf("[%d]", i))
			}
		case "required":
			good = !isObj || !slices.ContainsFunc(arg.([]any), func(name any) bool { _, ok := obj[name.(string)]; return !ok })
		case "properties", "propertyNames", "additionalProperties":
			known, _ := s["properties"].(map[string]any)
			for name, e := range obj {
				of, isKnown := known[name]
				switch {
				case keyword == "propertyNames":
					part(arg, name, "."+name)
				case keyword == "properties" && isKnown:
					part(of, e, "."+name)
				case keyword == "additionalProperties" && !isKnown:
					part(arg, e, "."+name)
				}
			}
		case "allOf":
			for _, a := range arg.([]any) {
				part(a, v, "")
			}
		case "anyOf":
			good = slices.ContainsFunc(arg.([]any), func(a any) bool { return against(root, a, v, path) == "" })
		case "if":
			if against(root, arg, v, path) == "" {
				part(s["then"], v, "")
			} else if s["else"] != nil {
				part(s["else"], v, "")
			}
		default:
			good = false
		}
		if !good {
			below = fmt.Sprintf("%s: %v is against %s %v", path, v, keyword, arg)
		}
		if below != "" {
			return below
		}
	}
	return ""
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
