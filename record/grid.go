package record

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"

	"popbench/internal/archive"
	"popbench/internal/words"
)

// Grid has values of f on one instance of a problem of one or two dimensions, so that a report can draw f under the points
// of a run. A record has f at the points of its steps only.
//
// Its file is JSON Lines: the header, the rows of Values, and a footer with the checksum of all lines before.
type Grid struct {
	Header GridHeader
	// Values has f, scaled, to five significant digits. On a box, row i column j is f where the first coordinate has its
	// i-th value and the second its j-th; in one dimension there is one row. On arms, row i is arm i: its coordinates with
	// all digits, then f.
	Values [][]float64
}

// GridHeader identifies the instance.
type GridHeader struct {
	Kind   string `json:"kind"`   // "grid"
	Format int    `json:"format"` // GridFormat
	GridProblem
	// Seed and Repetition are those of the records if each repetition has its own function; otherwise nil.
	Seed       *uint64 `json:"seed,omitempty"`
	Repetition *int    `json:"repetition,omitempty"`
	// Shape is the number of values along each coordinate, evenly spaced from Lo to Hi, ends included; nil for arms.
	Shape []int `json:"shape,omitempty"`
}

// GridProblem has the part of a Problem that determines f.
type GridProblem struct {
	Name    string    `json:"problem"`
	Lo      []float64 `json:"lo"`
	Hi      []float64 `json:"hi"`
	Arms    *Arms     `json:"arms,omitempty"`
	Scale   string    `json:"scale"`
	Shift   float64   `json:"shift"`
	Factor  float64   `json:"factor"`
	Optimum *float64  `json:"optimum,omitempty"`
}

// GridFormat is the version of the layout of grids.
const GridFormat = 1

// gridDigits is the number of significant digits of f. Four would do for a figure.
const gridDigits = 5

const maxGrid = 1 << 16

// gridFooter ends the file of a grid.
type gridFooter struct {
	Kind   string `json:"kind"`   // "footer"
	SHA256 string `json:"sha256"` // of all bytes before this line, hexadecimal
}

func footerOf(data []byte) gridFooter { return gridFooter{Kind: "footer", SHA256: checksum(data)} }

// GridPath returns the path of a grid in a results folder. A nil repetition stands for all that share their instance.
func GridPath(dir, problem string, repetition *int) string {
	name := filepath.Join(dir, gridsDir, words.FileName(problem))
	if repetition != nil {
		name = filepath.Join(name, fmt.Sprintf("%03d", *repetition))
	}
	return name + recordExt
}

// RoundGrid returns f with the digits that a grid has.
func RoundGrid(f float64) float64 {
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(f, 'g', gridDigits, 64), 64)
	return rounded + 0 // no -0
}

// GridOf returns the part of the problem that determines f.
func (p *Problem) GridOf() GridProblem {
	return GridProblem{Name: p.Name, Lo: p.Lo, Hi: p.Hi, Arms: p.Arms, Scale: p.Scale, Shift: p.Shift, Factor: p.Factor, Optimum: p.Optimum}
}

// check returns an error if the grid has another shape than its header says, or values that are not finite.
func (g *Grid) check() error {
	h := &g.Header
	d := len(h.Lo)
	rows, columns := 1, d+1
	switch {
	case h.Kind != "grid" || h.Format != GridFormat:
		return fmt.Errorf("it is %q of format %d; this program reads a grid of format %d", h.Kind, h.Format, GridFormat)
	case d < 1 || d > 2 || len(h.Hi) != d:
		return errors.New("lo and hi have not one or two values each")
	case (h.Seed == nil) != (h.Repetition == nil) || h.Repetition != nil && (*h.Repetition < 0 || *h.Repetition > maxRepetition):
		return errors.New("seed and repetition do not belong together")
	case h.Arms != nil && h.Shape != nil:
		return errors.New("it has a shape, but its domain is arms")
	case h.Arms != nil:
		rows = h.Arms.Count
	case len(h.Shape) != d || slices.Min(h.Shape) < 2:
		return fmt.Errorf("shape is %v; there have to be two values or more along each of %d coordinates", h.Shape, d)
	default:
		columns = h.Shape[d-1]
		if d == 2 {
			rows = h.Shape[0]
		}
	}
	if rows < 1 || columns > maxGrid/rows {
		return fmt.Errorf("it has %d rows of %d values; there may be %d values", rows, columns, maxGrid)
	}
	if len(g.Values) != rows {
		return fmt.Errorf("it has %d rows, and its header says %d", len(g.Values), rows)
	}
	for i, row := range g.Values {
		if len(row) != columns {
			return fmt.Errorf("row %d has %d values, not %d", i+1, len(row), columns)
		}
		if slices.ContainsFunc(row, func(v float64) bool { return !finite(v) }) {
			return fmt.Errorf("row %d has a value that is not finite", i+1)
		}
	}
	return nil
}

