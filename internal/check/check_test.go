package check

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
)

// recorder keeps what a test says in place of failing or skipping it.
type recorder struct {
	testing.TB
	errors []string
}

func (*recorder) Helper() {}

func (r *recorder) Errorf(format string, args ...any) {
	r.errors = append(r.errors, fmt.Sprintf(format, args...))
}

func (r *recorder) Fatal(args ...any) { r.Fatalf("%s", fmt.Sprint(args...)) }

func (r *recorder) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	runtime.Goexit()
}

func (r *recorder) Skip(args ...any) { r.Fatal(args...) }

// square is the sum of squares, with another derivative than 2x and with more in a value that comes with a gradient.
func square(slope, more float64) func(x, grad []float64) float64 {
	return func(x, grad []float64) (sum float64) {
		for j, v := range x {
			sum += v * v
			if grad != nil {
				grad[j] = slope * v
			}
		}
		if grad != nil {
			sum += more
		}
		return sum
	}
}

func TestCheck(t *testing.T) {
	path := Temporary(t, "three.json", "[3]")
	Same(t, "files", Files(t, filepath.Dir(path)), map[string]string{"three.json": Text(t, path)})
	bad := errors.New("a b c")
	for name, c := range map[string]struct {
		check func(t testing.TB)
		want  []string
	}{
		"equal":    {func(t testing.TB) { Equal(t, "runs", 3, 3) }, nil},
		"unequal":  {func(t testing.TB) { Equal(t, "runs", 2, 3) }, []string{"runs: got 2, want 3"}},
		"contains": {func(t testing.TB) { Contains(t, "the page", "a b c", "a", "c") }, nil},
		"misses":   {func(t testing.TB) { Contains(t, "the page", "a b c", "d", "a", "e") }, []string{"the page does not have \"d\":\na b c", "the page does not have \"e\":\na b c"}},
		"lacks":    {func(t testing.TB) { Lacks(t, "the page", "a b c", "d", "e") }, nil},
		"has":      {func(t testing.TB) { Lacks(t, "the page", "a b c", "d", "b") }, []string{"the page has \"b\":\na b c"}},
		"good":     {func(t testing.TB) { Equal(t, "value", Must(3, nil)(t), 3) }, nil},
		"bad":      {func(t testing.TB) { Must(3, bad)(t) }, []string{"a b c"}},
		"error":    {func(t testing.TB) { Error(t, "it", Err(3, bad), "a", "c") }, nil},
		"no error": {func(t testing.TB) { Error(t, "it", nil, "a") }, []string{`it: no error, want ["a"]`}},
		"other":    {func(t testing.TB) { Error(t, "it", bad, "a", "d") }, []string{"it: the error does not have \"d\":\na b c"}},
		"says":     {func(t testing.TB) { Says(t, "it", bad, "a b c"); Says(t, "it", nil, "") }, nil},
		"unsaid":   {func(t testing.TB) { Says(t, "it", bad, ""); Says(t, "it", nil, "a") }, []string{"it: got a b c, want ", "it: got <nil>, want a"}},
		"panics":   {func(t testing.TB) { Panics(t, "it", func() { panic("a b") }, "b") }, nil},
		"no panic": {func(t testing.TB) { Panics(t, "it", func() {}) }, []string{"it: no panic"}},
		"scared":   {func(t testing.TB) { Panics(t, "it", func() { panic("a b") }, "c") }, []string{"it: the panic does not have \"c\":\na b"}},
		"that":     {func(t testing.TB) { That(t, true, "never"); That(t, false, "%d runs", 3) }, []string{"3 runs"}},
		"ensure":   {func(t testing.TB) { Ensure(t, true, "never"); Ensure(t, false, "%d runs", 3); That(t, false, "no end") }, []string{"3 runs"}},
		"ran":      {func(t testing.TB) { Equal(t, "output", Ran([]byte("a"), nil)(t), "a") }, nil},
		"failed":   {func(t testing.TB) { Ran("output", bad)(t) }, []string{"a b c\noutput"}},
		"gradient": {func(t testing.TB) {
			Gradient(t, "x²", square(2, 0), []float64{0.5, 3}, 1e-4, 1e-6)
			Gradient(t, "x²", square(2.1, 0), []float64{100}, 0.5, 0.1)
			Gradient(t, "x²", square(3, 0), []float64{0.01}, 0.5, 0.1)
		}, nil},
		"slope": {func(t testing.TB) { Gradient(t, "x²", square(3, 0), []float64{2}, 0.5, 0.1) }, []string{"x² at [2]: derivative 0 is 6, by differences 4"}},
		"value": {func(t testing.TB) { Gradient(t, "x²", square(2, 1), []float64{2}, 0.5, 0.1) }, []string{"x² at [2]: got 5 with a gradient, 4 without"}},
		"same":  {func(t testing.TB) { Same(t, "list", []int{3}, []int{3}) }, nil},
		"near": {func(t testing.TB) {
			Near(t, 3.5, 3, 0.5, "x%d", 1)
			Near(t, math.Inf(1), math.Inf(1), 0, "x")
			Close(t, "x", 1e9, 1e9+1e-6)
		}, nil},
		"far":      {func(t testing.TB) { Near(t, 3.5, 3, 0.4, "x%d", 1); Close(t, "x", 1, 0) }, []string{"x1: got 3.5, want 3 within 0.4", "x: got 1, want 0 within 1e-12"}},
		"NaN":      {func(t testing.TB) { Near(t, math.NaN(), 3, 9, "x") }, []string{"x: got NaN, want 3 within 9"}},
		"not same": {func(t testing.TB) { Same(t, "list", []int{3}, []int8{3}) }, []string{"list: got [3], want [3]"}},
		"read":     {func(t testing.TB) { v := new([]int); Read(t, path, v); Same(t, "numbers", *v, []int{3}) }, nil},
		"page":     {func(t testing.TB) { Equal(t, "elements", len(Elements(t, "<p><b/></p>")), 2) }, nil},
		"open":     {func(t testing.TB) { Elements(t, "<p>") }, []string{"the page is not well-formed: XML syntax error on line 1: unexpected EOF"}},
		"needs":    {func(t testing.TB) { Needs(t, "go", "no-such") }, []string{`exec: "no-such": executable file not found in $PATH`}},
		"few":      {func(t testing.TB) { t.Setenv("POPBENCH_LONG", ""); Equal(t, "few", Few(3, 9), 3); OnlyLong(t) }, []string{"only in scripts/long"}},
		"many":     {func(t testing.TB) { t.Setenv("POPBENCH_LONG", "1"); OnlyLong(t); Equal(t, "many", Few(3, 9), 9) }, nil},
		"misread":  {func(t testing.TB) { Read(t, path, new(int)) }, []string{path + ": json: cannot unmarshal array into Go value of type int"}},
	} {
		t.Run(name, func(t *testing.T) {
			r, done := recorder{TB: t}, make(chan bool)
			go func() {
				defer close(done)
				c.check(&r)
			}()
			if <-done; !slices.Equal(r.errors, c.want) {
				t.Errorf("got %q, want %q", r.errors, c.want)
			}
		})
	}
}
