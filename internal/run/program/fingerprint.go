package program

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"reflect"
	"runtime/debug"
	"slices"
	"strings"

	"popbench/record"
)

// fingerprint returns the first 16 hexadecimal digits of a SHA-256 over the source code that makes
// records. Programs built from the same code have the same fingerprint, however and wherever they
// were built. Code from an -overlay counts.
//
// The hash covers the following texts, each preceded by its length: the build tags, which select
// assembly; and the name and the tokens of each file of popbench.Source, sorted by name. It ignores
// comments except //go: directives, white space, and separators before a closing bracket, so a
// comment or a line break does not change the fingerprint. In assembly every line counts. Tests are
// ignored. Files for other systems count, so that one source has one fingerprint everywhere.
func fingerprint(fsys fs.FS) (string, error) {
	names, err := files(fsys)
	if err != nil {
		return "", err
	}
	hash := sha256.New()
	buffer := appendText(nil, setting(built(), "-tags"))
	var file bytes.Buffer // one for all: new ones would be another megabyte
	for _, name := range names {
		f, err := fsys.Open(name)
		if err != nil {
			return "", err
		}
		file.Reset()
		if _, err = file.ReadFrom(f); err != nil {
			return "", err
		}
		src := file.Bytes()
		hash.Write(appendText(buffer, name))
		if strings.HasSuffix(name, ".go") {
			if buffer, err = tokens(buffer[:0], src); err != nil {
				return "", fmt.Errorf("%s: %w", name, err)
			}
		} else {
			buffer = append(buffer[:0], bytes.ReplaceAll(src, []byte("\r\n"), []byte("\n"))...)
		}
		hash.Write(binary.AppendUvarint(nil, uint64(len(buffer))))
		hash.Write(buffer)
		buffer = buffer[:0]
	}
	return hex.EncodeToString(hash.Sum(nil))[:16], nil
}

// appendText appends a text after its length, so that the hash depends on where one text ends and
// the next begins.
func appendText[T string | []byte](b []byte, text T) []byte {
	return append(binary.AppendUvarint(b, uint64(len(text))), text...)
}

// files returns the Go and assembly files that the patterns in source.go match, sorted, without
// tests.
func files(fsys fs.FS) ([]string, error) {
	src, err := fs.ReadFile(fsys, "source.go")
	if err != nil {
		return nil, err
	}
	var names []string
	for line := range strings.Lines(string(src)) {
		patterns, ok := strings.CutPrefix(line, "//go:embed ")
		if !ok {
			continue
		}
		for _, pattern := range strings.Fields(patterns) {
			found, err := fs.Glob(fsys, pattern)
			if err != nil {
				return nil, err
			}
			names = append(names, found...)
		}
	}
	names = slices.DeleteFunc(names, func(name string) bool {
		return !strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, ".s") || strings.HasSuffix(name, "_test.go")
	})
	slices.Sort(names)
	return slices.Compact(names), nil
}

// module is the path of this module.
var module = path.Dir(reflect.TypeFor[record.Build]().PkgPath())

// tokens appends the tokens of a Go file that enter the fingerprint. They are those of go/scanner, as a test says, which
// takes three times as long.
func tokens(all, src []byte) ([]byte, error) {
	var last []byte // token of the statement that a line break may end
	separator := -1 // offset of the last token if it is a separator
	for at := 0; at < len(src); {
		c := src[at]
		if c == ' ' || c == '\t' || c == '\r' {
			at++
			continue
		}
		n := next(src[at:])
		if n == 0 {
			return nil, errors.New("a text or comment has no end")
		}
		text := src[at : at+n]
		at += n
		switch comment := c == '/' && n > 1 && text[1] != '='; {
		case comment && bytes.HasPrefix(text, []byte("//go:")):
			all, separator = appendText(all, bytes.TrimRight(text, "\r")), -1
			continue
		case comment || c == '\n':
			if bytes.IndexByte(text, '\n') < 0 || !ends(last) {
				continue
			}
			c, text = ';', semicolon
		case c == '`':
			text = bytes.ReplaceAll(text, []byte{'\r'}, nil)
		case c == '"': // the address of the module makes no records
			if rest, ok := bytes.CutPrefix(text[1:], []byte(module)); ok && rest[0] == '/' {
				text = append([]byte(`"popbench`), rest...)
			}
		}
		if separator >= 0 && (c == ')' || c == ']' || c == '}') {
			all = all[:separator]
		}
		separator = -1
		if c == ';' || c == ',' {
			separator = len(all)
		}
		if n = len(text); n < 128 { // appendText, without a call
			all = append(append(all, byte(n)), text...)
		} else {
			all = appendText(all, text)
		}
		last = text
	}
	if ends(last) {
		all = appendText(all, ";")
	}
	return all, nil
}