// EncodeGrid returns the bytes of a grid's file. It fills in the header's kind and format without changing g.
func EncodeGrid(g *Grid) ([]byte, error) {
	if g == nil {
		return nil, errNone
	}
	whole := *g
	whole.Header.Kind, whole.Header.Format = "grid", GridFormat
	if err := whole.check(); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err := appendLine(&b, whole.Header)
	for _, row := range whole.Values {
		err = cmp.Or(err, appendLine(&b, row))
	}
	err = cmp.Or(err, appendLine(&b, footerOf(b.Bytes())))
	return b.Bytes(), err
}

// DecodeGrid reads what EncodeGrid writes, and nothing else. Errors are of type *Issue and call the file name.
func DecodeGrid(name string, data []byte) (*Grid, error) {
	g := &Grid{}
	ended := false
	n, err := readLines("grid", data, func(n int, line, before []byte) error {
		switch {
		case ended:
			return errAfterFooter
		case n == 1:
			return decodeLine(line, &g.Header)
		case bytes.HasPrefix(line, []byte("[")):
			var row []float64
			err := decodeLine(line, &row)
			g.Values = append(g.Values, row)
			return err
		}
		ended = true
		var f gridFooter
		err := decodeLine(line, &f)
		if err == nil && f != footerOf(before) {
			err = errChecksum
		}
		return err
	})
	if err == nil && !ended {
		err = fmt.Errorf("the grid is cut short after %d rows", len(g.Values))
	}
	if err == nil {
		n, err = 0, g.check()
	}
	if err != nil {
		return nil, &Issue{Path: name, Line: n, What: err.Error(), Mend: mendGrid}
	}
	return g, nil
}

const mendGrid = "delete the file, or run the suite again with --force"

// PutGrid writes the values of an instance. Write them before its records: a cell with a record is done.
func (f *Folder) PutGrid(g *Grid) error {
	if g == nil {
		return errNone
	}
	data, err := EncodeGrid(g)
	if err != nil {
		return fmt.Errorf("grid of %s: %w", g.Header.Name, err)
	}
	return replace(GridPath(f.dir, g.Header.Name, g.Header.Repetition), data)
}

// ReadGrid returns the values of f on the instance that a record of the results folder is about; nil if the folder has no
// such grid, as in an archive. An error in the file, or a file about another function, is an *Issue.
func ReadGrid(dir string, h *Header) (*Grid, error) {
	if h == nil || archive.Is(dir) {
		return nil, nil
	}
	for _, repetition := range []*int{&h.Repetition, nil} {
		path := GridPath(dir, h.Problem.Name, repetition)
		if err := checkRegular(path); err != nil {
			return nil, &Issue{Path: path, What: err.Error(), Mend: "move it out of the results"}
		}
		data, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		g, err := DecodeGrid(path, data)
		if err != nil {
			return nil, err
		}
		if !g.isOf(h, repetition) {
			return nil, &Issue{Path: path, Line: 1, What: fmt.Sprintf("these are values of another function than that of the records of %s", h.Problem.Name),
				Mend: mendGrid}
		}
		return g, nil
	}
	return nil, nil
}

// isOf reports whether the grid has the function of the record, for the repetition alone or, if that is nil, for all.
func (g *Grid) isOf(h *Header, repetition *int) bool {
	own := g.Header.Repetition != nil
	return own == (repetition != nil) && reflect.DeepEqual(g.Header.GridProblem, h.Problem.GridOf()) &&
		(!own || *g.Header.Repetition == *repetition && *g.Header.Seed == h.Seed)
}
