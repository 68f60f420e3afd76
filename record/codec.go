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

	"popbench/internal/words"
)

// Seal fills in the fields that follow from the others. A missing Build becomes that of the running program, [Built].
func (h *Header) Seal() {
	h.Kind, h.Format = "header", Format
	h.Build = cmp.Or(h.Build, Built())
	h.Cell = CellID(h.Problem.Name, h.Algorithm.Label, h.Repetition)
}

// errNone is the error for a record or a grid that is nil.
var errNone = errors.New("there is none to write")

// Encode returns the bytes of a record's file, with the footer's kind, step count and checksum. It does not change r, and
// refuses every record that Decode would refuse.
func Encode(r *Record) ([]byte, error) {
	if r == nil {
		return nil, errNone
	}
	if r.Header.Format != Format {
		return nil, fmt.Errorf("header: format is %d, this program writes %d", r.Header.Format, Format)
	}
	var b bytes.Buffer
	if err := cmp.Or(r.Header.Check(), appendLine(&b, r.Header)); err != nil {
		return nil, fmt.Errorf("header: %w", err)
	}
	for i := range r.Steps {
		if err := cmp.Or(r.Steps[i].Check(&r.Header, i+1), appendLine(&b, &r.Steps[i])); err != nil {
			return nil, fmt.Errorf("step %d: %w", i+1, err)
		}
	}
	f := r.Footer
	f.Kind, f.Steps, f.SHA256 = "footer", len(r.Steps), checksum(b.Bytes())
	f.Error = words.Shorten(f.Error) // it may quote any text
	f.Stack = slices.Clone(f.Stack)
	for i, call := range f.Stack {
		f.Stack[i] = words.Shorten(call)
	}
	if err := cmp.Or(f.check(&r.Header, len(r.Steps)), appendLine(&b, f)); err != nil {
		return nil, fmt.Errorf("footer: %w", err)
	}
	return b.Bytes(), nil
}

// Decode reads the bytes of a record's file. Errors are of type *Issue and call the file name. It accepts only what Encode
// writes, so that encoding gives the same bytes. Only settings may differ: keys get their present names, or drop out.
func Decode(name string, data []byte) (*Record, error) {
	r := &Record{}
	steps := stepReader{texts: map[string]string{}}
	mend := "run the suite again: bench run repeats this cell"
	n, err := readLines("record", data, func(n int, line, before []byte) error {
		switch {
		case n == 1:
			var kind struct {
				Kind   string `json:"kind"`
				Format int    `json:"format"`
			}
			if bytes.HasPrefix(line, headerStart) {
				kind.Format = Format
			} else if err := json.Unmarshal(line, &kind); err != nil || kind.Kind != "header" {
				return errors.New("this is not a record: its first line is not a header")
			}
			if kind.Format != Format {
				mend = "run the suite again into another --out, or read it with the version of bench that wrote it"
				return fmt.Errorf("record format %d; this program reads %d", kind.Format, Format)
			}
			if err := decodeLine(line, &r.Header); err != nil {
				return err
			}
			if r.Header.Imported != nil {
				mend = "import the table again"
			}
			r.Header.Algorithm.Settings = presentNames(r.Header.Algorithm.Name, r.Header.Algorithm.Settings)
			if err := r.Header.Check(); err != nil {
				return err
			}
			if n := min(r.Header.Budget, bytes.Count(data, []byte("\n"))-2); n > 0 { // lines between header and footer
				r.Steps = make([]Step, 0, n)
			}
			return nil
		case r.Footer.Kind != "":
			return errAfterFooter
		case bytes.HasPrefix(line, []byte(`{"kind":"footer"`)):
			err := decodeLine(line, &r.Footer)
			if err == nil {
				err = r.Footer.check(&r.Header, len(r.Steps))
			}
			if err == nil && r.Footer.SHA256 != checksum(before) {
				err = errChecksum
			}
			return err
		}
		s, ok := steps.read(line)
		if !ok {
			var other Step // s itself would be allocated for each line
			if err := decodeLine(line, &other); err != nil {
				return err
			}
			s = other
		}
		r.Steps = append(r.Steps, s)
		return s.Check(&r.Header, len(r.Steps))
	})
	switch {
	case err != nil:
	case n == 0:
		err = errors.New("the file is empty")
	case r.Footer.Kind == "":
		err = fmt.Errorf("the record is cut short after step %d of %d", len(r.Steps), r.Header.Budget)
	}
	if err != nil {
		return nil, &Issue{Path: name, Line: n, What: err.Error(), Mend: mend}
	}
	return r, nil
}

var (
	headerStart    = fmt.Appendf(nil, `{"kind":"header","format":%d,`, Format)
	errAfterFooter = errors.New("there is a line after the footer")
	errChecksum    = errors.New("the checksum differs: the file was changed after it was written")
)

// readLines calls read with each line, its number from 1 and the bytes before it. It returns the number of the last.
func readLines(what string, data []byte, read func(n int, line, before []byte) error) (n int, err error) {
	for rest := data; len(rest) > 0 && err == nil; n++ {
		line, tail, whole := bytes.Cut(rest, []byte("\n"))
		if !whole {
			return n + 1, fmt.Errorf("the %s is cut short in the middle of a line", what)
		}
		err = read(n+1, line, data[:len(data)-len(rest)])
		rest = tail
	}
	return n, err
}

// decodeLine decodes a line into v. It refuses unknown, repeated or reordered keys, white space and null.
func decodeLine(line []byte, v any) error {
	if err := json.Unmarshal(line, v); err != nil {
		return fmt.Errorf("the line does not decode (%w)", err)
	}
	var again bytes.Buffer
	if err := appendLine(&again, v); err != nil {
		return err
	}
	if bytes.Equal(bytes.TrimSuffix(again.Bytes(), []byte("\n")), line) {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil { // this message is better in the usual case
		return fmt.Errorf("the line does not decode (%w)", err)
	}
	return errors.New("the line is not in the form in which bench writes it")
}

// appendLine writes v as one line of JSON, without HTML escapes, which make settings such as "a<b" hard to read.
func appendLine(b *bytes.Buffer, v any) error {
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

func checksum(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
