package config

import "testing"

// A table with two columns of one name is refused only if one of them is wanted.
func TestTableColumns(t *testing.T) {
	const table = "size,price,size\n1,2,3\n"
	_, _, err := parseTable([]byte(table), []string{"size"}, "price")
	if want := `1: two columns are called "size"; rename one of them`; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	points, values, err := parseTable([]byte("size,price,liked,size\n1,2,3,4\n"), []string{"price"}, "liked")
	if err != nil || len(points) != 1 || points[0][0] != 2 || values[0] != 3 {
		t.Errorf("%v, %v, %v", points, values, err)
	}
}
