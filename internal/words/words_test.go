package words

import (
	"fmt"
	"strconv"
	"testing"

	"popbench/internal/check"
)

func TestCount(t *testing.T) {
	for want, got := range map[string]string{
		"0 runs": Count(0, "run"), "1 run": Count(1, "run"), "2 runs": Count(2, "run"), "1 study": Count(1, "study"), "8 studies": Count(8, "study"),
	} {
		check.Equal(t, "count", got, want)
	}
}

func TestList(t *testing.T) {
	list := []string(nil)
	for _, c := range []struct{ add, want string }{{"", ""}, {"a", "a"}, {"b", "a and b"}, {"a", "a and b"}, {"c", "a, b and c"}} {
		if c.add != "" {
			list = Include(list, c.add)
		}
		check.Equal(t, fmt.Sprint("list of ", list), List(list), c.want)
	}
	check.Equal(t, "either", Either([]string{"a", "b", "c"})+Either([]string{"d"}), "a, b or cd")
	check.Equal(t, "once", List(Once([]string{"b", "a", "b"})), "b and a")
	check.Equal(t, "each", List(Each([]int{1, 2}, strconv.Itoa)), "1 and 2")
	check.Equal(t, "capital", Capital("word"), "Word")
}

func TestShellQuote(t *testing.T) {
	for _, c := range []struct{ path, posix, windows string }{
		{"a/b_1.yaml", "a/b_1.yaml", "a/b_1.yaml"},
		{`C:\runs\a`, `'C:\runs\a'`, `C:\runs\a`},
		{"my runs/it's", `'my runs/it'\''s'`, `"my runs/it's"`},
		{"50%", "50%", `"50%"`},
		{"a\n'\\", `$'a\n\'\\'`, `"a\n'\"`},
	} {
		check.Equal(t, "for a POSIX shell", shellQuote("linux", c.path), c.posix)
		check.Equal(t, "on Windows", shellQuote("windows", c.path), c.windows)
	}
}
