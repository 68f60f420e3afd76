package config

import (
	"bytes"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"popbench/internal/printable"
	"popbench/internal/strict"
	"popbench/internal/words"
)

// checkFinite checks the keys of a problem's arms.
func (d *checker) checkFinite(p *Problem, path string, cat Catalogue) {
	table := p.Name == Table
	if table {
		d.checkOwnName(p.Label, path, "problem", cat.Problems())
		if !d.Given(path + ".scale") {
			p.Scale = "raw"
		}
	}
	switch data := d.Given(path + ".data"); {
	case data && !table:
		d.FailAt(path+".data", "is a key of name: table only; give arms, or name: table")
	case table && data && p.Arms != nil:
		d.FailAt(path+".arms", "is given, and data too; keep one")
	case table && !data && p.Arms == nil && !d.Failed(path+".arms"):
		d.FailAt(path+".arms", "is missing; give points and their values, or data: a CSV file")
	}
	if p.Arms != nil && !d.Failed(path+".arms") {
		d.checkArms(p, path+".arms", table)
	}
	if p.Data != nil && table {
		d.checkData(p.Data, path+".data")
	}
	d.checkRange(p, path)
}

func (d *checker) checkArms(p *Problem, at string, table bool) {
	a := p.Arms
	grid, points, values := d.Given(at+".grid"), d.Given(at+".points"), d.Given(at+".values")
	switch {
	case grid == points:
		d.FailAt(at, "needs one of grid and points; give the number of points of each coordinate, or a list of points")
	case grid && table:
		d.FailAt(at+".grid", "is not for tables; give points and their values")
	case grid && p.External() && p.Box == nil:
		d.FailAt(at+".grid", "needs box; give it, or give points")
	case table && !d.Failed(at+".values") && len(a.Values) != len(a.Points):
		d.FailAt(at+".values", "has %s for %s; give one for each", words.Count(len(a.Values), "value"), words.Count(len(a.Points), "point"))
	case values && !table:
		d.FailAt(at+".values", "is a key of name: table only; remove it")
	}
	for i, x := range a.Points {
		if len(x) != len(a.Points[0]) || len(x) == 0 {
			d.FailAt(fmt.Sprintf("%s.points[%d]", at, i), "has %s, and the first point %d; give each the same number, at least one", words.Count(len(x), "feature"), len(a.Points[0]))
			break
		}
	}
}

var hexDigest = regexp.MustCompile(`^[0-9a-f]{64}$`)

func (d *checker) checkData(data *Data, at string) {
	if data.SHA256 != "" && !hexDigest.MatchString(data.SHA256) {
		d.FailAt(at+".sha256", "%q is not 64 hexadecimal digits; sha256sum FILE prints them", strict.Shorten(data.SHA256))
	}
	for _, text := range [][2]string{{"path", data.Path}, {"from", data.From}} {
		if err := printable.CheckText(text[1]); err != nil {
			d.FailAt(at+"."+text[0], "%q %v", strict.Shorten(text[1]), err)
		}
	}
	for i, name := range data.Features {
		if first := slices.Index(data.Features, name); first < i {
			d.FailAt(fmt.Sprintf("%s.features[%d]", at, i), "%q is features[%d] too; keep one", strict.Shorten(name), first)
		}
	}
	if slices.Contains(data.Features, data.Value) {
		d.FailAt(at+".value", "%q is a feature too; a method would see the value", strict.Shorten(data.Value))
	}
}

func (d *checker) checkRange(p *Problem, path string) {
	at := path + ".range"
	if !d.Given(at) || d.Failed(at) {
		return
	}
	switch {
	case !p.OnArms():
		d.FailAt(at, "is for finite sets; give arms, or scale")
	case p.External():
		d.FailAt(at, "needs the values of all arms, but a program is asked only where a method asks; give scale: raw")
	case d.Given(path + ".scale"):
		d.FailAt(at, "is given, and scale too; keep one")
	case len(p.Range) != 2 || !(p.Range[0] < p.Range[1]):
		d.FailAt(at, "is %v; give two numbers, the smaller one first", p.Range)
	}
	p.Scale = ""
}

// An Absent error is about a data file that is not there. Its cells are left out.
type Absent string

func (a Absent) Error() string { return string(a) }

// ReadData reads a table's data file: the features of its arms and their values. The error is an Absent one if
// there is no such file.
func (s *Suite) ReadData(d *Data) (points [][]float64, values []float64, err error) {
	path := s.resolve(d.Path)
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		how := "put it there"
		if d.From != "" {
			how = "get it from " + d.From + ", and " + how
		}
		return nil, nil, Absent(fmt.Sprintf("%s is absent; %s (SHA-256 %s)", d.Path, how, d.SHA256))
	}
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("it is not a regular file")
	}
	var text []byte
	if err == nil {
		text, err = os.ReadFile(path)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("%s: cannot read it (%w)", path, cause(err))
	}
	if sum := sha256.Sum256(text); hex.EncodeToString(sum[:]) != d.SHA256 {
		return nil, nil, fmt.Errorf("%s: its SHA-256 is %x, but the suite says %s; it is another file or version", path, sum, d.SHA256)
	}
	points, values, err = parseTable(text, d.Features, d.Value)
	if err != nil {
		return nil, nil, fmt.Errorf("%s:%w", path, err)
	}
	return points, values, nil
}

// parseTable reads the named columns of a CSV file. An error begins with the line.
func parseTable(text []byte, features []string, value string) (points [][]float64, values []float64, err error) {
	r := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(text, []byte("\ufeff"))))
	r.ReuseRecord = true
	header, err := r.Read()
	if err != nil {
		return nil, nil, fmt.Errorf("1: no row that names the columns (%v)", err)
	}
	names := append(slices.Clone(features), value)
	columns := make([]int, len(names))
	for i, name := range names {
		if columns[i] = slices.Index(header, name); columns[i] < 0 {
			return nil, nil, fmt.Errorf("1: there is no column %q; it has %s", name, strings.Join(header, ", "))
		}
		if slices.Contains(header[columns[i]+1:], name) {
			return nil, nil, fmt.Errorf("1: two columns are called %q; rename one of them", name)
		}
	}
	for {
		row, err := r.Read()
		if err == io.EOF {
			return points, values, nil
		}
		if wrong := (*csv.ParseError)(nil); errors.As(err, &wrong) {
			return nil, nil, fmt.Errorf("%d: %v", wrong.Line, wrong.Err)
		}
		line, _ := r.FieldPos(0)
		x := make([]float64, len(columns))
		for i, c := range columns {
			v, err := strconv.ParseFloat(strings.TrimSpace(row[c]), 64)
			if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, nil, fmt.Errorf("%d: %s is %q, not a finite number", line, names[i], printable.Cut(row[c], 40))
			}
			x[i] = v
		}
		points, values = append(points, x[:len(features)]), append(values, x[len(features)])
	}
}
