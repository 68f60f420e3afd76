package limits_test

import (
	"fmt"
	"math"
	"reflect"
	"testing"

	"popbench/internal/check"
	"popbench/internal/limits"
)

type settings struct {
	Count  int       `json:"count" min:"1" max:"9"`
	Share  float64   `json:"share,omitempty" min:"0" max:"1e12"`
	Seed   uint64    `json:"seed" max:"9007199254740991"`
	Scales []float64 `json:"scales" max:"3" itemMin:"1e-3" itemMax:"10"`
	Inner  inner     `json:"inner"`
	Text   string    `json:"text" min:"1"`
	Color  string    `json:"color" enum:"red,green,blue"`
	Shape  string    `json:"shape,omitempty" enum:"round,flat"`
	Free   float64   `json:"free"`
	Bound  *float64  `json:"bound" min:"0"` // nil if none is given
	All    []inner   `json:"all" max:"2"`
	hidden int       `min:"1"` // no file can contain it
}

type inner struct {
	Low float64 `json:"low" min:"-1"`
}

func TestCheck(t *testing.T) {
	good := settings{Count: 1, Share: 1e12, Seed: 1<<53 - 1, Scales: []float64{1e-3, 10}, Inner: inner{-1}, Color: "green", Free: math.NaN(), hidden: 0}
	check.OK(t, limits.Check("", good))
	for want, change := range map[string]func(*settings){
		"count = 0 is out of range; give 1 to 9":                                                  func(s *settings) { s.Count = 0 },
		"count = 10 is out of range; give 1 to 9":                                                 func(s *settings) { s.Count = 10 },
		"share = NaN is out of range; give 0 to 1e12":                                             func(s *settings) { s.Share = math.NaN() },
		"share = +Inf is out of range; give 0 to 1e12":                                            func(s *settings) { s.Share = math.Inf(1) },
		"share = -1e-300 is out of range; give 0 to 1e12":                                         func(s *settings) { s.Share = -1e-300 },
		"seed = 9007199254740992 is out of range; give 9007199254740991 at most":                  func(s *settings) { s.Seed = 1 << 53 },
		"scales has 4 entries; give 3 at most":                                                    func(s *settings) { s.Scales = []float64{1, 1, 1, 1} },
		"scales[1] = 11 is out of range; give 1e-3 to 10":                                         func(s *settings) { s.Scales[1] = 11 },
		"bound = -1 is out of range; give 0 or more":                                              func(s *settings) { s.Bound = new(-1.0) },
		"all[1].low = -3 is out of range; give -1 or more":                                        func(s *settings) { s.All = []inner{{0}, {-3}} },
		"inner.low = -2 is out of range; give -1 or more":                                         func(s *settings) { s.Inner.Low = -2 },
		`color = "" is unknown; give red, green or blue`:                                          func(s *settings) { s.Color = "" },
		`shape = "Flat" is unknown; give round or flat`:                                           func(s *settings) { s.Shape = "Flat" },
		"count = 0 is out of range; give 1 to 9\ninner.low = -2 is out of range; give -1 or more": func(s *settings) { s.Count, s.Inner.Low = 0, -2 },
	} {
		s := good
		s.Scales = []float64{1e-3, 10}
		change(&s)
		check.Equal(t, "error", fmt.Sprint(limits.Check("", s)), want)
	}
	check.Equal(t, "with a path", fmt.Sprint(limits.Check("kernel", inner{-2})), "kernel.low = -2 is out of range; give -1 or more")
}

func TestRange(t *testing.T) {
	for tag, want := range map[reflect.StructTag]string{`min:"1" max:"2"`: "1 to 2", `min:"1"`: "1 or more", `max:"2"`: "2 at most", ``: ""} {
		check.Equal(t, string(tag), limits.Of(tag).String(), want)
	}
	r := limits.OfItems(`itemMin:"1" itemMax:"2"`)
	check.Equal(t, "range of items", r, limits.Range{Min: "1", Max: "2"})
	check.Equal(t, "2 and 3 are above, 1 and 0 below", [4]bool{r.Above(2), r.Above(3), r.Below(1), r.Below(0)}, [4]bool{false, true, false, true})
	defer func() {
		if recover() == nil {
			t.Error("a tag that is no number is not noticed")
		}
	}()
	limits.Range{Min: "one"}.Holds(1)
}
