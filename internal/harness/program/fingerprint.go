package program

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"go/scanner"
	"go/token"
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
	for _, name := range names {
		src, err := fs.ReadFile(fsys, name)
		if err != nil {
			return "", err
		}
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
func appendText(b []byte, text string) []byte {
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

// tokens appends the tokens of a Go file that enter the fingerprint.
func tokens(all, src []byte) ([]byte, error) {
	separator := -1 // offset of the last token if it is a separator
	var errs scanner.ErrorList
	var s scanner.Scanner
	file := token.NewFileSet().AddFile("", -1, len(src))
	s.Init(file, src, errs.Add, scanner.ScanComments)
	for {
		_, tok, text := s.Scan()
		switch {
		case tok == token.EOF:
			return all, errs.Err()
		case tok == token.COMMENT && !strings.HasPrefix(text, "//go:"):
			continue
		case tok == token.SEMICOLON: // usually a line break
			text = ";"
		case text == "":
			text = tok.String()
		case tok == token.STRING: // the address of the module makes no records
			if rest, ok := strings.CutPrefix(text, `"`+module); ok && strings.HasPrefix(rest, "/") {
				text = `"popbench` + rest
			}
		}
		if separator >= 0 && (tok == token.RPAREN || tok == token.RBRACK || tok == token.RBRACE) {
			all = all[:separator]
		}
		separator = -1
		if tok == token.SEMICOLON || tok == token.COMMA {
			separator = len(all)
		}
		all = appendText(all, text)
	}
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
