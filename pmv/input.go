package pmv

import "popbench/internal/math/fmath"

// Input describes a room and a person in it. The name of each field ends in its unit.
type Input struct {
	AirTempC     float64 // °C
	RadiantTempC float64 // mean radiant temperature, °C
	AirSpeedMps  float64 // m/s, relative to the body: higher than the room's if the person moves

	// Give humidity in one of these fields and leave the other 0. Both 0 means dry air.
	HumidityPercent  float64 // relative humidity, %
	VapourPressurePa float64 // partial pressure of water vapour, Pa

	MetabolicRateMet float64 // 1 met = 58.15 W per m² of skin: seated, relaxed
	ExternalWorkMet  float64 // mechanical work, a part of the metabolic rate; 0 for most activities
	ClothingClo      float64 // insulation of the clothing, 1 clo = 0.155 m²K/W: a business suit
}

// SaturationPressurePa returns the pressure of saturated water vapour, Pa, by ISO 7730 Annex D.
func SaturationPressurePa(airTempC float64) float64 {
	return 1000 * fmath.Exp(16.6536-4030.183/(airTempC+235))
}

func (in *Input) vapourPressure() float64 {
	if in.HumidityPercent == 0 {
		return in.VapourPressurePa
	}
	return in.HumidityPercent / 100 * SaturationPressurePa(in.AirTempC)
}

const insulationPerClo = 0.155 // m²K/W
