package strict

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"popbench/internal/limits"
	"popbench/internal/nearest"
)

// scalar sets v, which has a basic kind, to the value of n.
func (d *Decoder) scalar(n *yaml.Node, v reflect.Value, path string, tag reflect.StructTag) {
	var err error
	switch kind := v.Kind(); {
	case kind == reflect.String:
		err = setString(n, v, tag)
	case kind == reflect.Bool:
		err = setBool(n, v)
	case v.CanInt() || v.CanUint() || v.CanFloat():
		err = setNumber(n, v, tag)
	default:
		panic(fmt.Sprintf("strict: %s has type %v, which no file can contain", path, v.Type()))
	}
	if err != nil {
		d.Fail(n.Line, path, "%v", err)
	}
}

func setString(n *yaml.Node, v reflect.Value, tag reflect.StructTag) error {
	switch {
	case n.Kind != yaml.ScalarNode:
		return fmt.Errorf("want text, not %s", describe(n))
	case !isText(n) && n.Tag != "!!bool" && looksNumeric(n.Value) && tag.Get("unit") != "":
		return fmt.Errorf("%s has no unit; give it one, e.g. %[1]s%[2]s", Shorten(n.Value), tag.Get("unit"))
	case !isText(n) && (n.Tag == "!!bool" || looksNumeric(n.Value)):
		return fmt.Errorf("want text, not %s; write it in quotes", describe(n))
	}
	if enum := tag.Get("enum"); enum != "" {
		if known := strings.Split(enum, ","); !slices.Contains(known, n.Value) {
			text := fmt.Sprintf("%q is not one of %s", Shorten(n.Value), strings.Join(known, ", "))
			if near := nearest.Name(n.Value, known); near != "" {
				text += "; did you mean " + near + "?"
			}
			return errors.New(text)
		}
	}
	v.SetString(n.Value)
	return nil
}

func setBool(n *yaml.Node, v reflect.Value) error {
	if n.Kind != yaml.ScalarNode || n.Tag != "!!bool" || isText(n) {
		return fmt.Errorf("want true or false, not %s", describe(n))
	}
	v.SetBool(strings.EqualFold(n.Value, "true"))
	return nil
}

func setNumber(n *yaml.Node, v reflect.Value, tag reflect.StructTag) error {
	want := "a whole number"
	if v.CanFloat() {
		want = "a number"
	}
	s := n.Value
	plain := n.Kind == yaml.ScalarNode && !isText(n) && floating.MatchString(s) // needs no further check
	if !plain {
		if err := checkNotation(n, want); err != nil {
			return err
		}
	}
	switch {
	case !plain && (v.CanFloat() || !otherBase.MatchString(s)):
		return fmt.Errorf("write %s as a decimal number", Shorten(s))
	case v.CanFloat():
		return setFloat(s, v, tag)
	case !decimal.MatchString(s) && !otherBase.MatchString(s):
		if f, err := strconv.ParseFloat(s, 64); err == nil && f == math.Trunc(f) && math.Abs(f) < 1<<53 {
			return fmt.Errorf("want a whole number; write %d", int64(f))
		}
		return fmt.Errorf("want a whole number, not %s", describe(n))
	case v.CanUint():
		return setUint(s, v, tag)
	}
	return setInt(s, v, tag)
}

// checkNotation refuses text that is not a number, and numbers on which readers disagree.
func checkNotation(n *yaml.Node, want string) error {
	s := n.Value
	switch {
	case n.Kind != yaml.ScalarNode:
		return fmt.Errorf("want %s, not %s", want, describe(n))
	case isText(n) && floating.MatchString(s):
		return fmt.Errorf("want %s, not %s; remove the quotes", want, describe(n))
	case notFinite.MatchString(s):
		return fmt.Errorf("%s is not finite; give %s", s, want)
	case isText(n) || !looksNumeric(s):
		return fmt.Errorf("want %s, not %s", want, describe(n))
	case strings.Contains(s, "_"):
		return fmt.Errorf("write %s without _", Shorten(s))
	}
	if m := leadingZero.FindStringSubmatch(s); m != nil {
		return fmt.Errorf("%s begins with 0, which some readers read as octal; write %s", Shorten(s), Shorten(m[1]+m[2]))
	}
	return nil
}

func setInt(s string, v reflect.Value, tag reflect.StructTag) error {
	i, err := strconv.ParseInt(s, 0, v.Type().Bits()) // after an error, the nearest number that fits
	if err = checkWhole(s, float64(i), err, v, tag); err == nil {
		v.SetInt(i)
	}
	return err
}

func setUint(s string, v reflect.Value, tag reflect.StructTag) error {
	if s[0] == '-' {
		return fmt.Errorf("%s is negative; give 0 or more", Shorten(s))
	}
	u, err := strconv.ParseUint(strings.TrimPrefix(s, "+"), 0, v.Type().Bits())
	if err = checkWhole(s, float64(u), err, v, tag); err == nil {
		v.SetUint(u)
	}
	return err
}

// checkWhole checks a whole number, which was read with an error if it has too many bits.
func checkWhole(s string, x float64, err error, v reflect.Value, tag reflect.StructTag) error {
	if err := CheckRange(limits.Of(tag), x); err != nil {
		return fmt.Errorf("%s %w", Shorten(s), err)
	}
	if err != nil {
		return fmt.Errorf("%s does not fit in %d bits", Shorten(s), v.Type().Bits())
	}
	return nil
}

func setFloat(s string, v reflect.Value, tag reflect.StructTag) error {
	f, err := strconv.ParseFloat(s, v.Type().Bits())
	mantissa, _, _ := strings.Cut(strings.ToLower(s), "e")
	switch {
	case err != nil:
		return fmt.Errorf("%s is too large for a floating-point number", Shorten(s))
	case f == 0 && strings.ContainsAny(mantissa, "123456789"):
		return fmt.Errorf("%s is too small for a floating-point number; write 0", Shorten(s))
	}
	if err := CheckRange(limits.Of(tag), f); err != nil {
		return fmt.Errorf("%s %w", Shorten(s), err)
	}
	v.SetFloat(f)
	return nil
}

// CheckRange returns an error if a number, or the length of a list, is outside a range.
func CheckRange(r limits.Range, v float64) error {
	switch {
	case r.Below(v):
		return fmt.Errorf("is too small; give %s", r)
	case r.Above(v):
		return fmt.Errorf("is above the limit, probably by mistake; give %s", r)
	}
	return nil
}
