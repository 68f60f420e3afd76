package figure

import (
	"encoding/json"
	"math"
	"strconv"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"popbench/internal/math/stats"
)

// Runs are the single runs of a line of a chart.
type Runs struct {
	Values  [][]float64 // by run, after step 1, 2, …; nil if they are not to be drawn
	Last    []float64   // by run, after the last step
	Seconds []float64   // after step 1, 2, …: wall clock since the start, mean over the runs; nil if it was not measured
}

// Data are those of the chart's figure for the script of its page, as JSON: what the figure shows, where its axes are,
// and the runs that of returns for a line, nil if the line has no runs to show.
func (c *Chart) Data(of func(*Line) *Runs) []byte {
	f := c.Figure()
	dc := draw.NewCanvas(vgsvg.New(f.Width, f.Height), f.Width, f.Height)
	p := newPanel(c, tickSize)
	p.X.Label.Text = "step"
	axes := p.DataCanvas(plotArea(dc, c.Title, subtitle(c), beside(c), c))
	data := liveChart{
		Title: c.Title, What: c.What, Beside: beside(c), Log: c.Log, LogSteps: c.LogSteps, Bars: c.bars(), Height: f.Height,
		Frame: numbers{axes.Min.X.Points(), (f.Height - axes.Max.Y).Points(), axes.Max.X.Points(), (f.Height - axes.Min.Y).Points()},
		X:     numbers{p.X.Min, p.X.Max}, Y: numbers{p.Y.Min, p.Y.Max},
		Lines: []liveLine{}, Bases: []liveBase{}, Marks: []liveMark{},
	}
	labels := labelsOf(c, func(float64) vg.Length { return 0 })
	for i, l := range c.Lines {
		series := func(of func(*stats.Summary) float64) (all numbers) {
			for i := range l.Points {
				if v := of(&l.Points[i]); !math.IsNaN(v) || all != nil {
					all = append(all, v)
				}
			}
			return all
		}
		line := liveLine{Label: l.Label, Name: labels[i].text, Style: markerOf(l.Style), Color: cssColor(l.Style), Dash: seriesLine(l.Style).Dashes,
			N: l.Points[len(l.Points)-1].N, Mean: series(func(s *stats.Summary) float64 { return s.Mean })}
		if c.Band > 0 || series(func(s *stats.Summary) float64 { return s.CI.Lo }) != nil {
			line.Lo, line.Hi = series(c.Low), series(c.High)
		}
		if runs := of(&l); runs != nil {
			line.Median, line.Q1, line.Q3 = series(func(s *stats.Summary) float64 { return s.Median }), series(func(s *stats.Summary) float64 { return s.Q1 }),
				series(func(s *stats.Summary) float64 { return s.Q3 })
			line.Last, line.Seconds = runs.Last, runs.Seconds
			for _, values := range runs.Values {
				line.Runs = append(line.Runs, values)
			}
		}
		data.Lines = append(data.Lines, line)
	}
	for i, b := range c.Baselines {
		base := liveBase{Name: labels[len(c.Lines)+i].text, Dash: baselineLine(i).Dashes}
		const pieces = 20
		for k := range pieces + 1 {
			t := along(&p.X, float64(k)/pieces)
			base.Points = append(base.Points, numbers{t, b.At(t)})
		}
		data.Bases = append(data.Bases, base)
	}
	for _, m := range c.Marks {
		mark := liveMark{Value: numbers{m.Value}}
		if m.Style >= 0 {
			mark.Style, mark.Color = markerOf(m.Style), cssColor(m.Style)
		}
		data.Marks = append(data.Marks, mark)
	}
	text, err := json.Marshal(data)
	f.must(err)
	return text
}

// liveChart is what chart.js of package document reads.
type liveChart struct {
	Title    string     `json:"title"`
	What     string     `json:"what"`
	Beside   []string   `json:"beside"` // at the vertical axis
	Log      bool       `json:"log"`
	LogSteps bool       `json:"logSteps"`
	Bars     bool       `json:"bars"` // in place of bands
	Height   vg.Length  `json:"height"`
	Frame    numbers    `json:"frame"` // of the axes: left, top, right, bottom, in points from the top left corner
	X        numbers    `json:"x"`     // range
	Y        numbers    `json:"y"`     // range
	Lines    []liveLine `json:"lines"`
	Bases    []liveBase `json:"bases"`
	Marks    []liveMark `json:"marks"`
}

type liveLine struct {
	Label   string      `json:"label"`
	Name    string      `json:"name"` // the label, cut to the margin
	Style   int         `json:"style"`
	Color   string      `json:"color"`
	Dash    []vg.Length `json:"dash"`
	N       int         `json:"n"`
	Mean    numbers     `json:"mean"`
	Lo      numbers     `json:"lo,omitempty"`
	Hi      numbers     `json:"hi,omitempty"`
	Median  numbers     `json:"median,omitempty"`
	Q1      numbers     `json:"q1,omitempty"`
	Q3      numbers     `json:"q3,omitempty"`
	Last    numbers     `json:"last,omitempty"`
	Seconds numbers     `json:"seconds,omitempty"`
	Runs    []pixels    `json:"runs,omitempty"`
}

type liveBase struct {
	Name   string      `json:"name"`
	Dash   []vg.Length `json:"dash"`
	Points []numbers   `json:"points"`
}

type liveMark struct {
	Value numbers `json:"value"` // one
	Style int     `json:"style"`
	Color string  `json:"color"` // "" if it is no line's
}

// cssColor is the colour of a style, as the drawings of a page have it.
func cssColor(style int) string { return inlineColours.Replace(hex(seriesColor(style))) }

// numbers are read: they have four significant digits; null is a missing one.
type numbers []float64

func (n numbers) MarshalJSON() ([]byte, error) { return compact(n, 4), nil }

// pixels are only drawn: three digits are more than can be seen.
type pixels []float64

func (p pixels) MarshalJSON() ([]byte, error) { return compact(p, 3), nil }

func compact(values []float64, digits int) []byte {
	b := []byte{'['}
	for i, v := range values {
		if i > 0 {
			b = append(b, ',')
		}
		if math.IsNaN(v) || math.IsInf(v, 0) {
			b = append(b, "null"...)
		} else {
			b = strconv.AppendFloat(b, v, 'g', digits, 64)
		}
	}
	return append(b, ']')
}
