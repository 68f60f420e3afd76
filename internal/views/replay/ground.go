package replay

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"html/template"
	"image"
	"image/color"
	"image/png"
	"math"
	"slices"
	"strconv"
	"strings"

	"popbench/record"
)

// The ground of a picture is f on the box: filled contours in two dimensions, a curve in one.

const (
	bands  = 12  // of a contour
	pixels = 260 // along a side of the image of a contour
)

// palette has a blue for each band, from dark for the smallest values to light for the largest: people with any colour
// vision can tell them apart, and warm colours on them. After the blues come the colour of contour lines and transparency.
var palette = func() (p color.Palette) {
	dark, light := [3]float64{38, 62, 98}, [3]float64{238, 244, 250}
	for i := range bands {
		var c [3]uint8
		for k := range c {
			c[k] = uint8(math.Round(dark[k] + (light[k]-dark[k])*float64(i)/(bands-1)))
		}
		p = append(p, color.NRGBA{c[0], c[1], c[2], 255})
	}
	return append(p, color.NRGBA{94, 122, 158, 255}, color.NRGBA{})
}()

const (
	contourLine = bands
	nothing     = bands + 1
)

// shade says to which band a value belongs: bands have equal widths in f or, where most of the box is close to the largest
// value, in the logarithm of the loss to it.
type shade struct {
	lo, hi float64 // of f
	least  float64 // loss from which the logarithm counts; 0 for a linear shade
}

// logFrom is the median loss, as a share of the largest one, below which the shade is logarithmic. Linear bands would then
// show half of the box as one colour.
const logFrom = 1.0 / bands

func newShade(values []float64) shade {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	s := shade{lo: sorted[0], hi: sorted[n-1]}
	if most := s.hi - s.lo; s.hi-sorted[n/2] < logFrom*most {
		s.least = max(s.hi-sorted[n-1-n/50], 1e-6*most)
	}
	return s
}

func (s shade) band(f float64) uint8 {
	share := (f - s.lo) / (s.hi - s.lo)
	if s.least > 0 {
		share = 1 - math.Log(max(s.hi-f, s.least)/s.least)/math.Log((s.hi-s.lo)/s.least)
	}
	if !(share > 0) { // also if all values are the same
		return 0
	}
	return uint8(min(share*bands, bands-1))
}

// About is a sentence on the shade.
func (s shade) About() string {
	text := fmt.Sprintf("Shading: f from %s (dark) to %s (light), in %d steps", number(s.lo, shownDigits), number(s.hi, shownDigits), bands)
	if s.least > 0 {
		text += " that are equal in the logarithm of the regret, because f has a few very low values"
	}
	return text + "."
}

// contour returns the picture of a grid in two dimensions as the address of a PNG image, and its shade.
func contour(g *record.Grid) (address string, s shade) {
	img := image.NewPaletted(image.Rect(0, 0, pixels, pixels), palette)
	if g.Header.Arms != nil {
		s = arms(img, g)
	} else {
		s = newShade(slices.Concat(g.Values...))
		// The image is a little finer than the grid, which is continued linearly between its points.
		at := func(px, py int) uint8 {
			u := (float64(px) + 0.5) / pixels * float64(g.Header.Shape[0]-1)
			v := (pixels - float64(py) - 0.5) / pixels * float64(g.Header.Shape[1]-1)
			i, j := int(u), int(v)
			u, v = u-float64(i), v-float64(j)
			a, b := g.Values[i], g.Values[i+1]
			return s.band((1-u)*((1-v)*a[j]+v*a[j+1]) + u*((1-v)*b[j]+v*b[j+1]))
		}
		for k := range img.Pix {
			img.Pix[k] = at(k%pixels, k/pixels)
		}
		for k, band := range img.Pix { // from the top left: what is on the right and below has its band yet
			if k%pixels+1 < pixels && img.Pix[k+1] != band || k+pixels < len(img.Pix) && img.Pix[k+pixels] != band {
				img.Pix[k] = contourLine
			}
		}
	}
	var b bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestCompression}
	if err := encoder.Encode(&b, img); err != nil {
		panic(fmt.Sprintf("replay: %v", err)) // a buffer takes all
	}
	return "data:image/png;base64," + base64.StdEncoding.EncodeToString(b.Bytes()), s
}

