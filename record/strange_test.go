package record

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"unicode"

	"popbench/internal/check"
	"popbench/internal/printable"
)

// strange has texts that are unsafe in a terminal or too long for a table.
var strange = []string{"\x1b[31mred", "two\nlines", "\u202eright to left", "\u009b31m", "\x7f", strings.Repeat("x", printable.MaxText+1)}

// A record may come from anyone. A record with a strange text in any field is
// refused, and the reason is on one line.
func TestEveryTextOfARecordIsChecked(t *testing.T) {
	refused := func(what string, data []byte) {
		t.Helper()
		_, err := Decode("x", reseal(data))
		if err == nil {
			t.Errorf("%s is accepted", what)
		} else if strings.ContainsFunc(err.Error(), unicode.IsControl) || strings.Contains(err.Error(), "checksum") || len(err.Error()) > 2*printable.MaxText {
			t.Errorf("%s: %q", what, err)
		}
	}
	texts := 0
	for _, text := range strange {
		n := 0
		for i := 0; ; i++ {
			r := example(t)
			r.Footer = Footer{Kind: "footer", Steps: 2, Status: Failed, Error: "why", Stack: []string{"f x.go:1", "g x.go:2"}, SHA256: strings.Repeat("0", 64)}
			r.Header.SuiteTitle, r.Header.Paper, r.Header.Problem.OptimumHow = "t", "p", "proved"
			at := i
			path := setText(reflect.ValueOf(r).Elem(), "", text, &at)
			if path == "" {
				break
			}
			n++
			if path == ".Footer.SHA256" {
				continue // the required value
			}
			if path != ".Header.Cell" { // follows from other fields
				r.Header.Cell = CellID(r.Header.Problem.Name, r.Header.Algorithm.Label, r.Header.Repetition)
			}
			var b bytes.Buffer
			err := appendLine(&b, r.Header)
			for _, s := range r.Steps {
				if err == nil {
					err = appendLine(&b, s)
				}
			}
			if err != nil {
				if !strings.Contains(err.Error(), "metric") {
					t.Fatal(err)
				}
				continue // metrics are checked when they are written; reading is tested below
			}
			check.OK(t, appendLine(&b, r.Footer))
			refused(fmt.Sprintf("%s = %.20q", path, text), b.Bytes())
		}
		texts = n
	}
	check.That(t, texts >= 25, "only %d texts found in a record", texts)
	good := string(encoded(t, example(t)))
	for old, new := range map[string]string{
		`"gap":1e-9`:    `"g\u001bp":1e-9`,
		`"settings":{`:  `"settings":{"x":["\u001b[31m"],`,
		`"settings": {`: `"settings":{"\u202e":1,`,
	} {
		t.Run(new, func(t *testing.T) {
			if data := strings.Replace(good, old, new, 1); data != good {
				refused(new, []byte(data))
			} else if !strings.Contains(old, ": ") {
				t.Errorf("the example has no %s", old)
			}
		})
	}
}

// setText sets the n-th text in v, counting down, and returns its path, or "" if v
// has fewer texts.
func setText(v reflect.Value, path, text string, n *int) string {
	switch v.Kind() {
	case reflect.String:
		if *n--; *n < 0 {
			v.SetString(text)
			return path
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if p := setText(v.Field(i), path+"."+v.Type().Field(i).Name, text, n); p != "" {
				return p
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			if p := setText(v.Index(i), fmt.Sprintf("%s[%d]", path, i), text, n); p != "" {
				return p
			}
		}
	case reflect.Pointer:
		if !v.IsNil() {
			return setText(v.Elem(), path, text, n)
		}
	}
	return ""
}

// An error may quote any text; the written record can still be read.
func TestErrorsAreWrittenPrintable(t *testing.T) {
	for _, text := range strange {
		r := example(t)
		r.Footer = Footer{Status: Failed, Error: text, Stack: []string{text}}
		got, err := Decode("x", encoded(t, r))
		if err != nil {
			t.Errorf("%.20q: %v", text, err)
		} else if got.Footer.Error != printable.Shorten(text) || got.Footer.Stack[0] != got.Footer.Error || r.Footer.Stack[0] != text {
			t.Errorf("%.20q is written as %+v", text, got.Footer)
		}
	}
}

// Names of files and measurements are external too.
func TestStrangeFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a\nb\x1b[31m")
	folder := check.Must(Create(dir))(t)
	defer folder.Close()
	r := example(t)
	timing := &Timing{Cell: r.Header.Cell, Host: "h", CPU: "c", AskSeconds: []float64{1, 1}, TellSeconds: []float64{1, 1}}
	check.OK(t, folder.Put(r, timing))
	for _, change := range []func(*Timing){func(x *Timing) { x.Host = "\x1b[31m" }, func(x *Timing) { x.CPU = "\u202ex" }, func(x *Timing) { x.CPU = strings.Repeat("x", 3000) }} {
		bad := *timing
		change(&bad)
		data := check.Must(json.Marshal(bad))(t)
		check.OK(t, os.WriteFile(TimingPath(dir, r.Header.Cell), data, 0o666))
		res := check.Must(readAll(&Reader{Dir: dir, Timed: true}))(t)
		if len(res.Issues) != 1 || len(res.Timings) != 0 {
			t.Errorf("%v, %v", res.Issues, res.Timings)
			continue
		}
		if text := res.Issues[0].Error(); strings.ContainsFunc(text, unicode.IsControl) || strings.ContainsRune(text, '\u202e') || !strings.Contains(text, `a\nb\x1b[31m`) {
			t.Errorf("%q", text)
		}
	}
}
