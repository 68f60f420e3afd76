package suite

import (
	"testing"

	"popbench/internal/check"
)

// A table with two columns of one name is refused only if one of them is wanted.
func TestTableColumns(t *testing.T) {
	const table = "size,price,size\n1,2,3\n"
	_, _, err := parseTable([]byte(table), []string{"size"}, "price")
	check.Error(t, "two columns", err, `1: two columns are called "size"; rename one of them`)
	points, values, err := parseTable([]byte("size,price,liked,size\n1,2,3,4\n"), []string{"price"}, "liked")
	check.OK(t, err)
	check.Same(t, "points and values", append(points, values), [][]float64{{2}, {3}})
}
