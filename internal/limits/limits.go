// Package limits checks values against the limits in the tags of their fields. Each limit is
// written once: the checks of values from Go code and from files, the messages, the listings and
// the schema all read the same tag.
//
//	min, max          range of a number, or of the length of a list
//	itemMin, itemMax  range of each number in a list
//	enum              allowed texts, separated by commas
//
// Within the limits all results are finite and computing them takes bounded time;
// docs/decisions/solving.md gives the reasons.
package limits

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"popbench/internal/words"
)

// Error is what is wrong with a setting.
type Error struct {
	keys []string
	text string
}

// Wrong returns an error about a setting: its key, nested ones joined by dots, then the text, which says what is wrong with
// it and how to mend it.
func Wrong(key, format string, args ...any) *Error {
	return &Error{[]string{key}, key + fmt.Sprintf(format, args...)}
}

// Or returns the error with further keys that may have caused it, if the first is not given.
func (e *Error) Or(keys ...string) *Error { return &Error{slices.Concat(e.keys, keys), e.text} }

func (e *Error) Error() string { return e.text }

// Keys returns the keys that may have caused the error, the most likely first.
func (e *Error) Keys() []string { return e.keys }

// Range is the range that a tag allows, ends included. A missing end is "".
type Range struct{ Min, Max string }

// Of returns the range of a number, or of the length of a list.
func Of(tag reflect.StructTag) Range { return Range{tag.Get("min"), tag.Get("max")} }

// OfItems returns the range of each number in a list.
func OfItems(tag reflect.StructTag) Range { return Range{tag.Get("itemMin"), tag.Get("itemMax")} }

// String describes the allowed values: "1 to 9", "1 or more", "9 at most", or "" if
// any value is allowed.
func (r Range) String() string {
	switch {
	case r.Min != "" && r.Max != "":
		return r.Min + " to " + r.Max
	case r.Min != "":
		return r.Min + " or more"
	case r.Max != "":
		return r.Max + " at most"
	}
	return ""
}

// Above reports whether v is above the range. NaN is both above and below.
func (r Range) Above(v float64) bool { return r.Max != "" && !(v <= number(r.Max)) }

// Below reports whether v is below the range.
func (r Range) Below(v float64) bool { return r.Min != "" && !(v >= number(r.Min)) }

// Holds reports whether v is in the range.
func (r Range) Holds(v float64) bool { return !r.Above(v) && !r.Below(v) }

func number(text string) float64 {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		panic(fmt.Sprintf("limits: tag value %q is not a number", text))
	}
	return v
}

// Check returns an error with a line for each number outside its range and each text that is not allowed, in the struct v
// and in nested structs, including those behind pointers and in lists. It names fields by their json keys. If path, the key
// of v itself, is not "", it precedes them. An empty text in a field with omitempty, or a zero struct in one with omitzero,
// is a missing key, which is valid.
func Check(path string, v any) error {
	return errors.Join(check(path, reflect.ValueOf(v))...)
}

func check(path string, v reflect.Value) (errs []error) {
	for i := range v.NumField() {
		f := v.Type().Field(i)
		name, option, _ := strings.Cut(f.Tag.Get("json"), ",")
		if !f.IsExported() || name == "-" {
			continue
		}
		switch {
		case option == "omitzero" && f.Type.Kind() == reflect.Struct && v.Field(i).IsZero():
			continue
		case f.Anonymous && name == "":
			name = path
		case path != "":
			name = path + "." + name
		}
		errs = append(errs, checkField(name, v.Field(i), f.Tag, strings.HasPrefix(option, "omitempty"))...)
	}
	return errs
}

func checkField(name string, v reflect.Value, tag reflect.StructTag, optional bool) (errs []error) {
	switch {
	case v.Kind() == reflect.String && tag.Get("enum") != "":
		allowed := strings.Split(tag.Get("enum"), ",")
		if slices.Contains(allowed, v.String()) || optional && v.String() == "" {
			return nil
		}
		return []error{Wrong(name, " = %q is unknown; give %s", v.String(), words.Either(allowed))}
	case v.Kind() == reflect.Pointer:
		if !v.IsNil() {
			return checkField(name, v.Elem(), tag, optional)
		}
		return nil
	case v.Kind() == reflect.Struct:
		return check(name, v)
	case v.Kind() == reflect.Slice:
		if r := Of(tag); !r.Holds(float64(v.Len())) {
			errs = append(errs, Wrong(name, " has %d entries; give %s", v.Len(), r))
		}
		if v.Type().Elem().Kind() == reflect.Struct {
			for i := 0; i < v.Len() && errs == nil; i++ {
				errs = check(fmt.Sprintf("%s[%d]", name, i), v.Index(i))
			}
			return errs
		}
		r := OfItems(tag)
		for i := 0; r != (Range{}) && i < v.Len(); i++ {
			if x, _ := toFloat(v.Index(i)); !r.Holds(x) {
				return append(errs, Wrong(fmt.Sprintf("%s[%d]", name, i), " = %v is out of range; give %s", v.Index(i), r))
			}
		}
		return errs
	}
	if x, ok := toFloat(v); ok {
		if r := Of(tag); !r.Holds(x) {
			return []error{Wrong(name, " = %v is out of range; give %s", v, r)}
		}
	}
	return nil
}

func toFloat(v reflect.Value) (float64, bool) {
	switch {
	case v.CanFloat():
		return v.Float(), true
	case v.CanInt():
		return float64(v.Int()), true
	case v.CanUint():
		return float64(v.Uint()), true
	}
	return 0, false
}

// Timeout reads the time limit of a run from a file or a flag.
func Timeout(text string) (time.Duration, error) {
	limit, err := time.ParseDuration(text)
	if err != nil || limit <= 0 || limit > 8760*time.Hour {
		return 0, errors.New("is not a time limit; give a positive duration up to 8760h, e.g. 90s, 10m or 1h30m")
	}
	return limit, nil
}
