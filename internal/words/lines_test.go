package words

import (
	"strings"
	"testing"
	"unicode/utf8"

	"popbench/internal/check"
)

// What is cut keeps a third of its length from the beginning, and the rest from the end.
func TestCut(t *testing.T) {
	for most, want := range map[int]string{9: "abc…vwxyz", 10: "abc…uvwxyz", 25: "abcdefgh…" + "klmnopqrstuvwxyz", 26: "abcdefghijklmnopqrstuvwxyz"} {
		check.Equal(t, "cut", Cut("abcdefghijklmnopqrstuvwxyz", most), want)
	}
	check.Equal(t, "characters, not bytes", Cut("ééé", 3), "ééé")
	check.Equal(t, "length", utf8.RuneCountInString(Cut(strings.Repeat("é", 400), MaxLine)), MaxLine)
}

func TestWrap(t *testing.T) {
	for width, want := range map[int]string{5: "ab cé|efghijk|l", 4: "ab|cé|efghijk|l", 7: "ab cé|efghijk|l", 9: "ab cé|efghijk l", 100: "ab cé efghijk l"} {
		check.Equal(t, "lines", strings.Join(Wrap(" ab  cé\nefghijk l", width), "|"), want)
	}
}

func TestCommand(t *testing.T) {
	for want, words := range map[string][]string{
		"a-b /c:d,e@f=g%h+1.2":  {"a-b", "/c:d,e@f=g%h+1.2"},
		`'two words' 'it'\''s'`: {"two words", "it's"},
		`$'a\nb\'\\'`:           {"a\nb'\\"},
	} {
		check.Equal(t, "command", Command(words), want)
	}
}
