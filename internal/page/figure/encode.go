package figure

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"html"
	"html/template"
	"image"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"

	"git.sr.ht/~sbinet/gg"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgpdf"
	"gonum.org/v1/plot/vg/vgsvg"

	"popbench/internal/page/document"
	"popbench/internal/words"
)

// PixelsPerInch of a PNG: what journals ask for. Only tests change it, as drawing pixels takes most of a report's time.
var PixelsPerInch = 300.0

// onPaper returns a canvas after filling it.
func (f *Figure) onPaper(c vg.Canvas) draw.Canvas {
	dc := draw.NewCanvas(c, f.Width, f.Height)
	dc.FillPolygon(paper, []vg.Point{{}, {X: f.Width}, {X: f.Width, Y: f.Height}, {Y: f.Height}})
	return dc
}

// outline draws with text as outlines.
func (f *Figure) outline(c vg.Canvas) {
	f.once.Do(func() { f.draw(draw.NewCanvas(asOutlines{&f.shapes}, f.Width, f.Height)) })
	for _, a := range f.shapes.Actions { // ReplayOn would read fonts
		a.ApplyTo(c)
	}
}

// must panics at an error of writing to memory, which takes everything.
func (f *Figure) must(err error) {
	if err != nil {
		panic(fmt.Errorf("figure %s: %w", f.Name, err))
	}
}

// raster has pixels and the state of a compressor, which are too many bytes to make and to collect for each figure. All
// pixels are white before something is drawn.
type raster struct {
	image.RGBA
	z    *zlib.Writer
	file bytes.Buffer
}

// rasters are as many as are drawn at a time. The garbage collector would empty a pool.
var rasters = sync.OnceValue(func() chan *raster {
	all := make(chan *raster, runtime.GOMAXPROCS(0))
	for range cap(all) {
		z, _ := zlib.NewWriterLevel(nil, zlib.BestSpeed) // knows the level
		all <- &raster{z: z}
	}
	return all
})

// PNG returns the figure as a PNG file, which says how many pixels an inch has, so that it prints as large as the PDF.
func (f *Figure) PNG() []byte {
	pixels := func(length vg.Length) int { return int(length.Points()/72*PixelsPerInch + 0.5) }
	img := <-rasters()
	defer func() { rasters() <- img }()
	img.Rect = image.Rect(0, 0, pixels(f.Width), pixels(f.Height))
	img.Stride = 4 * img.Rect.Dx()
	img.Pix = slices.Grow(img.Pix[:0], img.Stride*img.Rect.Dy())[:img.Stride*img.Rect.Dy()]
	g := gg.NewContextForRGBA(&img.RGBA) // vgimg would make two images, and copy one to the other
	g.SetLineCapButt()
	g.InvertY()
	c := vgimg.NewWith(vgimg.UseDPI(int(PixelsPerInch)), vgimg.UseImageWithContext(&img.RGBA, g)) // on white, as paper is
	f.outline(c)
	return img.encode()
}

// encode returns an opaque image as a PNG file (PNG, third edition, sec. 5 and 11). image/png has no switch for its
// filters of rows, which take longer than all else, and make most figures larger.
func (img *raster) encode() []byte {
	big := binary.BigEndian
	file := []byte("\x89PNG\r\n\x1a\n")
	add := func(kind string, data []byte) {
		file = big.AppendUint32(file, uint32(len(data)))
		file = append(append(file, kind...), data...)
		file = big.AppendUint32(file, crc32.ChecksumIEEE(file[len(file)-len(kind)-len(data):]))
	}
	width, height := img.Rect.Dx(), img.Rect.Dy()
	size := big.AppendUint32(big.AppendUint32(nil, uint32(width)), uint32(height))
	add("IHDR", append(size, 8, 2, 0, 0, 0)) // bits of a channel; red, green and blue; the only methods; not interlaced
	perMetre := uint32(math.Round(PixelsPerInch / 0.0254))
	add("pHYs", append(big.AppendUint32(big.AppendUint32(nil, perMetre), perMetre), 1)) // the unit is the metre
	img.file.Reset()
	img.z.Reset(&img.file)
	row := make([]byte, 1+3*width+1) // after a zero: without a filter
	for y := range height {
		to := row[1:]
		for of := img.Pix[y*img.Stride:][:4*width]; len(of) >= 4; of = of[4:] {
			binary.LittleEndian.PutUint32(to, binary.LittleEndian.Uint32(of)) // the next pixel overwrites the fourth byte
			to = to[3:]
		}
		img.z.Write(row[:1+3*width]) // to memory: without errors
	}
	img.z.Close()
	add("IDAT", img.file.Bytes())
	add("IEND", nil)
	return file
}

// pdfDate is a date in a PDF. Another date of the same length keeps the file's cross references valid.
var pdfDate = words.Pattern(`/(CreationDate|ModDate) \(D:\d{14}\)`)

// PDF returns the figure as a PDF file of one page. Text is drawn as outlines.
func (f *Figure) PDF() []byte {
	c := vgpdf.New(f.Width, f.Height)
	f.outline(f.onPaper(pdfCanvas{c}))
	var b bytes.Buffer
	_, err := c.WriteTo(&b)
	f.must(err)
	return pdfDate().ReplaceAll(b.Bytes(), []byte("/$1 (D:20000101000000)"))
}

// svgCanvas records the widths of the texts that it draws, in their order.
type svgCanvas struct {
	*vgsvg.Canvas
	widths []vg.Length
}

func (c *svgCanvas) FillString(face font.Face, pt vg.Point, text string) {
	c.widths = append(c.widths, face.Width(text))
	c.Canvas.FillString(face, pt, text)
}

