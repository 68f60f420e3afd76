package printable

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"
	"unicode/utf8"
)

var strange = []string{"\x1b[31m", "a\nb", "\x7f", "\u009b1m", "\u202edecrypt", "\u2066x", "\u2028", "a\xffb", "tab\tbed", "\r", "\x00"}

func TestChecks(t *testing.T) {
	for _, s := range strange {
		if CheckLabel("x"+s+"x") == nil || CheckText(s) == nil || CheckName(s) == nil {
			t.Errorf("%q passes", s)
		}
	}
	for _, s := range []string{"POP-BO", "β₀ = 0.1", "日本語", "a\u00a0b", "é", "👩‍🔬", `back\slash`, "\ufffd"} {
		if err := CheckLabel(s); err != nil {
			t.Errorf("%q %v", s, err)
		}
		if Quote(s) != s {
			t.Errorf("%q is quoted as %q", s, Quote(s))
		}
	}
	for s, ok := range map[string]bool{
		"": false, " x": false, "x ": false, strings.Repeat("x", MaxLabel): true, strings.Repeat("x", MaxLabel+1): false,
	} {
		if got := CheckLabel(s) == nil; got != ok {
			t.Errorf("label %q: %v", s, got)
		}
	}
	if CheckText("") != nil || CheckText(strings.Repeat("x", MaxText)) != nil || CheckText(strings.Repeat("x", MaxText+1)) == nil {
		t.Error("the length of a text is checked wrongly")
	}
	for s, ok := range map[string]bool{"quick": true, "a.b-c_1": true, "": false, "a/b": false, ".x": false, "x.": false, "NUL": false, "com1.x": false, strings.Repeat("x", 65): false} {
		if got := CheckName(s) == nil; got != ok {
			t.Errorf("name %q: %v", s, got)
		}
	}
}

func TestJSON(t *testing.T) {
	want := map[string]string{"a": "\x1b\n\u009b\x7f\u202e\u2028é👩", "plain": "x"}
	var b strings.Builder
	e := json.NewEncoder(JSON(&b))
	e.SetIndent("", "  ")
	if err := e.Encode(want); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(b.String()) {
		if line = strings.TrimSuffix(line, "\n"); Quote(line) != line {
			t.Errorf("%q", line)
		}
	}
	var got map[string]string
	if err := json.Unmarshal([]byte(b.String()), &got); err != nil || !maps.Equal(got, want) {
		t.Errorf("%q, %v", got, err)
	}
}

func TestQuote(t *testing.T) {
	for s, want := range map[string]string{
		"\x1b[31m":   `\x1b[31m`,
		"a\nb\r\t":   `a\nb\r\t`,
		"\u202ex":    `\u202ex`,
		"\u009bm":    `\u009bm`,
		"é\xff\xfe":  `é\xff\xfe`,
		"plain 'it'": "plain 'it'",
	} {
		t.Run(s, func(t *testing.T) {
			if got := Quote(s); got != want {
				t.Errorf("%q is quoted as %s, not %s", s, got, want)
			}
		})
	}
	for _, s := range strange {
		if got := Quote(s); CheckText(got) != nil || Quote(got) != got {
			t.Errorf("%q is quoted as %q, which is no text", s, got)
		}
		long := Shorten(strings.Repeat("é"+s, MaxText))
		if CheckText(long) != nil || !utf8.ValidString(long) || len(long) < MaxText-4 {
			t.Errorf("%d bytes of %q… pass as short", len(long), long[:20])
		}
	}
}
