package strict

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"popbench/internal/limits"
	"popbench/internal/words"
)

// scalar sets v, which has a basic kind, to the value of n.
func (d *Decoder) scalar(n *yaml.Node, v reflect.Value, path string, tag reflect.StructTag) {
	var err error
	switch kind := v.Kind(); {
	case kind == reflect.String:
		err = setString(n, v, tag)
	case kind == reflect.Bool && n.Tag != "!!bool":
		err = fmt.Errorf("want true or false, not %s", describe(n))
	case kind == reflect.Bool:
		v.SetBool(strings.EqualFold(n.Value, "true"))
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
	if n.Kind != yaml.ScalarNode {
		return fmt.Errorf("want text, not %s", describe(n))
	}
	if enum := tag.Get("enum"); enum != "" {
		if known := strings.Split(enum, ","); !slices.Contains(known, n.Value) {
			text := fmt.Sprintf("%q is not one of %s", Shorten(n.Value), strings.Join(known, ", "))
			if near := words.Nearest(n.Value, known); near != "" {
				text += "; did you mean " + near + "?"
			}
			return errors.New(text)
		}
	}
	switch {
	case isNumber(n) && tag.Get("unit") != "":
		return fmt.Errorf("%s has no unit; give it one, e.g. %[1]s%[2]s", Shorten(n.Value), tag.Get("unit"))
	case n.Tag == "!!bool" || isNumber(n):
		return fmt.Errorf("want text, not %s; write it in quotes", describe(n))
	}
	v.SetString(n.Value)
	return nil
}

func setNumber(n *yaml.Node, v reflect.Value, tag reflect.StructTag) error {
	s, plain := n.Value, n.Kind == yaml.ScalarNode && !isText(n)
	switch {
	case v.CanFloat() && plain && floating().MatchString(s):
		return setFloat(s, v, tag)
	case v.CanFloat():
		return wrongNotation(n, "a number")
	case plain && (decimal().MatchString(s) || otherBase().MatchString(s)):
		return setWhole(s, v, tag)
	case plain && floating().MatchString(s):
		if f, err := strconv.ParseFloat(s, 64); err == nil && f == math.Trunc(f) && math.Abs(f) < 1<<53 {
			return fmt.Errorf("want a whole number; write %d", int64(f))
		}
		return fmt.Errorf("want a whole number, not %s", describe(n))
	}
	err := wrongNotation(n, "a whole number")
	if keys := tag.Get("required"); s != "" && keys != "true" && slices.Contains(strings.Split(keys, ","), s) {
		return fmt.Errorf("%w; give the key %s in place of this one", err, s)
	}
	return err
}

// wrongNotation says what is wrong with what is not a number, or a number on which readers disagree.
func wrongNotation(n *yaml.Node, want string) error {
	s := n.Value
	switch {
	case n.Kind != yaml.ScalarNode:
		return fmt.Errorf("want %s, not %s", want, describe(n))
	case isText(n) && floating().MatchString(s):
		return fmt.Errorf("want %s, not %s; remove the quotes", want, describe(n))
	case notFinite().MatchString(s):
		return fmt.Errorf("%s is not finite; give %s", s, want)
	case !isNumber(n):
		return fmt.Errorf("want %s, not %s", want, describe(n))
	case strings.Contains(s, "_"):
		return fmt.Errorf("write %s without _", Shorten(s))
	}
	if m := leadingZero().FindStringSubmatch(s); m != nil {
		return fmt.Errorf("%s begins with 0, which some readers read as octal; write %s", Shorten(s), Shorten(m[1]+m[2]))
	}
	return fmt.Errorf("write %s as a decimal number", Shorten(s))
}

func setWhole(s string, v reflect.Value, tag reflect.StructTag) error {
	i, _ := new(big.Int).SetString(s, 0)
	if v.CanUint() && s[0] == '-' {
		return fmt.Errorf("%s is negative; give 0 or more", Shorten(s))
	}
	x, _ := new(big.Float).SetInt(i).Float64()
	if err := CheckRange(limits.Of(tag), x); err != nil {
		return fmt.Errorf("%s %w", Shorten(s), err)
	}
	switch {
	case v.CanInt() && i.IsInt64() && !v.OverflowInt(i.Int64()):
		v.SetInt(i.Int64())
	case v.CanUint() && i.IsUint64() && !v.OverflowUint(i.Uint64()):
		v.SetUint(i.Uint64())
	default:
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

var (
	// The numbers of YAML 1.2, which mean the same to every reader.
	decimal   = words.Pattern(`^[-+]?(0|[1-9][0-9]*)$`)
	otherBase = words.Pattern(`^0(x[0-9a-fA-F]+|o[0-7]+)$`)
	floating  = words.Pattern(`^[-+]?((0|[1-9][0-9]*)(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]+)?$`)

	leadingZero = words.Pattern(`^([-+]?)0[0_]*([0-9].*)$`)
	notFinite   = words.Pattern(`^(?i)[-+]?\.?(nan|inf|infinity)$`)
)

// deref follows an alias.
func deref(n *yaml.Node) *yaml.Node {
	for n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	return n
}

func isNull(n *yaml.Node) bool {
	n = deref(n)
	return n.Kind == yaml.ScalarNode && n.Tag == "!!null"
}

// isText reports whether quotes mark a scalar as text, whatever they contain.
func isText(n *yaml.Node) bool {
	return n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) != 0
}

// describe names the contents of a node, for messages.
func describe(n *yaml.Node) string {
	n = deref(n)
	switch {
	case n.Kind == yaml.MappingNode:
		return "a mapping"
	case n.Kind == yaml.SequenceNode:
		return "a list"
	case isNull(n):
		return "nothing"
	case n.Tag == "!!bool":
		return n.Value
	case isNumber(n):
		return "the number " + Shorten(n.Value)
	}
	return fmt.Sprintf("the text %q", Shorten(n.Value))
}

// Shorten cuts a text to 40 characters, for messages.
func Shorten(s string) string { return words.Cut(s, 40) }

// isNumber reports whether a node is what the YAML library takes for a number, such as 010 for eight, 1_000, 0b1 and .nan,
// or would if it were not too large.
func isNumber(n *yaml.Node) bool {
	return n.Tag == "!!int" || n.Tag == "!!float" || !isText(n) && floating().MatchString(n.Value)
}
