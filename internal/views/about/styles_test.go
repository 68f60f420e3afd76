package about

import (
	"fmt"
	"testing"

	"popbench/internal/check"
	"popbench/internal/outcome"
	"popbench/internal/page/figure"
	"popbench/internal/views/report/reporttest"
	"popbench/record"
)

// An algorithm looks the same whichever others there are, and no two look the same.
func TestLooks(t *testing.T) {
	of := func(algorithms ...string) *outcome.Results {
		return collect(t, reporttest.Options{Problems: []string{"beale"}, Algorithms: algorithms, Runs: 2, Steps: 2}, func(*record.Header) {})
	}
	r := of("popbo", "qeubo", "sgp", "dts", "gpucb", "random")
	all := Styles(r)
	for _, some := range [][]string{{"popbo"}, {"random", "sgp"}, {"dts", "gpucb", "popbo", "qeubo"}} {
		for label, style := range Styles(of(some...)) {
			check.Equal(t, "style of "+label+" among fewer", style, all[label])
		}
	}
	// Other settings of an algorithm, some that are not known here, and rules of one method.
	for _, a := range []record.Algorithm{{Name: "popbo", Label: "B = 3"}, {Name: "mine", Label: "mine", Settings: []byte("7")}, {Name: "popbo", Label: "B = 96"},
		{Name: "yours", Label: "yours"}, {Name: "challenger", Label: "MUC", Settings: []byte(`{"rule":"muc"}`)}, {Name: "challenger", Label: "EIIG", Settings: []byte(`{"rule":"eiig"}`)}} {
		if r.Groups = append(r.Groups, &outcome.Group{Algorithm: a}); a.Name == "challenger" {
			all[a.Label], _ = Style(a.Name, a.Settings)
		}
	}
	owner := map[int]string{}
	for label, style := range Styles(r) {
		check.Equal(t, label+" looks like", owner[style], "")
		owner[style] = label
		want, ok := all[label]
		check.That(t, ok == declared(style) && (!ok || style == want), "%s has style %d beside others, %d without", label, style, want)
	}
	for label, style := range StylesOf([]string{"Random", "mine", "POP-BO"}) {
		want, ok := all[label]
		check.That(t, ok == declared(style) && (!ok || style == want), "%s has style %d where only labels are known, want %d", label, style, want)
	}
	// The values of a sweep look like steps of a scale, the other algorithm as ever.
	sweep := Styles(check.Must(outcome.Collect(reporttest.Swept()))(t))
	for k, label := range []string{"beta0=0.1", "beta0=1", "beta0=3", "beta0=10"} {
		at, n, ok := figure.Grade(sweep[label])
		check.Equal(t, "style of "+label, fmt.Sprint(at, n, ok), fmt.Sprint(k, 4, true))
	}
	check.Equal(t, "style of random search", sweep["Random"], all["Random"])
}
