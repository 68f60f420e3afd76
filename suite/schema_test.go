package suite

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"popbench/internal/check"
	"popbench/internal/strict"
)

func TestSchemaGolden(t *testing.T) {
	raw := check.Must(schema(catalogue{}))(t)
	check.Golden(t, "schema.golden.json", string(raw))
}

// The schema and the reader agree: an editor accepts what the reader accepts, such as our suites, and marks every mistake
// that a schema can express.
func TestSchemaAgreesWithReader(t *testing.T) {
	of := func(text string) *jsonschema.Schema {
		c := jsonschema.NewCompiler()
		check.OK(t, c.AddResource("schema.json", readAny(t, text)))
		return check.Must(c.Compile("schema.json"))(t)
	}
	ours, smaller := of(read(t, "../configs/schema.json")), of(string(check.Must(schema(catalogue{}))(t)))
	for _, path := range append(glob(t, "../configs/*.yaml"), glob(t, "../configs/*/*.yaml")...) {
		check.OK(t, ours.Validate(readAny(t, read(t, path))))
	}
	for _, path := range glob(t, "testdata/good/*") {
		check.OK(t, smaller.Validate(readAny(t, read(t, path))))
	}
	// Only the reader checks rules between fields and rules about the text of the file.
	readerOnly := []string{"label-form", "label-twice", "name-device", "override-invalid", "override-problem", "pilot-missing", "problem-twice",
		"settings-invalid", "settings-invalid-default", "cells", "title-long", "timeout-negative", "timeout-text", "title-lines", "headline"}
	for _, path := range glob(t, "testdata/bad/*.yaml") {
		name := strings.TrimSuffix(filepath.Base(path), ".yaml")
		if v := readAny(t, read(t, path)); v != nil { // else it is not a document at all
			check.Equal(t, path+": refused by the schema", smaller.Validate(v) != nil, !slices.Contains(readerOnly, name))
		}
	}
	// Editors mark what is missing from an external entry, and keys of such an entry elsewhere.
	check.GoldenLines(t, "entries.golden", func(line string) string {
		err, said := check.Err(parse("a.yaml", []byte(line), catalogue{})), smaller.Validate(readAny(t, line))
		check.That(t, (said == nil) == (err == nil), "%s: the schema says %v, the reader %v", line, said, err)
		return map[bool]string{true: "refused"}[said != nil]
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
