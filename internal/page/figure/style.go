package figure

import (
	"fmt"
	"image/color"
	"sync"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// plotter draws something on the axes of a plot.
type plotter func(c draw.Canvas, p *plot.Plot)

// Plot calls f.
func (f plotter) Plot(c draw.Canvas, p *plot.Plot) { f(c, p) }

const (
	titleSize = 13
	labelSize = 11
	tickSize  = 10.5
	smallSize = 9.5 // in an overview
)

var (
	paper = color.NRGBA{255, 255, 255, 255}
	ink   = color.NRGBA{26, 26, 26, 255}
	grey  = color.NRGBA{95, 95, 95, 255}
	rule  = color.NRGBA{228, 228, 228, 255}
)

// palette is that of Okabe & Ito (2008), for any colour vision, by contrast with white, followed by two darker colours.
var palette = [Colours]color.NRGBA{
	{0, 114, 178, 255},   // blue
	{213, 94, 0, 255},    // vermillion
	{0, 158, 115, 255},   // bluish green
	{204, 121, 167, 255}, // reddish purple
	{230, 159, 0, 255},   // orange
	{86, 180, 233, 255},  // sky blue
	{68, 68, 68, 255},    // charcoal
	{122, 71, 16, 255},   // brown
}

// Opacity of bands, of 255: fainter if many bands overlap.
const (
	bandAlpha  = 46
	bandsAlpha = 28
	manyBands  = 4
)

// dashes and markers distinguish the series in black and white.
var dashes = [][]vg.Length{nil, {6, 2.5}, {1.5, 2}, {8, 2, 1.5, 2}, {3, 1.5}, {10, 2, 1.5, 2, 1.5, 2}, {1, 1}, {4, 4}}

var markers = []draw.GlyphDrawer{draw.CircleGlyph{}, openBox{}, draw.PyramidGlyph{}, draw.CrossGlyph{}, draw.RingGlyph{}, draw.PlusGlyph{}, draw.BoxGlyph{},
	draw.TriangleGlyph{}}

// openBox is a white square with an outline. A filled one, small and grey, would look like a circle.
type openBox struct{}

func (openBox) DrawGlyph(c *draw.Canvas, s draw.GlyphStyle, at vg.Point) {
	r := s.Radius * 0.95
	outlined(c, rectangle(at.X-r, at.Y-r, at.X+r, at.Y+r), draw.LineStyle{Color: s.Color, Width: 1.2})
}

// rectangle has the corners of a rectangle, given two opposite ones.
func rectangle(x0, y0, x1, y1 vg.Length) []vg.Point {
	return []vg.Point{{X: x0, Y: y0}, {X: x1, Y: y0}, {X: x1, Y: y1}, {X: x0, Y: y1}}
}

func outlined(c *draw.Canvas, corners []vg.Point, line draw.LineStyle) {
	c.FillPolygon(paper, corners)
	c.StrokeLines(line, append(corners, corners[0], corners[1]))
}

func seriesColor(i int) color.NRGBA {
	if k, n, ok := Grade(i); ok {
		return grades[gradeOf(k, n)]
	}
	return palette[i%len(palette)]
}

// gradeOf is the shade of number k of n, from 0.
func gradeOf(k, n int) int { return (k*(shades-1) + (n-1)/2) / max(n-1, 1) }

const shades = 16

// grades are the shades of a sequence on white, and gradesOnDark on a dark page, from little contrast to much: parts of
// plasma, which is evenly spaced for any colour vision and in grey (Smith and van der Walt 2015, matplotlib).
var (
	grades       = blend(0xed7953, 0xd8576b, 0xbd3786, 0x9c179e, 0x7201a8, 0x46039f, 0x0d0887)
	gradesOnDark = blend(0xbd3786, 0xd8576b, 0xed7953, 0xfb9f3a, 0xfdca26, 0xf0f921)
)

// blend are shades evenly spaced along colours.
func blend(colours ...uint32) (all [shades]color.NRGBA) {
	for i := range all {
		at := i * (len(colours) - 1)
		k, rest := at/(shades-1), uint32(at%(shades-1))
		from, to := colours[k], colours[min(k+1, len(colours)-1)]
		mix := func(shift int) uint8 {
			return uint8(((from>>shift&255)*(shades-1-rest) + (to>>shift&255)*rest) / (shades - 1))
		}
		all[i] = color.NRGBA{mix(16), mix(8), mix(0), 255}
	}
	return all
}

func bandColor(i, lines int) translucent {
	c := seriesColor(i)
	c.A = bandAlpha
	if lines >= manyBands {
		c.A = bandsAlpha
	}
	return translucent(c)
}

// translucent rounds up when it is multiplied by its alpha: gonum's SVG canvas divides by the alpha and rounds down.
type translucent color.NRGBA

func (c translucent) RGBA() (r, g, b, a uint32) {
	a = uint32(c.A) * 0x101
	up := func(v uint8) uint32 { return (uint32(v)*a + 254) / 255 }
	return up(c.R), up(c.G), up(c.B), a
}

func seriesLine(i int) draw.LineStyle {
	if _, _, ok := Grade(i); ok {
		return draw.LineStyle{Color: seriesColor(i), Width: 1.6}
	}
	return draw.LineStyle{Color: seriesColor(i), Width: 1.6, Dashes: dashes[(i+i/len(palette))%len(dashes)]}
}

// thin is a line where there are so many that colours come again.
func thin(line draw.LineStyle, lines int) draw.LineStyle {
	if lines > len(palette) {
		line.Width = 1.1
	}
	return line
}

func seriesMarker(i int) draw.GlyphStyle {
	return draw.GlyphStyle{Color: seriesColor(i), Radius: 2.7, Shape: markers[markerOf(i)]}
}

// markerOf is the index in markers of a style's marker.
func markerOf(style int) int {
	k, _, ok := Grade(style)
	if !ok {
		k = style + 3*(style/len(palette)) // another marker when a colour comes again
	}
	return k % len(markers)
}

// baselineLine returns a thin grey line; the dashes depend on i.
func baselineLine(i int) draw.LineStyle {
	return draw.LineStyle{Color: grey, Width: 0.8, Dashes: [][]vg.Length{nil, {3, 2}, {1, 1.5}}[i%3]}
}

func sans(size vg.Length) font.Font {
	return font.Font{Typeface: "Liberation", Variant: "Sans", Size: size}
}

func style(size vg.Length, c color.Color, x draw.XAlignment, y draw.YAlignment) text.Style {
	return text.Style{Color: c, Font: sans(size), XAlign: x, YAlign: y, Handler: measured{plot.DefaultTextHandler}}
}

// measured keeps the sizes of texts: to measure one allocates kilobytes, and gonum/plot measures labels of axes many times.
type measured struct{ text.Handler }

type sized struct {
	text string
	font font.Font
}

var sizes sync.Map // from sized to [3]vg.Length

func (m measured) Box(txt string, fnt font.Font) (width, height, depth vg.Length) {
	known, ok := sizes.Load(sized{txt, fnt})
	if !ok {
		width, height, depth = m.Handler.Box(txt, fnt)
		known = [3]vg.Length{width, height, depth}
		sizes.Store(sized{txt, fnt}, known)
	}
	box := known.([3]vg.Length)
	return box[0], box[1], box[2]
}

// diamond is the glyph of a value that the paper prints: white with a dark outline.
func diamond(c draw.Canvas, at vg.Point, outline color.Color) {
	const r = 4.6
	corners := []vg.Point{{X: at.X, Y: at.Y + r}, {X: at.X + r, Y: at.Y}, {X: at.X, Y: at.Y - r}, {X: at.X - r, Y: at.Y}}
	outlined(&c, corners, draw.LineStyle{Color: outline, Width: 1.1})
}

func hex(c color.NRGBA) string { return fmt.Sprintf("#%02X%02X%02X", c.R, c.G, c.B) }
