package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"popbench/algorithms"
	"popbench/internal/words"
	"popbench/record"
)

// decode reads a result. Unknown keys are ignored. A null in place of a number, and the value of a metric
// that is missing, which encoding/json would read as 0, are errors.
func decode(raw json.RawMessage, result any) error {
	err := json.Unmarshal(raw, result)
	var wrong *json.UnmarshalTypeError
	switch {
	case errors.As(err, &wrong) && wrong.Field != "":
		if text := wrongValue(tree(raw), "", reflect.TypeOf(result)); text != "" {
			return invalidf("%s", text) // with its place in the list, which wrong.Field lacks
		}
		return invalidf("%s is %s, not %v", wrong.Field, wrong.Value, typeName(wrong))
	case err != nil:
		return invalidf("its result is %s, not an object with the keys of the method", quote(raw))
	}
	r, ok := result.(*Recommended)
	if bytes.Contains(raw, []byte("null")) || ok && len(r.Metrics) > 0 {
		if text := wrongValue(tree(raw), "", reflect.TypeOf(result)); text != "" {
			return invalidf("%s", text)
		}
	}
	return nil
}

// tree returns a text that is JSON, with its numbers as they are written.
func tree(raw json.RawMessage) (v any) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	_ = d.Decode(&v)
	return v
}

// wrongValue says which number is missing in v, or which value is something else, for a value of type t; "" if none is.
// It ignores what t leaves undecoded.
func wrongValue(v any, path string, t reflect.Type) string {
	switch t.Kind() {
	case reflect.Float64:
		number, ok := v.(json.Number)
		if _, err := number.Float64(); v == nil || ok && err == nil {
			return ""
		}
		return other(v, path, "a finite number")
	case reflect.Pointer:
		return wrongValue(v, path, t.Elem())
	case reflect.Slice:
		list, ok := v.([]any)
		if t == reflect.TypeFor[json.RawMessage]() || v == nil {
			return ""
		}
		if number, is := v.(json.Number); is && t.Elem().Kind() == reflect.Float64 {
			return other(v, path, fmt.Sprintf("the list [%s]", number)) // some libraries write a list of one as a number
		}
		if !ok {
			return other(v, path, "a list")
		}
		for i, e := range list {
			at := fmt.Sprintf("%s[%d]", path, i)
			if e == nil {
				return at + " is null, not a number"
			}
			if text := wrongValue(e, at, t.Elem()); text != "" {
				return text
			}
		}
	case reflect.Struct:
		object, ok := v.(map[string]any)
		if !ok && v != nil {
			return other(v, path, "an object")
		}
		for _, f := range reflect.VisibleFields(t) {
			key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			at, number, found := strings.TrimPrefix(path+"."+key, "."), t == reflect.TypeFor[algorithms.Metric]() && f.Type.Kind() == reflect.Float64, false
			for _, k := range slices.Sorted(maps.Keys(object)) {
				if !strings.EqualFold(k, key) { // encoding/json does not tell their cases apart
					continue
				}
				if found = true; number && object[k] == nil {
					return at + " is null, not a number"
				}
				if text := wrongValue(object[k], at, f.Type); text != "" {
					return text
				}
			}
			if number && !found {
				return at + " is missing"
			}
		}
	}
	return ""
}

// other says that a value is none of its type.
func other(v any, path, wanted string) string {
	text, _ := json.Marshal(v) // it was JSON
	return fmt.Sprintf("%s is %s, not %s", path, quote(text), wanted)
}

// typeName says what is wanted in the words of JSON.
func typeName(e *json.UnmarshalTypeError) string {
	number, is := strings.CutPrefix(e.Value, "number ")
	switch kind := e.Type.Kind(); {
	case kind == reflect.Float64:
		return "a finite number"
	case (kind == reflect.Int || kind == reflect.Uint64) && is && strings.ContainsAny(number, ".eE"):
		return "a whole number without a point or an exponent"
	case kind == reflect.Int:
		return "a whole number"
	case kind == reflect.Uint64: // a seed
		return "a whole number from 0 to 2^53 - 1"
	case kind == reflect.Slice:
		return "a list"
	case kind == reflect.String:
		return "a text"
	}
	return "an object"
}

// textOrNonFinite matches a text of JSON, or what is no number of JSON outside of texts.
var textOrNonFinite = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|NaN|nan|-?Infinity|-?[Ii]nf`)

// mark begins a text in place of a bare NaN or Infinity.
const mark = "\x00non-finite "

// nonFinite names the first bare NaN or Infinity in the params or the result of a line that is a message otherwise, such as
// "points[1][0] is NaN, not a finite number"; "" if there is no such value.
func nonFinite(line []byte, within string) string {
	out := textOrNonFinite.ReplaceAllFunc(line, func(word []byte) []byte {
		if word[0] == '"' {
			return word
		}
		text, _ := json.Marshal(mark + string(word)) // a string is always JSON
		return text
	})
	if !json.Valid(out) {
		return ""
	}
	for _, l := range record.Leaves(out, true) {
		path, inside := strings.CutPrefix(l.Path, within)
		var text string
		_ = json.Unmarshal([]byte(l.Value), &text) // which stays "" for a number
		if word, ok := strings.CutPrefix(text, mark); ok && inside {
			return fmt.Sprintf("%s is %s, not a finite number", path, word)
		}
	}
	return ""
}

// quoted is how many bytes of a line a message may need.
const quoted = 400

// quote returns the beginning of a line in quotation marks, for a message.
func quote(line []byte) string {
	text := words.Quote(string(line[:min(len(line), quoted)]))
	text = strings.ReplaceAll(text, "\ufeff", `\ufeff`) // a byte order mark, which is invisible
	return "'" + words.Cut(text, 60) + "'"
}

// invalidf returns an InvalidError.
func invalidf(format string, args ...any) error { return &InvalidError{fmt.Sprintf(format, args...)} }

// encode returns v as one line of JSON, with its end.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return b.Bytes(), err
}

// An InvalidError says that an answer has a wrong value. The conversation can go on.
type InvalidError struct{ text string }

func (e *InvalidError) Error() string { return e.text }
