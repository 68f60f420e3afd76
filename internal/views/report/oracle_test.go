package report

import (
	"fmt"
	"testing"

	"popbench/internal/check"
	"popbench/internal/views/report/reporttest"
	"popbench/record"
)

// The sheet of problems has the oracle where it is not the default one, with the scale that was computed.
func TestOracleInTheSheetOfProblems(t *testing.T) {
	text := func(change func(h *record.Header)) string {
		in := reporttest.Results(reporttest.Options{Problems: []string{"beale", "branin"}, Runs: 2, Steps: 3})
		for _, r := range in.Records {
			change(&r.Header)
		}
		sheet, _ := problems(mustCollect(t, in))
		return fmt.Sprintf("%+v", sheet)
	}
	check.Lacks(t, "default oracle", text(func(*record.Header) {}), "Oracle")
	check.Contains(t, "oracle", text(func(h *record.Header) {
		if h.Problem.Name == "beale" {
			h.Oracle = &record.Oracle{Model: "probit", Scale: 0.125, Calibration: &record.Calibration{ErrorRate: 0.2, On: "top-1%", Points: 1000, Pairs: 45}}
		}
	}), "Oracle", "Bradley–Terry–Luce", "0.125")
}