// arms paints a disc for each arm, as large as the distance of as many arms in a regular grid.
func arms(img *image.Paletted, g *record.Grid) shade {
	var values []float64
	for _, row := range g.Values {
		values = append(values, row[2])
	}
	s := newShade(values)
	for k := range img.Pix {
		img.Pix[k] = nothing
	}
	h := &g.Header
	radius := max(0.4*pixels/math.Sqrt(float64(len(values))), 3)
	for _, row := range g.Values {
		cx, cy := part(row[0], h.Lo[0], h.Hi[0])*pixels, (1-part(row[1], h.Lo[1], h.Hi[1]))*pixels
		for py := max(0, int(cy-radius)); py < min(pixels, int(cy+radius)+1); py++ {
			for px := max(0, int(cx-radius)); px < min(pixels, int(cx+radius)+1); px++ {
				switch from := math.Hypot(float64(px)+0.5-cx, float64(py)+0.5-cy); {
				case from <= radius-1:
					img.SetColorIndex(px, py, s.band(row[2]))
				case from <= radius:
					img.SetColorIndex(px, py, contourLine)
				}
			}
		}
	}
	return s
}

// curve returns the path of a grid in one dimension, in units of the frame.
func curve(g *record.Grid, lo, hi float64) string {
	var b strings.Builder
	if g.Header.Arms != nil {
		for _, row := range g.Values {
			fmt.Fprintf(&b, "M%d %dh0", place(row[0], g.Header.Lo[0], g.Header.Hi[0]), place(row[1], lo, hi))
		}
		return b.String()
	}
	for j, f := range g.Values[0] {
		letter := 'L'
		if j == 0 {
			letter = 'M'
		}
		fmt.Fprintf(&b, "%c%d %d", letter, unit*j/(len(g.Values[0])-1), place(f, lo, hi))
	}
	return b.String()
}

// part is where v is between lo and hi, from 0 to 1.
func part(v, lo, hi float64) float64 { return (v - lo) / (hi - lo) }

// unit is the length of a side of a frame in the data. Places are whole numbers.
const unit = 10000

func place(v, lo, hi float64) int { return int(math.Round(unit * part(v, lo, hi))) }

// number is v as text, as the page's script writes it.
func number(v float64, digits int) string {
	text, err := json.Marshal(round(v, digits)) // as JavaScript has it
	if err != nil {
		return "—"
	}
	return strings.NewReplacer("e+", "e", "-", "−").Replace(string(text))
}

// round returns v with a number of significant digits.
func round(v float64, digits int) float64 {
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'g', digits, 64), 64)
	return rounded
}

// shownDigits are the significant digits of values.
const shownDigits = 3

// Ground draws f on a grid of a box: in two dimensions an image, in one a curve. It returns a sentence on what that shows.
func Ground(g *record.Grid, title string) (picture template.HTML, about string) {
	title = html.EscapeString(title)
	if len(g.Header.Lo) == 2 {
		address, s := contour(g)
		// The address is of our image.
		return template.HTML(fmt.Sprintf(`<img alt="Contours of %s" width="%d" height="%d" src="%s"/>`, title, pixels, pixels, address)), s.About()
	}
	lo, hi := slices.Min(g.Values[0]), slices.Max(g.Values[0])
	if !(lo < hi) {
		hi = lo + 1
	}
	return template.HTML(fmt.Sprintf(`<svg role="img" aria-label="Curve of %s" width="%d" height="%d" viewBox="-100 -100 %d %d" preserveAspectRatio="none">`+
			`<path transform="matrix(1 0 0 -1 0 %d)" d="%s"/></svg>`,
			title, 2*pixels, pixels, unit+200, unit+200, unit, curve(g, lo, hi))),
		fmt.Sprintf("Curve: f from %s to %s.", number(lo, shownDigits), number(hi, shownDigits))
}
