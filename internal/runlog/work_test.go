package runlog

import "testing"

func TestIsWork(t *testing.T) {
	for name, want := range map[string]bool{
		"newton": true, "fit_evaluations": true, "failures": true,
		"beta": false, "max_gap": false, "lengthscale_1": false, "networks": false, "evaluations_2": false, "subsolves": false, "": false,
	} {
		if IsWork(name) != want {
			t.Errorf("IsWork(%q) = %v", name, !want)
		}
	}
}
