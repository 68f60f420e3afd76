package report

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"popbench/internal/check"
	"popbench/internal/outcome"
	"popbench/internal/page/chart"
	"popbench/internal/views/charting"
	"popbench/internal/views/report/reporttest"
)

// swept is a suite of POP-BO with other values of beta0, and random search.
func swept(problems ...string) *reporttest.Folder {
	in := reporttest.Results(reporttest.Options{Problems: problems, Algorithms: []string{"popbo", "a", "b", "c", "random"}, Runs: 7, Steps: 5, Paper: "none"})
	for _, r := range in.Records {
		a := &r.Header.Algorithm
		k := strings.Index("abc", a.Name)
		if a.Name == "random" {
			continue
		}
		a.Name, a.Label = "popbo", fmt.Sprintf("beta0=%g", []float64{1, 10, 0.1, 3}[k+1])
		a.Settings = json.RawMessage(fmt.Sprintf(`{"beta":{"beta0":%s}}`, strings.TrimPrefix(a.Label, "beta0=")))
		r.Header.Cell = r.Header.Problem.Name + "/" + a.Label + fmt.Sprintf("/%03d", r.Header.Repetition)
	}
	return in
}

func TestDose(t *testing.T) {
	check.Sequential(t)
	in := swept("branin", "levy13")
	r := mustCollect(t, in)
	table := outcome.NewTable(r)
	doses := charting.Doses(table, r.Headline, charting.OfMetric(charting.Of(table, outcome.Curves(r)), outcome.Suboptimality))
	check.Equal(t, "figures", len(doses), 2)
	for i := range doses {
		d := &doses[i]
		check.Equal(t, "labels", fmt.Sprint(d.Sweep.Labels), "[beta0=0.1 beta0=1 beta0=3 beta0=10]")
		check.Equal(t, "values", fmt.Sprint(d.Sweep.Values), "[0.1 1 3 10]")
		check.Equal(t, "the axis is logarithmic", d.LogX, true)
		for k, label := range d.Sweep.Labels {
			var final []float64
			for _, rec := range in.Records {
				if rec.Header.Problem.Name == d.Problem && rec.Header.Algorithm.Label == label {
					final = append(final, *rec.Header.Problem.Optimum-rec.Steps[4].Recommendations[0].Utility)
				}
			}
			mean, _ := reporttest.Moments(final)
			close(t, "mean of "+label, d.Lines[0].Points[k].Mean, mean)
		}
		check.Equal(t, "baselines", d.Baselines[0].Label+", "+d.Baselines[1].Label, "random point, best of 6 random")
	}
	check.Contains(t, "caption", chart.DoseCaption(doses).String(), "after 5 steps on 2 problems, by beta.beta0: mean over 7 runs", "Lower is better.")
	check.Contains(t, "alternative text", chart.DoseAlt(doses), "Branin: at 0.1 ", "; at 10 ")
	lines := strings.Split(strings.TrimSpace(string(rendered(t, func(w io.Writer) error { return WriteDosesCSV(w, doses) }))), "\n")
	check.Equal(t, "lines of the numbers", len(lines), 1+2*4)
	check.Contains(t, "head", lines[0], "problem,metric,setting,value,label,runs,mean,")
	check.Contains(t, "first line", lines[1], "branin,suboptimality,beta.beta0,0.1,beta0=0.1,7,")

	// The values look like steps of a scale, the other algorithm as ever.
	styles := charting.Styles(r)
	for k, label := range doses[0].Sweep.Labels {
		at, n, ok := chart.Grade(styles[label])
		check.Equal(t, "style of "+label, fmt.Sprint(at, n, ok), fmt.Sprint(k, 4, true))
	}
	check.Equal(t, "style of random search", styles["Random"], 6)

	none := outcome.NewTable(mustCollect(t, reporttest.Results(reporttest.Options{Problems: []string{"branin"}, Algorithms: []string{"popbo", "random"}, Runs: 2, Steps: 2})))
	if d := charting.Doses(none, none.Headline, nil); d != nil {
		t.Errorf("a suite without a sweep has %d figures of one", len(d))
	}
}
