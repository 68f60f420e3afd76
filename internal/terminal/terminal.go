// Package terminal says what the screen can show on which a stream is read: how wide it is, whether a line can be written
// anew, and colours.
package terminal

import (
	"io"
	"os"
	"strconv"

	"golang.org/x/term"
)

// Width of a screen that does not say how wide it is, and the smallest width that is believed.
const (
	usualWidth = 80
	leastWidth = 20
)

// Screen is the place where a stream is read.
type Screen struct {
	Width  int  // characters in a line; COLUMNS in the environment, if it is set, else the terminal's, else 80
	Live   bool // it is a terminal whose last line can be written anew
	colour bool
}

// Of returns the screen of a stream, which may be wrapped in writers with a method Unwrap. It has colours if it is a
// terminal that understands them and NO_COLOR is not set (https://no-color.org).
func Of(w io.Writer) Screen {
	for {
		wrapped, ok := w.(interface{ Unwrap() io.Writer })
		if !ok {
			break
		}
		w = wrapped.Unwrap()
	}
	s := Screen{Width: usualWidth}
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 0 { // 0 if nobody has set it
			s.Width = width
		}
		s.Live = os.Getenv("TERM") != "dumb"
		s.colour = s.Live && os.Getenv("NO_COLOR") == "" && understandsColours(f)
	}
	if width, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && width > 0 {
		s.Width = width
	}
	s.Width = max(s.Width, leastWidth)
	return s
}

// Style is how a word stands out, as a parameter of the escape sequence "select graphic rendition" of ECMA-48. The colours
// come from the terminal's own palette, which its user has chosen to be readable.
type Style string

// Styles.
const (
	Plain  Style = ""
	Bold   Style = "1"
	Red    Style = "31"
	Green  Style = "32"
	Yellow Style = "33"
)

// Paint returns text in a style, and unchanged where there are no colours.
func (s Screen) Paint(style Style, text string) string {
	if !s.colour || style == Plain || text == "" {
		return text
	}
	return "\x1b[" + string(style) + "m" + text + "\x1b[0m"
}

// Cut shortens text to most characters, of which the last is then an ellipsis.
func Cut(text string, most int) string {
	r := []rune(text)
	if len(r) <= most {
		return text
	}
	return string(r[:max(most-1, 0)]) + "…"
}
