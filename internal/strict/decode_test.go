package strict_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"popbench/internal/check"
	"popbench/internal/strict"
)

type common struct {
	Seed uint64 `json:"seed"`
}

type point struct {
	X []float64 `json:"x" required:"true"`
	W float32   `json:"w"`
}

// document has a field of every kind that a file can contain.
type document struct {
	common
	Name   string            `json:"name"`
	Count  int               `json:"count" min:"1" max:"9"`
	Small  int8              `json:"small"`
	Byte   uint8             `json:"byte"`
	Rate   float64           `json:"rate"`
	On     bool              `json:"on"`
	Limit  *float64          `json:"limit"`
	Point  point             `json:"point"`
	Next   *point            `json:"next"`
	Points []point           `json:"points"`
	Rows   [][]float64       `json:"rows"`
	Kinds  []string          `json:"kinds" enum:"a,b" max:"2"`
	ByName map[string]point  `json:"by_name"`
	Words  map[string]string `json:"words" enum:"a,b"`
	Any    any               `json:"any"`
	Raw    json.RawMessage   `json:"raw"`
	Hidden int               `json:"-"`
	Plain  int
}

func TestDecode(t *testing.T) {
	limit := 2.5
	got := document{
		common: common{Seed: 7}, Count: 3, On: true, Limit: &limit,
		Point:  point{X: []float64{9}, W: 1},
		Rows:   [][]float64{{1}},
		ByName: map[string]point{"kept": {W: 5}, "laid over": {W: 6}},
	}
	check.OK(t, strict.Decode("doc.yaml", []byte(`
name: "line one\nline two"
small: -128
byte: 0xff
rate: -1.5e-3
on: false
limit: null
point: {x: [1, 2]}
next: {x: [], w: .25}
points: [{x: [3]}, {x: [4], w: +1}]
rows: [[1, 2], [3, 4.]]
kinds: [a, b]
by_name:
  laid over: {x: [1]}
  new: {x: [2]}
words: {k: a, 1: b, null: a}
any: {a: [1, -2, 18446744073709551615, 0.5, 1e3, true, "true", text, null, 2024-01-01], b: {}}
raw: {b: [1.50, "x", -0], a: null}
Plain: 4
`), &got))
	want := document{
		common: common{Seed: 7}, Name: "line one\nline two", Count: 3, Small: -128, Byte: 255, Rate: -0.0015,
		Point:  point{X: []float64{1, 2}, W: 1},
		Next:   &point{X: []float64{}, W: 0.25},
		Points: []point{{X: []float64{3}}, {X: []float64{4}, W: 1}},
		Rows:   [][]float64{{1, 2}, {3, 4}},
		Kinds:  []string{"a", "b"},
		ByName: map[string]point{"kept": {W: 5}, "laid over": {X: []float64{1}, W: 6}, "new": {X: []float64{2}}},
		Words:  map[string]string{"k": "a", "1": "b", "null": "a"},
		Any: map[string]any{
			"a": []any{int64(1), int64(-2), uint64(18446744073709551615), 0.5, 1000.0, true, "true", "text", nil, "2024-01-01"},
			"b": map[string]any{},
		},
		Raw:   json.RawMessage(`{"a":null,"b":[1.5,"x",-0]}`),
		Plain: 4,
	}
	check.Same(t, "document", got, want)

	// Decoding into a pointer changes a copy of what it points to.
	check.OK(t, strict.Decode("doc.yaml", []byte("{limit: 3, next: {w: 2, x: [5]}}"), &document{Limit: &limit}))
	next := point{X: []float64{1}, W: 7}
	over := document{Next: &next}
	check.OK(t, strict.Decode("doc.yaml", []byte("next: {x: [5]}"), &over))
	check.Same(t, "next", over.Next, &point{X: []float64{5}, W: 7})
	check.Equal(t, "the default", next.X[0], 1)
	check.Equal(t, "the caller's default", limit, 2.5)
}

// Values that encoding/json writes are read back unchanged.
func TestDecodeJSON(t *testing.T) {
	want := document{Name: "é\u2028<\"\\/\t\u0001😀", Count: 1, Rate: 1e300, Point: point{X: []float64{-0.1}},
		Next: &point{X: []float64{1e-320}}, Points: []point{{X: []float64{1, 2}}}, Rows: [][]float64{{}}, Kinds: []string{},
		ByName: map[string]point{}, Words: map[string]string{}, Any: "x", Raw: json.RawMessage(`[1]`)}
	for _, indent := range []string{"", "\t"} {
		raw := check.Must(json.MarshalIndent(want, "", indent))(t)
		var got document
		check.OK(t, strict.Decode("doc.json", raw, &got))
		check.Same(t, "document", got, want)
	}
}

// Below each document of testdata/mistakes.golden, in which \n is a new line, stand its mistakes.
func TestDecodeErrors(t *testing.T) {
	check.GoldenLines(t, "mistakes.golden", func(line string) string {
		return fmt.Sprint(strict.Decode("doc", []byte(strings.ReplaceAll(line, `\n`, "\n")), new(document)))
	})
	var d struct {
		A int `json:"a" required:"b,c"`
		B int `json:"b"`
		C int `json:"c"`
	}
	check.Equal(t, "no alternative", fmt.Sprint(strict.Decode("doc", []byte("c: 0"), &d)), `doc:1: key "a" is missing; add it, or b, or c`)
	check.OK(t, strict.Decode("doc", []byte("c: 1"), &d))
}

// A type that no file can contain is a caller's bug.
func TestDecodePanics(t *testing.T) {
	defer func() {
		check.Contains(t, "panic", fmt.Sprint(recover()), "f has type func()")
	}()
	var d struct {
		F func() `json:"f"`
	}
	_ = strict.Decode("doc", []byte("f: x"), &d)
}

// A document may be as deep as the message says, and no deeper; a file as large.
func TestDepth(t *testing.T) {
	for depth, want := range map[int]string{100: "<nil>", 101: "doc:1: nested more than 100 deep; is it the right file?"} {
		err := strict.Decode("doc", []byte(strings.Repeat("[", depth)+strings.Repeat("]", depth)), new(any))
		check.Contains(t, "depth", fmt.Sprint(err), want)
	}
	const most = 4 << 20
	check.Equal(t, "bytes", len(check.Must(strict.ReadAll("f", strings.NewReader(strings.Repeat("x", most))))(t)), most)
	check.Error(t, "one more", check.Err(strict.ReadAll("f", strings.NewReader(strings.Repeat("x", most+1)))), "f: is larger than 4 MiB; is it the right file?")
}
