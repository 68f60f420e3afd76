package record

import (
	"bytes"
	"math"
	"strconv"
	"strings"
)

// stepReader reads steps in the form in which Encode writes most of them, in a third of the time that encoding/json and
// encoding again take: that was most of the time of commands that only read.
type stepReader struct {
	rest   []byte            // of the line
	other  bool              // the line has another form
	texts  map[string]string // texts of earlier lines, to have each in memory once
	values []float64         // of the last lists of numbers, one after the other
	buffer []byte

	points, recommendations, metrics int // lengths of the last lists, since most are as long as those before

	// Numbers read before: points are named as queries and as recommendations, and many counts are small.
	known [256]struct {
		text  []byte
		value float64
	}
}

// read returns the step of a line. If the line has another form, ok is false, s is of no use, and decodeLine may be able to
// read the line.
func (r *stepReader) read(line []byte) (s Step, ok bool) {
	r.rest, r.other = line, false
	r.skip(`{"kind":"step","t":`)
	s.Kind, s.T = "step", r.whole()
	r.skip(`,"points":[`)
	s.Points = list(r, &r.points, "]", r.numbers)
	r.skip(`,"new":`)
	s.New = r.whole()
	r.skip(`,"utility":`)
	s.Utility = r.numbers()
	r.skip(`,"winner":`)
	s.Winner = r.whole()
	r.skip(`,"true_log_likelihood":`)
	s.TrueLogLikelihood = r.number()
	r.skip(`,"recommendations":[`)
	s.Recommendations = list(r, &r.recommendations, "]", r.recommendation)
	if r.has(`,"metrics":{`) {
		s.Metrics = list(r, &r.metrics, "}", r.metric)
	}
	r.skip(`}`)
	return s, !r.other && len(r.rest) == 0
}

func (r *stepReader) recommendation() (c Recommendation) {
	r.skip(`{"rule":`)
	c.Rule = r.text()
	r.skip(`,"x":`)
	c.X = r.numbers()
	r.skip(`,"utility":`)
	c.Utility = r.number()
	r.skip(`}`)
	return c
}

func (r *stepReader) metric() (m Metric) {
	m.Name = r.text()
	r.skip(`:`)
	m.Value = r.number()
	return m
}

func (r *stepReader) numbers() []float64 {
	r.skip(`[`)
	if cap(r.values)-len(r.values) < 20 {
		r.values = make([]float64, 0, 200) // to append would copy all of them
	}
	from := len(r.values)
	for {
		r.values = append(r.values, r.number())
		if r.other || r.has("]") {
			return r.values[from:len(r.values):len(r.values)]
		}
		r.skip(`,`)
	}
}

// list reads elements up to the end. An empty list is another form.
func list[T any](r *stepReader, size *int, end string, of func() T) []T {
	all := make([]T, 0, *size)
	for {
		all = append(all, of())
		if r.other || r.has(end) {
			*size = len(all)
			return all
		}
		r.skip(`,`)
	}
}

// has reports whether a text comes next, and goes on after it.
func (r *stepReader) has(text string) bool {
	if len(r.rest) < len(text) || string(r.rest[:len(text)]) != text {
		return false
	}
	r.rest = r.rest[len(text):]
	return true
}

func (r *stepReader) skip(text string) { r.other = !r.has(text) || r.other }

// until returns what comes before the end of a text or number, which is one of the bytes.
func (r *stepReader) until(ends [3]byte) []byte {
	for n, c := range r.rest {
		if c == ends[0] || c == ends[1] || c == ends[2] {
			text := r.rest[:n]
			r.rest = r.rest[n:]
			return text
		}
	}
	r.other = true
	return nil
}

var endsOfNumber, endsOfText = [3]byte{',', ']', '}'}, [3]byte{'"', '"', '"'}

func (r *stepReader) whole() int {
	text := r.until(endsOfNumber)
	n, err := strconv.Atoi(string(text))
	r.buffer = strconv.AppendInt(r.buffer[:0], int64(n), 10)
	r.other = r.other || err != nil || !bytes.Equal(r.buffer, text)
	return n
}

// number reads a number that has the form of encoding/json.
func (r *stepReader) number() float64 {
	text := r.until(endsOfNumber)
	var last uint32 // digits: others come again
	for _, c := range text[max(0, len(text)-6):] {
		last = 37*last + uint32(c)
	}
	known := &r.known[last%uint32(len(r.known))]
	if len(text) > 0 && bytes.Equal(known.text, text) {
		return known.value
	}
	v, err := strconv.ParseFloat(string(text), 64)
	form := byte('f')
	if size := math.Abs(v); size != 0 && (size < 1e-6 || size >= 1e21) {
		form = 'e'
	}
	b := strconv.AppendFloat(r.buffer[:0], v, form, -1, 64)
	if n := len(b); form == 'e' && bytes.HasSuffix(b[:n-1], []byte("e-0")) {
		b = append(b[:n-2], b[n-1]) // 1e-7, not 1e-07
	}
	r.buffer = b
	if r.other = r.other || err != nil || !finite(v) || !bytes.Equal(b, text); !r.other {
		known.text, known.value = text, v
	}
	return v
}

// text reads a text that JSON has as it is.
func (r *stepReader) text() string {
	r.skip(`"`)
	text := r.until(endsOfText)
	r.skip(`"`)
	if known, ok := r.texts[string(text)]; ok {
		return known
	}
	s := string(text)
	r.other = r.other || strings.ContainsFunc(s, func(c rune) bool { return c < ' ' || c > '~' || strings.ContainsRune(`\<>&`, c) })
	if !r.other {
		r.texts[s] = s
	}
	return s
}
