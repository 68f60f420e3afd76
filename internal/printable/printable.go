// Package printable says what may stand in one line of text. Names, labels and
// titles go into tables, pages, file names and terminals, where a control
// character would change what the reader sees. Suite files and records are
// checked by these rules; whatever else comes from outside, such as the name of
// a file, is quoted where it is shown.
package printable

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The longest a text may be, in bytes.
const (
	MaxLabel = 100
	MaxTitle = 200
	MaxText  = 2000
)

// NamePattern is what a name has to match, among others.
const NamePattern = `^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`

var (
	namePattern = regexp.MustCompile(NamePattern)
	deviceName  = regexp.MustCompile(`^(?i)(con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?$`) // no file may be called so on Windows
)

// CheckName says why s cannot be the name of a folder everywhere.
func CheckName(s string) error {
	switch {
	case !namePattern.MatchString(s):
		return errors.New("cannot name a folder; use up to 64 letters, digits, dots, dashes and underscores, a letter or digit first")
	case strings.HasSuffix(s, "."), deviceName.MatchString(s):
		return errors.New("cannot name a folder on every system; choose another name")
	}
	return nil
}

// CheckLabel says why s is not a short text on one line.
func CheckLabel(s string) error {
	if s == "" || s != strings.TrimSpace(s) || len(s) > MaxLabel || !plain(s) {
		return fmt.Errorf("is not a label; use up to %d bytes, without line breaks, control characters or surrounding spaces", MaxLabel)
	}
	return nil
}

// CheckText says why s is not a text on one line; it may be empty.
func CheckText(s string) error { return checkText(s, MaxText) }

// CheckTitle says why s is not a title, a short text on one line; it may be empty.
func CheckTitle(s string) error { return checkText(s, MaxTitle) }

func checkText(s string, most int) error {
	switch {
	case len(s) > most:
		return fmt.Errorf("has %d bytes; keep it to %d", len(s), most)
	case !plain(s):
		return errors.New("has a line break or another control character; keep it to one line")
	}
	return nil
}

// Quote returns s with what is not printable written as in Go: \n, \x1b, \u202e.
// The result is on one line, and is s if all of it is printable.
func Quote(s string) string {
	if plain(s) {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, s[0])
		case control(r):
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
		default:
			b.WriteString(s[:n])
		}
		s = s[n:]
	}
	return b.String()
}

// Shorten quotes s and cuts it to what CheckText lets pass.
func Shorten(s string) string {
	s = Quote(s)
	if len(s) <= MaxText {
		return s
	}
	cut := MaxText - len("…")
	for !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "…"
}

// JSON writes to w the JSON that it is given, whole values at a time as by a
// json.Encoder, with escapes for what encoding/json leaves as it is though it is
// not printable. The values stay the same.
func JSON(w io.Writer) io.Writer { return jsonWriter{w} }

type jsonWriter struct{ w io.Writer }

func (j jsonWriter) Write(p []byte) (int, error) {
	if _, err := j.w.Write(EscapeJSON(p)); err != nil {
		return 0, err
	}
	return len(p), nil
}

// EscapeJSON is what JSON writes for data.
func EscapeJSON(data []byte) []byte {
	isStrange := func(r rune) bool { return control(r) && r != '\n' }
	if !bytes.ContainsFunc(data, isStrange) {
		return data
	}
	var b []byte
	for _, r := range string(data) {
		if isStrange(r) { // in a string, and below 0x10000
			b = fmt.Appendf(b, `\u%04x`, r)
		} else {
			b = utf8.AppendRune(b, r)
		}
	}
	return b
}

func plain(s string) bool { return utf8.ValidString(s) && !strings.ContainsFunc(s, control) }

// control reports whether r moves the cursor, breaks the line or turns the
// direction of what follows.
func control(r rune) bool {
	return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' || '\u202a' <= r && r <= '\u202e' || '\u2066' <= r && r <= '\u2069'
}
