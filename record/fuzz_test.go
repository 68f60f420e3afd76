package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"regexp"
	"testing"

	"popbench/internal/check"
)

var sealed = regexp.MustCompile(`"sha256":"[0-9a-f]{64}"\}\n$`)

// reseal gives changed bytes their correct checksum, so that the fuzzer gets past it.
func reseal(data []byte) []byte {
	if !sealed.Match(data) {
		return data
	}
	body := data[:1+bytes.LastIndexByte(data[:len(data)-1], '\n')]
	return sealed.ReplaceAll(data, []byte(`"sha256":"`+checksum(body)+"\"}\n"))
}

// FuzzDecode checks that no bytes make the reader panic, and that it accepts only bytes that the
// writer writes, or wrote with the earlier names of settings.
func FuzzDecode(f *testing.F) {
	good := encoded(f, example(f))
	f.Add(good)
	f.Add(good[:len(good)-10])
	f.Add(bytes.Replace(good, []byte(`"winner":1`), []byte(`"winner":0`), 1))
	f.Add(bytes.Replace(good, []byte(`"metrics":{"z":3`), []byte(`"metrics":{"z":03`), 1))
	failed := example(f)
	failed.Footer = Footer{Status: Failed, Error: "why", Stack: []string{"f x.go:1"}}
	f.Add(encoded(f, failed))
	f.Add([]byte("{}\n"))
	earlier := example(f)
	earlier.Header.Algorithm.Settings = []byte(`{"starts":4,"beta":{"report":1},"report":"max-mle"}`)
	f.Add(encoded(f, earlier))
	f.Fuzz(func(t *testing.T, data []byte) {
		data = reseal(data)
		r, err := Decode("x.jsonl", data)
		var issue *Issue
		if err != nil && !errors.As(err, &issue) {
			t.Fatalf("%T is not an Issue: %v", err, err)
		}
		if err != nil {
			return
		}
		again, err := Encode(r)
		if err != nil {
			t.Fatalf("what was read cannot be written: %v\n%q", err, data)
		}
		if !bytes.Equal(again, data) { // the settings have earlier names, or some that are gone
			var written Header
			line, _, _ := bytes.Cut(data, []byte("\n"))
			check.OK(t, json.Unmarshal(line, &written))
			r.Header.Algorithm.Settings = written.Algorithm.Settings
			again = encoded(t, r)
		}
		if !bytes.Equal(again, data) {
			t.Fatalf("written again:\n%q\nwant\n%q", again, data)
		}
	})
}
