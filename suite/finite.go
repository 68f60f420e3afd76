package suite

import (
	"fmt"
	"regexp"
	"slices"

	"popbench/internal/printable"
	"popbench/internal/strict"
	"popbench/internal/words"
)

// checkFinite checks the keys of a problem's arms.
func (d *checker) checkFinite(p *Problem, path string, cat names) {
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
			d.FailAt(fmt.Sprintf("%s.points[%d]", at, i), "has %s, and the first point %d; give each the same number, at least one",
				words.Count(len(x), "feature"), len(a.Points[0]))
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
	case !p.onArms():
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
