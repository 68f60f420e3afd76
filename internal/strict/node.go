package strict

import (
	"fmt"
	"reflect"
	"regexp"
	"strconv"

	"gopkg.in/yaml.v3"
)

var (
	// The numbers of YAML 1.2, which mean the same to every reader.
	decimal   = regexp.MustCompile(`^[-+]?(0|[1-9][0-9]*)$`)
	otherBase = regexp.MustCompile(`^0(x[0-9a-fA-F]+|o[0-7]+)$`)
	floating  = regexp.MustCompile(`^[-+]?((0|[1-9][0-9]*)(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]+)?$`)

	// What some YAML readers accept as a number (010 for eight, 1_000, 0b1, .nan).
	numeric = regexp.MustCompile(`^[-+]?([0-9][0-9_]*(\.[0-9_]*)?|\.[0-9][0-9_]*)([eE][-+]?[0-9]+)?$` +
		`|^[-+]?0([xX][0-9a-fA-F_]+|[oO][0-7_]+|[bB][01_]+)$|^(?i)[-+]?\.(nan|inf)$`)

	leadingZero = regexp.MustCompile(`^([-+]?)0[0_]*([0-9].*)$`)
	notFinite   = regexp.MustCompile(`^(?i)[-+]?\.?(nan|inf|infinity)$`)
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
	case isText(n):
		return fmt.Sprintf("the text %q", Shorten(n.Value))
	case n.Tag == "!!bool":
		return n.Value
	case looksNumeric(n.Value):
		return "the number " + Shorten(n.Value)
	}
	return fmt.Sprintf("the text %q", Shorten(n.Value))
}

// Shorten cuts a text to 40 characters, for messages.
func Shorten(s string) string {
	if r := []rune(s); len(r) > 40 {
		return string(r[:37]) + "..."
	}
	return s
}

func looksNumeric(s string) bool { return numeric.MatchString(s) }

// numericType returns the type of a number for which no Go field specifies one. -0 is a float64,
// because integers have no negative zero.
func numericType(s string) reflect.Type {
	if s == "-0" {
		return reflect.TypeFor[float64]()
	}
	if decimal.MatchString(s) || otherBase.MatchString(s) {
		if _, err := strconv.ParseInt(s, 0, 64); err == nil {
			return reflect.TypeFor[int64]()
		}
		if _, err := strconv.ParseUint(s, 0, 64); err == nil {
			return reflect.TypeFor[uint64]()
		}
	}
	return reflect.TypeFor[float64]()
}
