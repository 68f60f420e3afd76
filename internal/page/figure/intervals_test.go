package figure

import (
	"encoding/xml"
	"math"
	"strconv"
	"strings"
	"testing"

	"popbench/internal/check"
	"popbench/internal/math/stats"
	"popbench/internal/page/chart"
)

// element is an element of a strip, with its attributes by name.
type element struct {
	name string
	attr map[string]string
}

// elements reads a drawing, which has to be well-formed.
func elements(t *testing.T, svg string) (all []element) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(svg))
	for {
		token, err := d.Token()
		if token == nil {
			return all
		}
		if err != nil {
			t.Fatalf("%v in %s", err, svg)
		}
		if s, ok := token.(xml.StartElement); ok {
			e := element{s.Name.Local, map[string]string{}}
			for _, a := range s.Attr {
				e.attr[a.Name.Local] = a.Value
			}
			all = append(all, e)
		}
	}
}

// place is an attribute that is a percentage.
func (e element) place(t *testing.T, name string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(strings.TrimSuffix(e.attr[name], "%"), 64)
	if err != nil {
		t.Fatalf("%s of %v: %v", name, e, err)
	}
	return v
}

// The shaded region, the interval, the dot and the looks stand where their numbers are on the axis.
func TestIntervalsAreWhereTheirNumbersAre(t *testing.T) {
	inf := math.Inf(1)
	c := &chart.Intervals{Rows: []chart.IntervalRow{
		{Value: 1.2, Interval: stats.Interval{Lo: 1.1, Hi: 1.4}, Joint: stats.Interval{Lo: 1, Hi: 1.5}, Region: stats.Interval{Lo: -inf, Hi: 1}, Printed: 2.5},
		{Value: 2, Interval: stats.Interval{Lo: 1.5, Hi: 2.25}, Joint: stats.Interval{Lo: 1.5, Hi: 2.25}, Region: stats.Interval{Lo: 1.7, Hi: 2.1}, Printed: 40, Settled: true,
			Looks: []stats.Interval{{Lo: -50, Hi: 60}, {Lo: 1.25, Hi: 2.5}}, Border: 2.1, Margin: 0.2},
	}}
	lo, hi := c.Axis()
	at := func(v float64) float64 { return 100 * (min(max(v, lo), hi) - lo) / (hi - lo) }
	strips, _ := Intervals(c, []string{"a < b", "c"})
	for i, svg := range strips {
		r := &c.Rows[i]
		want := map[string][]float64{ // by element and class
			"rect ": {at(r.Region.Lo), at(r.Region.Hi)}, "line interval": {at(r.Interval.Lo), at(r.Interval.Hi)}, "line joint": {at(r.Joint.Lo), at(r.Joint.Hi)},
		}
		if r.Settled {
			want["circle "] = []float64{at(r.Value), at(r.Value)}
			want["rect zone"] = []float64{at(r.Border - r.Margin), at(r.Border + r.Margin)}
		} else {
			want["circle open"] = []float64{at(r.Value), at(r.Value)}
		}
		var looks [][2]float64
		for _, e := range elements(t, svg) {
			var from, to float64
			switch e.name {
			case "rect":
				from = e.place(t, "x")
				to = from + e.place(t, "width")
			case "line":
				from, to = e.place(t, "x1"), e.place(t, "x2")
			case "circle":
				from = e.place(t, "cx")
				to = from
			default:
				continue
			}
			if e.attr["class"] == "look" {
				looks = append(looks, [2]float64{from, to})
			}
			key := e.name + " " + e.attr["class"]
			if w, ok := want[key]; ok {
				check.That(t, math.Abs(from-w[0]) <= 0.02 && math.Abs(to-w[1]) <= 0.02,
					"row %d: %s from %v to %v, want %v", i, key, from, to, w)
				delete(want, key)
			}
		}
		check.That(t, len(want) == 0, "row %d has no %v: %s", i, want, svg)
		check.Equal(t, "looks", len(looks), len(r.Looks))
		for k, look := range looks {
			check.That(t, math.Abs(look[0]-at(r.Looks[k].Lo)) <= 0.02 && math.Abs(look[1]-at(r.Looks[k].Hi)) <= 0.02,
				"look %d of row %d from %v to %v, want %v", k, i, look[0], look[1], r.Looks[k])
		}
	}
	check.Equal(t, "alternative text", elements(t, strips[0])[1].attr["aria-label"], "a < b")
	check.That(t, !strings.Contains(strips[0], `d="M-1`) && strings.Contains(strips[1], `d="M-1`),
		"a printed number beyond the axis is an arrow at its edge, any other one a diamond: %v", strips)
}

// The axis holds what decides, and its labels are in their places.
func TestAxisOfIntervals(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	unknown := stats.Interval{Lo: nan, Hi: nan}
	for _, c := range []struct {
		about string
		row   chart.IntervalRow
		holds []float64
		not   []float64
	}{
		{"all numbers", chart.IntervalRow{Value: 0.5, Interval: stats.Interval{Lo: 0.4, Hi: 0.6}, Joint: stats.Interval{Lo: 0.3, Hi: 0.7}, Region: stats.Interval{Lo: 2.5, Hi: inf}, Printed: 3}, []float64{0.3, 2.5, 3}, []float64{8}},
		{"a printed number far away", chart.IntervalRow{Value: 0.5, Interval: stats.Interval{Lo: 0.4, Hi: 0.6}, Joint: unknown, Region: stats.Interval{Lo: -inf, Hi: 1}, Printed: -30}, []float64{0.4, 1}, []float64{-30}},
		{"a single run", chart.IntervalRow{Value: 7, Interval: unknown, Joint: unknown, Region: stats.Interval{Lo: -inf, Hi: 7}, Printed: nan}, []float64{7}, nil},
		{"nothing", chart.IntervalRow{Value: nan, Interval: unknown, Joint: unknown, Region: stats.Interval{Lo: -inf, Hi: inf}, Printed: nan}, []float64{0, 1}, nil},
	} {
		t.Run(c.about, func(t *testing.T) {
			chart := &chart.Intervals{Rows: []chart.IntervalRow{c.row}}
			lo, hi := chart.Axis()
			for _, v := range c.holds {
				check.That(t, lo <= v && v <= hi, "the axis from %v to %v is without %v", lo, hi, v)
			}
			for _, v := range c.not {
				check.That(t, lo > v || v > hi, "the axis from %v to %v has %v", lo, hi, v)
			}
			strips, axis := Intervals(chart, []string{""})
			check.Lacks(t, "a strip of unknown numbers", strips[0], "NaN")
			labels := 0
			for _, part := range strings.Split(axis, "<text ")[1:] {
				var x, v float64
				attribute, text, _ := strings.Cut(part, `" y="14"`)
				_, text, _ = strings.Cut(text, ">")
				text, _, _ = strings.Cut(text, "<")
				x, _ = strconv.ParseFloat(strings.TrimSuffix(strings.TrimPrefix(attribute, `x="`), "%"), 64)
				v, err := strconv.ParseFloat(strings.ReplaceAll(text, "−", "-"), 64)
				check.That(t, err == nil && math.Abs(x-100*(v-lo)/(hi-lo)) <= 0.02,
					"the label %q is at %v %% (%v)", text, x, err)
				labels++
			}
			check.That(t, labels >= 2 && labels <= 5, "%d labels: %s", labels, axis)
		})
	}
}
