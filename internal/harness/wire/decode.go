package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// decode reads a result. Unknown keys are ignored. A null in a list of numbers, which encoding/json
// would read as 0, is an error.
func decode(raw json.RawMessage, result any) error {
	err := json.Unmarshal(raw, result)
	var wrong *json.UnmarshalTypeError
	switch {
	case errors.As(err, &wrong) && wrong.Field != "":
		return Invalidf("%s is %s, not %v", wrong.Field, wrong.Value, typeName(wrong))
	case err != nil:
		return Invalidf("its result is %s, not an object with the keys of the method", quote(raw))
	}
	if bytes.Contains(raw, []byte("null")) {
		var tree any
		if json.Unmarshal(raw, &tree) == nil {
			if at := nullIn(tree, "", reflect.TypeOf(result)); at != "" {
				return Invalidf("%s is null, not a number", at)
			}
		}
	}
	return nil
}

// nullIn returns the path of the first null in a list of v, which was decoded into a value of type t;
// "" if there is none. It does not look into what t leaves undecoded.
func nullIn(v any, path string, t reflect.Type) string {
	switch t.Kind() {
	case reflect.Pointer:
		return nullIn(v, path, t.Elem())
	case reflect.Slice:
		list, _ := v.([]any)
		if t == reflect.TypeFor[json.RawMessage]() {
			return ""
		}
		for i, e := range list {
			at := fmt.Sprintf("%s[%d]", path, i)
			if e == nil {
				return at
			}
			if in := nullIn(e, at, t.Elem()); in != "" {
				return in
			}
		}
	case reflect.Struct:
		object, _ := v.(map[string]any)
		for _, f := range reflect.VisibleFields(t) {
			key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if in := nullIn(object[key], member(path, key), f.Type); in != "" {
				return in
			}
		}
	}
	return ""
}

// typeName says what is wanted in the words of JSON.
func typeName(e *json.UnmarshalTypeError) string {
	switch e.Type.Kind().String() {
	case "float64":
		return "a finite number"
	case "int", "uint64":
		return "a whole number"
	case "slice":
		return "a list"
	case "string":
		return "a text"
	}
	return "an object"
}

// nonFinite names the first bare NaN or Infinity of a line that is a message otherwise, such as
// "points[1][0] is NaN, not a finite number"; "" if there is none.
func nonFinite(line []byte) string {
	const mark = "\x00non-finite "
	var out []byte
	inText, found := false, false
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case inText && c == '\\' && i+1 < len(line):
			out = append(out, c)
			i++
			c = line[i]
		case c == '"':
			inText = !inText
		case !inText:
			word := ""
			for _, w := range []string{"NaN", "nan", "-Infinity", "Infinity", "-inf", "inf", "-Inf", "Inf"} {
				if bytes.HasPrefix(line[i:], []byte(w)) {
					word = w
					break
				}
			}
			if word != "" {
				text, _ := json.Marshal(mark + word)
				out, found = append(out, text...), true
				i += len(word) - 1
				continue
			}
		}
		out = append(out, c)
	}
	var a struct{ Result any }
	if !found || json.Unmarshal(out, &a) != nil {
		return ""
	}
	word := ""
	at := find(a.Result, "", func(v any) bool {
		s, ok := v.(string)
		if ok = ok && len(s) > len(mark) && s[:len(mark)] == mark; ok {
			word = s[len(mark):]
		}
		return ok
	})
	if at == "" {
		return ""
	}
	return fmt.Sprintf("%s is %s, not a finite number", at, word)
}

// find returns the path of the first value for which is holds, or "".
func find(v any, path string, is func(any) bool) string {
	if m, ok := v.(map[string]any); ok {
		for _, key := range sortedKeys(m) {
			if at := member(path, key); is(m[key]) {
				return at
			} else if in := find(m[key], at, is); in != "" {
				return in
			}
		}
	}
	if list, ok := v.([]any); ok {
		for i, e := range list {
			if at := fmt.Sprintf("%s[%d]", path, i); is(e) {
				return at
			} else if in := find(e, at, is); in != "" {
				return in
			}
		}
	}
	return ""
}

func member(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

func sortedKeys(m map[string]any) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
