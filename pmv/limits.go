package pmv

import (
	"errors"
	"fmt"
	"math"
	"strings"
)

// Limits is a set of limits of ISO 7730:2005, Clause 4.1.
type Limits uint8

const (
	AirTemp        Limits = 1 << iota // 10 to 30 °C
	RadiantTemp                       // 10 to 40 °C
	AirSpeed                          // 0 to 1 m/s
	VapourPressure                    // 0 to 2700 Pa
	MetabolicRate                     // 0.8 to 4 met
	Clothing                          // 0 to 2 clo
	Vote                              // PMV -2 to 2
)

// quantity is a number with limits. Outside the physical range no person could be in the room; most
// likely the number is in another unit.
type quantity struct {
	name, unit         string
	physical, standard span
	limit              Limits
}

type span struct{ lo, hi float64 }

// has reports whether v is in the span. A NaN is not.
func (s span) has(v float64) bool { return v >= s.lo && v <= s.hi }

var (
	anything = span{math.Inf(-1), math.Inf(1)}

	// inputs are in the order of Input.values.
	inputs = [...]quantity{
		{"AirTempC", "°C", span{-100, 100}, span{10, 30}, AirTemp},
		{"RadiantTempC", "°C", span{-100, 200}, span{10, 40}, RadiantTemp},
		{"AirSpeedMps", "m/s", span{0, 100}, span{0, 1}, AirSpeed},
		{"HumidityPercent", "%", span{0, 100}, anything, 0},
		{"VapourPressurePa", "Pa", span{0, 1e6}, span{0, 2700}, VapourPressure},
		{"MetabolicRateMet", "met", span{0.1, 25}, span{0.8, 4}, MetabolicRate},
		{"ExternalWorkMet", "met", span{0, 25}, anything, 0},
		{"ClothingClo", "clo", span{0, 10}, span{0, 2}, Clothing},
	}
	vote = quantity{"PMV", "", anything, span{-2, 2}, Vote}
)

func (in *Input) values() [len(inputs)]float64 {
	return [...]float64{
		in.AirTempC, in.RadiantTempC, in.AirSpeedMps, in.HumidityPercent,
		in.VapourPressurePa, in.MetabolicRateMet, in.ExternalWorkMet, in.ClothingClo,
	}
}

// Validate returns an error that names all unphysical fields or, if there are none, all fields
// beyond the limits of ISO 7730.
func (in Input) Validate() error {
	if err := in.checkPhysical(); err != nil {
		return err
	}
	in.VapourPressurePa = in.vapourPressure()
	var wrong []string
	for i, v := range in.values() {
		if q := inputs[i]; !q.standard.has(v) {
			wrong = append(wrong, q.complaint(v, q.standard))
		}
	}
	if wrong == nil {
		return nil
	}
	return fmt.Errorf("pmv: %s, by the limits of ISO 7730; Evaluate accepts more", strings.Join(wrong, "; "))
}

// checkPhysical returns an error if no such room or person can exist.
func (in *Input) checkPhysical() error {
	var wrong []string
	for i, v := range in.values() {
		if q := &inputs[i]; !q.physical.has(v) {
			wrong = append(wrong, q.complaint(v, q.physical))
		}
	}
	if wrong != nil {
		return errors.New("pmv: " + strings.Join(wrong, "; "))
	}
	if in.VapourPressurePa > 0 {
		if in.HumidityPercent > 0 {
			return fmt.Errorf("pmv: HumidityPercent = %g and VapourPressurePa = %g are both given; leave one of them 0",
				in.HumidityPercent, in.VapourPressurePa)
		}
		// Formulas for saturation differ by less than 1 %.
		if most := SaturationPressurePa(in.AirTempC); in.VapourPressurePa > 1.01*most {
			return fmt.Errorf("pmv: VapourPressurePa = %g has to be 0 to %.0f, where air of %g °C is saturated", in.VapourPressurePa, most, in.AirTempC)
		}
	}
	if in.ExternalWorkMet > in.MetabolicRateMet {
		return fmt.Errorf("pmv: ExternalWorkMet = %g has to be 0 to MetabolicRateMet = %g, of which it is a part", in.ExternalWorkMet, in.MetabolicRateMet)
	}
	return nil
}

func (q quantity) complaint(v float64, s span) string {
	return fmt.Sprintf("%s = %.6g has to be %g to %g %s", q.name, v, s.lo, s.hi, q.unit)
}

// beyond returns the limits that the input exceeds if its vapour pressure is pa.
func (in Input) beyond(pa float64) Limits {
	in.VapourPressurePa = pa
	var l Limits
	for i, v := range in.values() {
		if q := &inputs[i]; !q.standard.has(v) {
			l |= q.limit
		}
	}
	return l
}

// String lists the limits, or returns "none".
func (l Limits) String() string {
	var texts []string
	for _, q := range append(inputs[:], vote) {
		if l&q.limit != 0 {
			texts = append(texts, strings.TrimSpace(fmt.Sprintf("%s beyond %g to %g %s", q.name, q.standard.lo, q.standard.hi, q.unit)))
		}
	}
	if texts == nil {
		return "none"
	}
	return strings.Join(texts, "; ")
}
