package suite

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"popbench/internal/limits"
	"popbench/internal/strict"
	"popbench/internal/words"
)

// Times returns the limits of the first answer and of every further one; 0 stands for the default.
func (l Limits) Times() (initialize, call time.Duration) {
	initialize, _ = time.ParseDuration(l.Initialize)
	call, _ = time.ParseDuration(l.Call)
	return initialize, call
}

// Bytes returns the limit of memory; 0 means none.
func (l Limits) Bytes() int64 {
	n, _ := parseMemory(l.Memory)
	return n
}

var memoryText = regexp.MustCompile(`^([0-9]+(?:\.[0-9]+)?) ?(K|M|G|T)(i?)B$`)

// parseMemory reads an amount of memory, such as 512MiB or 4GB.
func parseMemory(text string) (int64, error) {
	m := memoryText.FindStringSubmatch(text)
	if m == nil {
		return 0, errors.New("is not an amount of memory; give a number with MiB or GiB, e.g. 512MiB or 4GiB")
	}
	v, _ := strconv.ParseFloat(m[1], 64)
	base := map[string]float64{"": 1000, "i": 1024}[m[3]]
	for range 1 + strings.Index("KMGT", m[2]) {
		v *= base
	}
	if v < 1<<20 || v > 1<<50 {
		return 0, errors.New("is below 1MiB or above 1024TiB")
	}
	return int64(math.Round(v)), nil
}

// checkProgram checks the keys of a program.
func (d *checker) checkProgram(p *Program, path string) {
	at := path + ".command"
	switch {
	case d.Failed(at):
	case len(p.Command) == 0:
		d.FailAt(at, "is missing; give the program and its arguments, e.g. [python3, mine.py]")
	case p.Command[0] == "":
		d.FailAt(at, "begins with an empty word; give the program, e.g. [python3, mine.py]")
	}
	for i, word := range slices.Concat(p.Command, p.Files) {
		if strings.ContainsRune(word, 0) || words.CheckText(word) != nil {
			where := fmt.Sprintf("%s[%d]", at, i)
			if i >= len(p.Command) {
				where = fmt.Sprintf("%s.files[%d]", path, i-len(p.Command))
			}
			d.FailAt(where, "%q has characters that are not text", strict.Shorten(word))
		}
	}
	for _, limit := range [][2]string{{"initialize", p.Limits.Initialize}, {"call", p.Limits.Call}} {
		if key, text := limit[0], limit[1]; text != "" {
			if _, err := limits.Timeout(text); err != nil {
				d.FailAt(path+".limits."+key, "%q %v", strict.Shorten(text), err)
			}
		}
	}
	if p.Limits.Memory != "" {
		if _, err := parseMemory(p.Limits.Memory); err != nil {
			d.FailAt(path+".limits.memory", "%q %v", strict.Shorten(p.Limits.Memory), err)
		}
	}
}

// checkObjective checks the keys of a problem that is a program, and sets its default scale.
func (d *checker) checkObjective(p *Problem, path string) {
	d.checkProgram(&p.Program, path)
	if !d.Given(path + ".scale") {
		p.Scale = "raw"
	}
	d.checkOwnName(p.Label, path, "problem", d.cat.Problems())
	if p.Box != nil && !d.Failed(path+".box") {
		if err := p.Box.Validate(); err != nil {
			d.FailAt(path+".box", "%s", strings.TrimPrefix(err.Error(), "box: "))
		}
	}
	at := path + ".scale"
	switch {
	case d.Failed(at):
	case p.Scale == "standardise", p.Scale == "standardise-uniform":
		d.FailAt(at, "is %s, which would evaluate many points; give raw, or std with divide_by", p.Scale)
	case p.Scale == "std" && p.DivideBy <= 0 && !d.Failed(path+".divide_by"):
		d.FailAt(at, "is std without divide_by; give the number to divide values by")
	case p.Scale == "raw" && p.DivideBy != 0:
		d.FailAt(path+".divide_by", "is given, but scale is raw; give scale: std, or remove it")
	}
}

// checkFinite checks the keys of a problem's arms.
func (d *checker) checkFinite(p *Problem, path string) {
	table := p.Name == Table
	if table {
		d.checkOwnName(p.Label, path, "problem", d.cat.Problems())
		if !d.Given(path + ".scale") {
			p.Scale = "raw"
		}
	}
	switch data := d.Given(path + ".data"); {
	case !table:
	case data && p.Arms != nil:
		d.FailAt(path+".arms", "is given, and data too; keep one")
	case !data && p.Arms == nil && !d.Failed(path+".arms"):
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
		if err := words.CheckText(text[1]); err != nil {
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
