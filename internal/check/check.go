// Package check states facts in tests, one a line, so that a failure says which of them is wrong. Only tests import it.
package check

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"runtime/debug"
	"strings"
	"testing"
)

// Tests have little memory in use, and so have the programs that they start and build. With less frequent collections they
// take a tenth less processor time.
func init() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
		os.Setenv("GOGC", "400")
	}
}

// Read decodes a JSON file, such as one of testdata, into v. It ends the test if it cannot.
func Read(t testing.TB, path string, v any) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(data, v)
	}
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

// Text is what a file has. It ends the test if it cannot be read.
func Text(t testing.TB, path string) string {
	t.Helper()
	return string(Must(os.ReadFile(path))(t))
}

// Temporary writes a file into a folder of its own, and returns its path.
func Temporary(t testing.TB, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	OK(t, os.WriteFile(path, []byte(text), 0o666))
	return path
}

// Must returns a function that returns v, or ends the test if there is an error: v := check.Must(f())(t).
func Must[T any](v T, err error) func(t testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		OK(t, err)
		return v
	}
}

// Err returns only the error of a call that also returns a value.
func Err[T any](_ T, err error) error { return err }

// Files returns the files below a folder, by path. Once a test has read them, go test runs it again when they change, also
// if only another program reads them.
func Files(t testing.TB, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	OK(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		files[filepath.ToSlash(name)] = string(data)
		return err
	}))
	return files
}

// OK ends the test if there is an error.
func OK(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Error fails the test if there is no error, and for each of the parts that the error does not have.
func Error(t testing.TB, what string, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Errorf("%s: no error, want %q", what, parts)
		return
	}
	Contains(t, what+": the error", err.Error(), parts...)
}

// Panics fails the test if f does not panic, and for each of the parts that the panic does not say.
func Panics(t testing.TB, what string, f func(), parts ...string) {
	t.Helper()
	defer func() {
		p := recover()
		That(t, p != nil, "%s: no panic", what)
		Contains(t, what+": the panic", fmt.Sprint(p), parts...)
	}()
	f()
}

// Says fails the test if the message of an error is not want, which is empty for no error.
func Says(t testing.TB, what string, err error, want string) {
	t.Helper()
	if err != nil || want != "" {
		Equal(t, what, fmt.Sprint(err), want)
	}
}

// Same fails the test if got and want differ in any part.
func Same(t testing.TB, what string, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s: got %+v, want %+v", what, got, want)
	}
}

// That fails the test with a message if a fact does not hold.
func That(t testing.TB, fact bool, format string, args ...any) {
	t.Helper()
	if !fact {
		t.Errorf(format, args...)
	}
}

// Ensure ends the test with a message if a fact does not hold that the rest of it needs.
func Ensure(t testing.TB, fact bool, format string, args ...any) {
	t.Helper()
	if !fact {
		t.Fatalf(format, args...)
	}
}

// Equal fails the test if got is not want.
func Equal[T comparable](t testing.TB, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// Contains fails the test for each of the parts that text does not have.
func Contains(t testing.TB, what, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%s does not have %q:\n%s", what, part, text)
		}
	}
}

// Lacks fails the test for each of the parts that text has.
func Lacks(t testing.TB, what, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if strings.Contains(text, part) {
			t.Errorf("%s has %q:\n%s", what, part, text)
		}
	}
}
