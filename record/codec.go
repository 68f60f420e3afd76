package record

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"popbench/internal/printable"
)

// Seal fills in the fields that follow from the others. A missing Build becomes the Build of the running
// program, from [Built].
func (h *Header) Seal() {
	h.Kind, h.Format = "header", Format
	h.Build = cmp.Or(h.Build, Built())
	h.Cell = CellID(h.Problem.Name, h.Algorithm.Label, h.Repetition)
}

// errNone is the error for a record or a grid that is nil.
var errNone = errors.New("there is none to write")

// Encode returns the record as the bytes of its file. It fills in the footer's kind, step count and
// checksum without changing r. It refuses every record that Decode would refuse.
func Encode(r *Record) ([]byte, error) {
	if r == nil {
		return nil, errNone
	}
	if r.Header.Format != Format {
		return nil, fmt.Errorf("header: format is %d, this program writes %d", r.Header.Format, Format)
	}
	if err := r.Header.Check(); err != nil {
		return nil, fmt.Errorf("header: %w", err)
	}
	var b bytes.Buffer
	if err := appendLine(&b, r.Header); err != nil {
		return nil, fmt.Errorf("header: %w", err)
	}
	for i := range r.Steps {
		if err := r.Steps[i].Check(&r.Header, i+1); err != nil {
			return nil, fmt.Errorf("step %d: %w", i+1, err)
		}
		if err := appendLine(&b, &r.Steps[i]); err != nil {
			return nil, fmt.Errorf("step %d: %w", i+1, err)
		}
	}
	f := r.Footer
	f.Kind, f.Steps, f.SHA256 = "footer", len(r.Steps), checksum(b.Bytes())
	f.Error = printable.Shorten(f.Error) // it may quote any text
	f.Stack = slices.Clone(f.Stack)
	for i, call := range f.Stack {
		f.Stack[i] = printable.Shorten(call)
	}
	if err := f.check(&r.Header, len(r.Steps)); err != nil {
		return nil, fmt.Errorf("footer: %w", err)
	}
	if err := appendLine(&b, f); err != nil {
		return nil, fmt.Errorf("footer: %w", err)
	}
	return b.Bytes(), nil
}

// Decode reads the bytes of a record's file. Errors are of type *Issue and call the file name.
// Decode accepts only what Encode writes, so that encoding the result gives the same bytes. Only settings may differ:
// it replaces the earliest names of their keys by the present ones, and leaves out settings that are gone.
func Decode(name string, data []byte) (*Record, error) {
	r := &Record{}
	rest, n := data, 0
	fail := func(line int, format string, args ...any) (*Record, error) {
		return nil, &Issue{Path: name, Line: line, What: fmt.Sprintf(format, args...), Mend: "run the suite again: bench run repeats this cell"}
	}
	if len(data) == 0 {
		return fail(0, "the file is empty")
	}
	for len(rest) > 0 {
		n++
		line, tail, whole := bytes.Cut(rest, []byte("\n"))
		if !whole {
			return fail(n, "the record is cut short in the middle of a line")
		}
		var err error
		switch {
		case n == 1:
			var kind struct {
				Kind   string `json:"kind"`
				Format int    `json:"format"`
			}
			if err := json.Unmarshal(line, &kind); err != nil || kind.Kind != "header" {
				return fail(n, "this is not a record: its first line is not a header")
			}
			if kind.Format != Format {
				return nil, &Issue{Path: name, Line: n, What: fmt.Sprintf("record format %d; this program reads %d", kind.Format, Format),
					Mend: "run the suite again into another --out, or read it with the version of bench that wrote it"}
			}
			if err = decodeLine(line, &r.Header); err == nil {
				r.Header.Algorithm.Settings = presentNames(r.Header.Algorithm.Name, r.Header.Algorithm.Settings)
				err = r.Header.Check()
			}
		case r.Footer.Kind != "":
			err = errors.New("there is a line after the footer")
		case bytes.HasPrefix(line, []byte(`{"kind":"footer"`)):
			if err = decodeLine(line, &r.Footer); err == nil {
				err = r.Footer.check(&r.Header, len(r.Steps))
			}
			if sum := checksum(data[:len(data)-len(rest)]); err == nil && r.Footer.SHA256 != sum {
				err = errors.New("the checksum differs: the file was changed after it was written")
			}
		default:
			var s Step
			if err = decodeLine(line, &s); err == nil {
				err = s.Check(&r.Header, len(r.Steps)+1)
			}
			r.Steps = append(r.Steps, s)
		}
		if err != nil {
			return fail(n, "%v", err)
		}
		rest = tail
	}
	if r.Footer.Kind == "" {
		return fail(n, "the record is cut short after step %d of %d", len(r.Steps), r.Header.Budget)
	}
	return r, nil
}

// decodeLine decodes one line into v. It refuses a line that differs from the encoding of v:
// unknown, repeated or reordered keys, white space, null.
func decodeLine(line []byte, v any) error {
	if err := json.Unmarshal(line, v); err != nil {
		return fmt.Errorf("the line does not decode (%w)", err)
	}
	again, err := encode(v)
	if err != nil {
		return err
	}
	if bytes.Equal(again, line) {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil { // this message is better in the usual case
		return fmt.Errorf("the line does not decode (%w)", err)
	}
	return errors.New("the line is not in the form in which bench writes it")
}

func appendLine(b *bytes.Buffer, v any) error {
	line, err := encode(v)
	b.Write(line)
	b.WriteByte('\n')
	return err
}

// encode is json.Marshal without HTML escapes, which make settings such as "a<b" hard to read.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

func checksum(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
