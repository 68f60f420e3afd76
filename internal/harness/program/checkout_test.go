package program

import (
	"testing"
	"testing/fstest"
)

func TestTreesWithOtherCodeAreNotTheSame(t *testing.T) {
	tree := func(name, text string) fstest.MapFS {
		return fstest.MapFS{
			"source.go":   {Data: []byte("//go:embed a/*.go\n")},
			"a/a.go":      {Data: []byte("package a\n")},
			"a/a_test.go": {Data: []byte(text)}, // tests make no records
			name:          {Data: []byte(text)},
		}
	}
	if !same(tree("a/b.go", "package a\n"), tree("a/b.go", "package a\n")) || !same(tree("a/c_test.go", "1"), tree("a/c_test.go", "2")) {
		t.Error("trees of the same code differ")
	}
	if same(tree("a/b.go", "package a\n"), tree("a/b.go", "package b\n")) || same(tree("a/b.go", "package a\n"), tree("a/c.go", "package a\n")) {
		t.Error("trees of other code are the same")
	}
}
