package figure

import (
	"fmt"
	"image/color"

	xfont "golang.org/x/image/font"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// pdfCanvas corrects an error of vgpdf, which multiplies the alpha of a transparent colour in, so that bands are nearly
// black.
type pdfCanvas struct{ vg.Canvas }

func (c pdfCanvas) SetColor(clr color.Color) {
	if clr != nil {
		clr = straight(color.NRGBAModel.Convert(clr).(color.NRGBA))
	}
	c.Canvas.SetColor(clr)
}

// straight is a colour whose RGBA values are not multiplied by its alpha.
type straight color.NRGBA

func (s straight) RGBA() (r, g, b, a uint32) {
	return uint32(s.R) * 0x101, uint32(s.G) * 0x101, uint32(s.B) * 0x101, uint32(s.A) * 0x101
}

// asOutlines draws text as the outlines of its glyphs. vgpdf writes each character that is not ASCII as two wrong ones;
// vgimg leaves out characters that the font lacks, and takes more than twice as long.
type asOutlines struct{ vg.Canvas }

func (c asOutlines) FillString(face font.Face, pt vg.Point, text string) {
	if p := outlines(face, pt, text); len(p) > 0 {
		c.Fill(p)
	}
}

// outlines returns the path of a text whose baseline starts at pt.
func outlines(face font.Face, pt vg.Point, text string) (path vg.Path) {
	var buf sfnt.Buffer
	units := fixed.Int26_6(face.Face.UnitsPerEm()) // at this size, 1/64 pixel is a font unit
	scale := face.Font.Size / vg.Length(units)
	var advance fixed.Int26_6
	var previous sfnt.GlyphIndex
	for i, r := range text {
		glyph, err := face.Face.GlyphIndex(&buf, r)
		if err != nil {
			panic(fmt.Errorf("figure: glyph of %q: %w", r, err))
		}
		if i > 0 {
			if kern, err := face.Face.Kern(&buf, previous, glyph, units, xfont.HintingNone); err == nil {
				advance += kern
			}
		}
		segments, err := face.Face.LoadGlyph(&buf, glyph, units, nil)
		if err != nil {
			panic(fmt.Errorf("figure: outline of %q: %w", r, err))
		}
		at := func(p fixed.Point26_6) vg.Point {
			return vg.Point{X: pt.X + vg.Length(advance+p.X)*scale, Y: pt.Y - vg.Length(p.Y)*scale}
		}
		var here vg.Point
		for k, s := range segments {
			switch s.Op {
			case sfnt.SegmentOpMoveTo:
				if k > 0 {
					path.Close()
				}
				here = at(s.Args[0])
				path.Move(here)
			case sfnt.SegmentOpLineTo:
				here = at(s.Args[0])
				path.Line(here)
			case sfnt.SegmentOpQuadTo:
				// As a cubic, because PDF has no quadratic curves.
				q, end := at(s.Args[0]), at(s.Args[1])
				path.CubeTo(third(here, q), third(end, q), end)
				here = end
			case sfnt.SegmentOpCubeTo:
				end := at(s.Args[2])
				path.CubeTo(at(s.Args[0]), at(s.Args[1]), end)
				here = end
			}
		}
		if len(segments) > 0 {
			path.Close()
		}
		step, err := face.Face.GlyphAdvance(&buf, glyph, units, xfont.HintingNone)
		if err != nil {
			panic(fmt.Errorf("figure: width of %q: %w", r, err))
		}
		advance += step
		previous = glyph
	}
	return path
}

// third returns a cubic's control point, given an end and the control point of the quadratic.
func third(end, control vg.Point) vg.Point {
	return vg.Point{X: end.X + (control.X-end.X)*2/3, Y: end.Y + (control.Y-end.Y)*2/3}
}