var semicolon = []byte(";")

// next returns the length of the line break, comment or token that Go code begins with, 0 for half a text or comment.
func next(src []byte) (n int) {
	at := func(i int) byte {
		if i < len(src) {
			return src[i]
		}
		return 0
	}
	c := src[0]
	switch {
	case letters[c]:
		for n < len(src) && (letters[src[n]] || digit(src[n])) {
			n++
		}
		return n
	case alone[c]:
		return 1
	case c == '/' && at(1) == '/':
		if n = bytes.IndexByte(src, '\n'); n < 0 {
			n = len(src)
		}
		return n
	case c == '/' && at(1) == '*':
		if n = bytes.Index(src[2:], []byte("*/")); n < 0 {
			return 0
		}
		return n + 4
	case c == '`' || c == '"' || c == '\'':
		for n = 1; at(n) != c; n++ {
			if n >= len(src) {
				return 0
			}
			if c != '`' && src[n] == '\\' {
				n++
			}
		}
		return n + 1
	case digit(c) || c == '.' && digit(at(1)):
		hex := at(1)|0x20 == 'x'
		for letters[at(n)] || digit(at(n)) || at(n) == '.' || (at(n) == '+' || at(n) == '-') && (at(n-1)|0x20 == 'p' || !hex && at(n-1)|0x20 == 'e') {
			n++
		}
		return n
	}
	switch string(src[:min(3, len(src))]) {
	case "...", "&^=", "<<=", ">>=":
		return 3
	}
	switch string(src[:min(2, len(src))]) {
	case "<<", ">>", "&^", "&&", "||", "<-", "++", "--", ":=", "==", "!=", "<=", ">=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=":
		return 2
	}
	return 1
}

func digit(c byte) bool { return '0' <= c && c <= '9' }

// letters takes what is not ASCII for a part of a name: elsewhere Go has it in texts and comments only. alone is a token and
// begins no other.
var letters, alone [256]bool

func init() {
	for c := range letters {
		letters[c] = 'a' <= c|0x20 && c|0x20 <= 'z' || c == '_' || c >= 0x80
		alone[c] = strings.IndexByte("\n()[]{},;~", byte(c)) >= 0
	}
}

// ends reports whether a line break after a token ends a statement.
func ends(token []byte) bool {
	switch string(token) {
	case "case", "chan", "const", "default", "defer", "else", "for", "func", "go", "goto", "if", "import", "interface", "map",
		"package", "range", "select", "struct", "switch", "type", "var":
		return false
	case "++", "--", ")", "]", "}":
		return true
	case "":
		return false
	}
	c := token[len(token)-1]
	return letters[c] || digit(c) || c == '.' && len(token) > 1 && digit(token[0]) || bytes.IndexByte([]byte("`\"'"), c) >= 0
}

// built is what the go command recorded of the build, which may be nothing.
func built() *debug.BuildInfo {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return new(debug.BuildInfo)
	}
	return info
}

// setting returns a setting of a build, or "" if it was not given.
func setting(info *debug.BuildInfo, key string) string {
	for _, s := range info.Settings {
		if s.Key == key {
			return s.Value
		}
	}
	return ""
}
