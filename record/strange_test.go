package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"unicode"

	"popbench/internal/check"
	"popbench/internal/words"
)

// strange has texts that are unsafe in a terminal or too long for a table.
var strange = []string{"\x1b[31mred", "two\nlines", "\u202eright to left", "\u009b31m", "\x7f", strings.Repeat("x", words.MaxText+1)}

// A record may come from anyone. A record with a strange text in any field is refused, and the reason is on one line.
func TestEveryTextOfARecordIsChecked(t *testing.T) {
	refused := func(what string, data []byte) {
		t.Helper()
		err := check.Err(Decode("x", reseal(data)))
		check.That(t, err != nil, "%s is accepted", what)
		text := fmt.Sprint(err)
		check.That(t, !strings.ContainsFunc(text, unicode.IsControl) && !strings.Contains(text, "checksum") && len(text) <= 2*words.MaxText, "%s: %q", what, text)
	}
	texts := 0
	for _, text := range strange {
		for i := 0; ; i++ {
			r := example(t)
			r.Footer = Footer{Kind: "footer", Steps: 2, Status: Failed, Error: "why", Stack: []string{"f x.go:1", "g x.go:2"}, SHA256: strings.Repeat("0", 64)}
			r.Header.SuiteTitle, r.Header.Paper, r.Header.Problem.OptimumHow = "t", "p", "proved"
			at := i
			path := setText(reflect.ValueOf(r).Elem(), "", text, &at)
			if path == "" {
				break
			}
			texts = max(texts, i+1)
			if path != ".Header.Cell" { // follows from other fields
				r.Header.Cell = CellID(r.Header.Problem.Name, r.Header.Algorithm.Label, r.Header.Repetition)
			}
			// A checksum has a required value, and metrics are checked when they are written; reading is tested below.
			if path == ".Footer.SHA256" || strings.Contains(path, ".Steps") && strings.Contains(path, ".Metrics") {
				continue
			}
			var b bytes.Buffer
			check.OK(t, errors.Join(appendLine(&b, r.Header), appendLine(&b, r.Steps[0]), appendLine(&b, r.Steps[1]), appendLine(&b, r.Footer)))
			refused(fmt.Sprintf("%s = %.20q", path, text), b.Bytes())
		}
	}
	check.That(t, texts >= 25, "only %d texts found in a record", texts)
	good := string(encoded(t, example(t)))
	for old, new := range map[string]string{`"gap":1e-9`: `"g\u001bp":1e-9`, `"settings":{`: `"settings":{"x":["\u001b[31m"],`, `"norm_bound":`: `"\u202e":1,"norm_bound":`} {
		check.Contains(t, "the example", good, old)
		refused(new, []byte(strings.Replace(good, old, new, 1)))
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
		got := check.Must(Decode("x", encoded(t, r)))(t).Footer
		want := words.Shorten(text)
		check.That(t, got.Error == want && got.Stack[0] == want && r.Footer.Stack[0] == text, "%.20q is written as %+v", text, got)
	}
}

// Names of files and measurements are external too.
func TestStrangeFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a\nb\x1b[31m")
	path := put(t, open(t, dir), repetition(0))
	for _, change := range []func(*Timing){func(x *Timing) { x.Host = "\x1b[31m" }, func(x *Timing) { x.CPU = "\u202ex" }, func(x *Timing) { x.CPU = strings.Repeat("x", 3000) }} {
		bad := Timing{Cell: "beale/popbo/000", Host: "h", CPU: "c", AskSeconds: []float64{1, 1}, TellSeconds: []float64{1, 1}}
		change(&bad)
		check.OK(t, os.WriteFile(TimingPath(dir, bad.Cell), check.Must(json.Marshal(bad))(t), 0o666))
		res := check.Must(readAll(&Reader{Dir: dir, Timed: true}))(t)
		check.Equal(t, path+": issues and timings", [2]int{len(res.Issues), len(res.Timings)}, [2]int{1, 0})
		text := fmt.Sprint(res.Issues[0].Error())
		check.Contains(t, "issue", text, `a\nb\x1b[31m`)
		check.That(t, !strings.ContainsFunc(text, unicode.IsControl) && !strings.ContainsRune(text, '\u202e'), "%q", text)
	}
}