// SVG returns the figure as an SVG file. A text is as wide as it was measured, whatever font a reader has.
func (f *Figure) SVG() []byte {
	head, rest := f.svg(func(c vg.Canvas) { f.draw(f.onPaper(c)) })
	// Without a title a screen reader would read the tick labels aloud.
	return fmt.Appendf(nil, `%s role="img" aria-label="%s">%s`, head, html.EscapeString(f.Alt), rest)
}

// svg returns the file up to the end of the first tag of the <svg> element, and what follows that tag.
func (f *Figure) svg(render func(vg.Canvas)) (head, rest string) {
	c := &svgCanvas{Canvas: vgsvg.New(f.Width, f.Height)}
	render(c)
	var b, sized strings.Builder
	_, err := c.WriteTo(&b)
	f.must(err)
	const inText = ` transform="scale(1, -1)"`
	for i, part := range strings.Split(b.String(), inText) {
		if i > 0 {
			fmt.Fprintf(&sized, `%s textLength="%.5g" lengthAdjust="spacingAndGlyphs"`, inText, c.widths[i-1].Points())
		}
		sized.WriteString(part)
	}
	s := svgFonts.Replace(sized.String())
	at := strings.Index(s, "<svg")
	end := at + strings.Index(s[at:], ">")
	return s[:end], s[end+1:]
}

// svgFonts drops default attributes, and names fonts with the same widths for readers without the Liberation fonts.
var svgFonts = strings.NewReplacer(
	"font-family:Liberation Sans;font-variant:normal;font-weight:normal;font-style:normal",
	"font-family:'Liberation Sans',Arial,Helvetica,sans-serif",
	"<!-- Generated by SVGo and Plotinum VG -->\n", "")

// Inline returns the figure as an <svg> element for an HTML page, as wide as its container, on the ground of the page.
// Colours are custom properties, which InlineCSS sets for dark pages.
func (f *Figure) Inline() template.HTML {
	_, body := f.svg(func(c vg.Canvas) { f.draw(draw.NewCanvas(c, f.Width, f.Height)) })
	about := fmt.Sprintf(`role="img" aria-label="%s"`, html.EscapeString(f.Alt))
	if f.Alt == "" {
		about = `aria-hidden="true"` // decorative
	}
	head := fmt.Sprintf(`<svg viewBox="0 0 %g %g" %s>`, f.Width.Points(), f.Height.Points(), about)
	// The page's style sheet sets the font.
	body = strings.ReplaceAll(body, "font-family:'Liberation Sans',Arial,Helvetica,sans-serif;", "")
	return template.HTML(head + inlineColours.Replace(joinStrokes(body)))
}

var strokePath = words.Pattern(`^<path d="([^"]*)" style="(fill:none;[^"]*)" />$`)

// joinStrokes makes one path of consecutive strokes of one opaque style: most of a figure is the style of its short lines.
func joinStrokes(s string) string {
	var lines []string
	style := "" // of the last line, if that is such a stroke
	for line := range strings.Lines(s) {
		m := strokePath().FindStringSubmatch(strings.TrimSuffix(line, "\n"))
		switch {
		case m == nil || strings.Contains(m[2], "opacity"):
			style = ""
		case m[2] == style:
			last := &lines[len(lines)-1]
			at := strings.Index(*last, `" style="`)
			*last = (*last)[:at] + m[1] + (*last)[at:]
			continue
		default:
			style = m[2]
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "")
}

// OnPage returns the figure for a page, where it has an ID.
func (f *Figure) OnPage(id string) document.Figure {
	return document.Figure{ID: id, SVG: f.Inline(), Caption: f.Caption, Wide: f.Width > narrow}
}

// narrow is the width, in points, of figures that a phone can show whole.
const narrow = 400

// InlineCSS is the style sheet of inline figures.
var InlineCSS = template.CSS(`svg{--fig-font:"Liberation Sans",Arial,Helvetica,sans-serif}
svg text{font-family:var(--fig-font)}
@media screen and (prefers-color-scheme:dark){svg{--fig-paper:#16181c;--fig-ink:#e8e8e8;--fig-grey:#a9adb3;--fig-rule:#33373d;--fig-0:#4aa3e0;--fig-1:#ff8a3d;--fig-2:#2fc79b;--fig-3:#e39ac6;--fig-4:#f0b93a;--fig-5:#8fd0f5;--fig-6:#c4c4c4;--fig-7:#cf9a5e` + shadesOnDark() + `}
svg path[style*=fill-opacity]{fill-opacity:.28!important}
svg path[style*="fill-opacity:0.10"]{fill-opacity:.16!important}}
`)

func shadesOnDark() string {
	var b strings.Builder
	for i, c := range gradesOnDark {
		fmt.Fprintf(&b, ";--fig-g%d:%s", i, hex(c))
	}
	return b.String()
}

var inlineColours = func() *strings.Replacer {
	pairs := []string{hex(paper), "var(--fig-paper," + hex(paper) + ")", hex(ink), "var(--fig-ink," + hex(ink) + ")",
		hex(grey), "var(--fig-grey," + hex(grey) + ")", hex(rule), "var(--fig-rule," + hex(rule) + ")"}
	for i, c := range palette {
		pairs = append(pairs, hex(c), fmt.Sprintf("var(--fig-%d,%s)", i, hex(c)))
	}
	for i, c := range grades {
		pairs = append(pairs, hex(c), fmt.Sprintf("var(--fig-g%d,%s)", i, hex(c)))
	}
	return strings.NewReplacer(pairs...)
}()
