package config

import (
	"strings"
	"testing"

	"popbench/internal/check"
)

// A document may be as deep as the message says, and no deeper.
func TestDepth(t *testing.T) {
	for depth, want := range map[int]bool{maxDepth: true, maxDepth + 1: false} {
		var v any
		err := Decode("doc", []byte(strings.Repeat("[", depth)+strings.Repeat("]", depth)), &v)
		check.Equal(t, "allowed", err == nil, want)
	}
}

// A table with two columns of one name is refused only if one of them is wanted.
func TestTableColumns(t *testing.T) {
	const table = "size,price,size\n1,2,3\n"
	_, _, err := parseTable([]byte(table), []string{"size"}, "price")
	check.Error(t, "two columns", err, `1: two columns are called "size"; rename one of them`)
	points, values, err := parseTable([]byte("size,price,liked,size\n1,2,3,4\n"), []string{"price"}, "liked")
	check.OK(t, err)
	check.Same(t, "points and values", append(points, values), [][]float64{{2}, {3}})
}
