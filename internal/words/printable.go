package words

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Maximum lengths of texts, in bytes.
const (
	MaxLabel = 100
	maxTitle = 200
	MaxText  = 2000
)

// NamePattern matches every name. CheckName has further rules.
const NamePattern = `^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`

var (
	namePattern = Pattern(NamePattern)
	deviceName  = Pattern(`^(?i)(con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?$`) // reserved on Windows
	escaped     = Pattern(`%[0-9A-F]{2}`)
)

// Pattern compiles a regular expression when it is first asked for, as that takes as long as the start of a small program.
func Pattern(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}

// CheckName returns an error if s cannot be the name of a folder on every system.
func CheckName(s string) error {
	switch {
	case !namePattern().MatchString(s):
		return errors.New("cannot name a folder; use up to 64 letters, digits, dots, dashes and underscores, a letter or digit first")
	case strings.HasSuffix(s, "."), deviceName().MatchString(s):
		return errors.New("cannot name a folder on every system; choose another name")
	}
	return nil
}

// CheckLabel returns an error if s is not a short, non-empty text on one line.
func CheckLabel(s string) error {
	if s == "" || s != strings.TrimSpace(s) || len(s) > MaxLabel || !plain(s) {
		return fmt.Errorf("is not a label; use up to %d bytes, without line breaks, control characters or surrounding spaces", MaxLabel)
	}
	return nil
}

// FileName returns s as the name of a file or a folder. It writes every character with a meaning to a
// file system, a shell or a glob pattern as %XX, and the first one of a name that Windows reserves for a
// device. It is injective, and the identity on plain names.
func FileName(s string) string {
	return percent(s, func(i int) bool {
		inner := s[i] == '.' && i > 0 && i < len(s)-1
		return (inner || strings.IndexByte(alphanumeric+"-_+=,", s[i]) >= 0) && !(i == 0 && deviceName().MatchString(s))
	})
}

// OfFileName returns the text of which name is the FileName.
func OfFileName(name string) string {
	return escaped().ReplaceAllStringFunc(name, func(x string) string {
		c, _ := strconv.ParseUint(x[1:], 16, 8) // the pattern has two digits
		return string([]byte{byte(c)})
	})
}

// URLPath returns a path with slashes as part of an address: every byte with a meaning there is %XX (RFC 3986).
func URLPath(path string) string {
	return percent(path, func(i int) bool { return strings.IndexByte(alphanumeric+"-._~/", path[i]) >= 0 })
}

const alphanumeric = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

// percent writes each byte of s that is not plain as %XX.
func percent(s string, isPlain func(i int) bool) string {
	var b strings.Builder
	for i := range len(s) {
		if isPlain(i) {
			b.WriteByte(s[i])
		} else {
			fmt.Fprintf(&b, "%%%02X", s[i])
		}
	}
	return b.String()
}

// MaxFileName is the maximum length of the name of a file on common systems, in bytes.
const MaxFileName = 255

// CheckText returns an error if s is not a text on one line. It may be empty.
func CheckText(s string) error { return checkText(s, MaxText) }

// CheckTitle returns an error if s is not a title: a short text on one line, which
// may be empty.
func CheckTitle(s string) error { return checkText(s, maxTitle) }

func checkText(s string, most int) error {
	switch {
	case len(s) > most:
		return fmt.Errorf("has %d bytes; keep it to %d", len(s), most)
	case !plain(s):
		return errors.New("has a line break or another control character; keep it to one line")
	}
	return nil
}

// Quote returns s with unprintable characters escaped as in Go: \n, \x1b, \u202e.
// The result is on one line. It equals s if all characters are printable.
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

// Shorten quotes s and cuts it to a length that CheckText accepts.
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

// Indented is a value as [WriteJSON] writes it. It panics if a number is not finite.
func Indented(v any) []byte {
	var b bytes.Buffer
	if err := WriteJSON(&b, v, "  "); err != nil {
		panic("words: " + err.Error())
	}
	return b.Bytes()
}

// WriteJSON writes a value as the text of a JSON file, on one line if indent is "", without escapes for HTML, and with
// those of EscapeJSON.
func WriteJSON(w io.Writer, v any, indent string) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", indent)
	if err := enc.Encode(v); err != nil {
		return err
	}
	_, err := w.Write(EscapeJSON(b.Bytes()))
	return err
}

// JSONObject is an object of JSON whose keys keep the order of the list.
func JSONObject[T any](list []T, of func(T) (key string, value any)) ([]byte, error) {
	b := []byte{'{'}
	for i, e := range list {
		if i > 0 {
			b = append(b, ',')
		}
		key, value := of(e)
		name, failed := json.Marshal(key)
		text, err := json.Marshal(value)
		if err := cmp.Or(failed, err); err != nil {
			return nil, err
		}
		b = append(append(append(b, name...), ':'), text...)
	}
	return append(b, '}'), nil
}

// EscapeJSON escapes the unprintable characters in JSON that encoding/json does not. The values stay the same.
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

// control reports whether r moves the cursor, breaks the line or changes the
// direction of the following text.
func control(r rune) bool {
	return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' || '\u202a' <= r && r <= '\u202e' || '\u2066' <= r && r <= '\u2069'
}
