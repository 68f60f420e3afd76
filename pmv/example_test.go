package pmv_test

import (
	"fmt"

	"popbench/pmv"
)

func ExampleCompute() {
	office := pmv.Input{
		AirTempC: 22, RadiantTempC: 22, AirSpeedMps: 0.1, HumidityPercent: 60,
		MetabolicRateMet: 1.2, ClothingClo: 0.5, // seated work, light summer clothes
	}
	r, err := pmv.Compute(office)
	fmt.Printf("PMV %.2f, %.0f %% dissatisfied, error %v\n", r.PMV, r.PPDPercent, err)

	office.AirTempC, office.HumidityPercent = 35, 40
	_, err = pmv.Compute(office)
	fmt.Println(err)
	// Output:
	// PMV -0.75, 17 % dissatisfied, error <nil>
	// pmv: AirTempC = 35 has to be 10 to 30 °C, by the limits of ISO 7730; Evaluate accepts more
}

func ExampleEvaluate() {
	r, err := pmv.Evaluate(pmv.Input{
		AirTempC: 20, RadiantTempC: 25, AirSpeedMps: 1, HumidityPercent: 50,
		MetabolicRateMet: 1.2, ClothingClo: 0.5,
	})
	fmt.Printf("PMV %.2f, error %v; %v\n", r.PMV, err, r.Beyond)
	// Output: PMV -2.52, error <nil>; PMV beyond -2 to 2
}
