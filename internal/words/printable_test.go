package words

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"

	"popbench/internal/check"
)

var strange = []string{"\x1b[31m", "a\nb", "\x7f", "\u009b1m", "\u202edecrypt", "\u2066x", "\u2028", "a\xffb", "tab\tbed", "\r", "\x00"}

func TestChecks(t *testing.T) {
	for _, s := range strange {
		check.That(t, CheckLabel("x"+s+"x") != nil && CheckText(s) != nil && CheckName(s) != nil, "%q passes", s)
	}
	for _, s := range []string{"POP-BO", "β₀ = 0.1", "日本語", "a\u00a0b", "é", "👩‍🔬", `back\slash`, "\ufffd"} {
		check.OK(t, CheckLabel(s))
		check.Equal(t, "quoted", Quote(s), s)
	}
	for s, ok := range map[string]bool{
		"": false, " x": false, "x ": false, strings.Repeat("x", MaxLabel): true, strings.Repeat("x", MaxLabel+1): false,
	} {
		check.Equal(t, "label "+s, CheckLabel(s) == nil, ok)
	}
	for n, ok := range map[int]bool{0: true, MaxText: true, MaxText + 1: false} {
		check.Equal(t, "text of any length", CheckText(strings.Repeat("x", n)) == nil, ok)
	}
	for s, ok := range map[string]bool{"quick": true, "a.b-c_1": true, "": false, "a/b": false, ".x": false, "x.": false, "NUL": false, "com1.x": false, strings.Repeat("x", 65): false} {
		check.Equal(t, "name "+s, CheckName(s) == nil, ok)
	}
}

func TestJSON(t *testing.T) {
	want := map[string]string{"a": "\x1b\n\u009b\x7f\u202e\u2028é👩", "plain": "x"}
	var b strings.Builder
	check.OK(t, WriteJSON(&b, want, "  "))
	for line := range strings.Lines(b.String()) {
		line = strings.TrimSuffix(line, "\n")
		check.Equal(t, "quoted", Quote(line), line)
	}
	var got map[string]string
	check.OK(t, json.Unmarshal([]byte(b.String()), &got))
	check.Same(t, "values", got, want)
}

// Names of files are plain, and say what they are names of.
func TestFileName(t *testing.T) {
	for s, want := range map[string]string{"a.b": "a.b", "a.": "a%2E", ".a": "%2Ea", "B = 1/2": "B%20=%201%2F2", "con": "%63on", "é": "%C3%A9", "%41": "%2541"} {
		check.Equal(t, s, FileName(s), want)
		check.Equal(t, want, check.Must(url.PathUnescape(FileName(s)))(t), s)
		check.Equal(t, want, OfFileName(want), s)
	}
	check.Equal(t, "path of an address", URLPath("a b/ü.html"), "a%20b/%C3%BC.html")
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
		check.Equal(t, s, Quote(s), want)
	}
	for _, s := range strange {
		got := Quote(s)
		check.That(t, CheckText(got) == nil && Quote(got) == got, "%q is quoted as %q, which is no text", s, got)
		long := Shorten(strings.Repeat("é"+s, MaxText))
		check.That(t, CheckText(long) == nil && utf8.ValidString(long) && len(long) >= MaxText-4, "%d bytes of %q… pass as short", len(long), long[:20])
	}
}
