package suite

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"popbench/algorithms"
	"popbench/internal/check"
	"popbench/space"
)

// tableOfArms returns arms without symmetries, in the given order, and f, which is largest at arm 4 of the first order.
func tableOfArms(t *testing.T, order []int) (*space.Arms, func(x []float64) float64) {
	t.Helper()
	f := func(x []float64) float64 { return 4 - 9*math.Pow(x[0]-0.62, 2) - 5*math.Pow(x[1]-0.31, 2) }
	r := rand.New(rand.NewPCG(1, 2))
	points := make([][]float64, 11)
	for i := range points {
		points[i] = []float64{r.Float64(), r.Float64()}
	}
	points[4] = []float64{0.6, 0.3}
	listed := make([][]float64, len(points))
	for i, at := range order {
		listed[i] = points[at]
	}
	a := check.Must(space.NewArms(listed))(t)
	return a, f
}

// playTable returns the queries and recommendations of ten steps on the table, after five duels that are the same in any
// order of the arms. The points of a query are sorted.
func playTable(t *testing.T, name string, order []int) (steps []string) {
	t.Helper()
	a, f := tableOfArms(t, order)
	settings := Catalogue{}.Settings(name)
	if text := map[string]string{
		"popbo": `{"kernel": {"lengthscale": [0.4]}}`,
		"sgp":   `{"initial_duels": 5}`, "qeubo": `{"initial_duels": 5}`, "exactkg": `{"initial_duels": 5}`, "dts": `{"initial_duels": 5}`, "challenger": `{"initial_duels": 5}`,
	}[name]; text != "" {
		check.OK(t, json.Unmarshal([]byte(text), settings))
	}
	arm := func(i int) []float64 { return a.At(slices.Index(order, i)) }
	setup := algorithms.Setup{Domain: a, Start: arm(0), Rand: rand.New(rand.NewPCG(3, 4)), Steps: 15}
	alg := check.Must(Catalogue{}.New(name, setup, settings))(t)
	for step := range 15 {
		q := algorithms.Query{Points: [][]float64{arm(2 * step % 11), arm((3*step + 1) % 11)}, New: 2}
		if step >= 5 {
			q = check.Must(alg.Ask())(t)
			rec := check.Must(alg.Recommend())(t)
			steps = append(steps, fmt.Sprint(slices.SortedFunc(slices.Values(q.Points), slices.Compare[[]float64]), rec[0].X))
		}
		check.OK(t, algorithms.CheckComparison(a, q, 0))
		tell(t, alg, q, f)
	}
	return steps
}

// tell answers a duel by f.
func tell(t *testing.T, alg algorithms.Algorithm, q algorithms.Query, f func(x []float64) float64) {
	t.Helper()
	values := []float64{f(q.Points[0]), f(q.Points[1])}
	if v, ok := alg.(algorithms.ValueLearner); ok {
		check.OK(t, v.TellValues(q, values[2-q.New:]))
	} else if values[1] > values[0] {
		check.OK(t, alg.Tell(q, 1))
	} else {
		check.OK(t, alg.Tell(q, 0))
	}
}

// Methods whose choices depend on the order of the arms, with the reason.
var ordered = map[string]string{
	"random": "it draws arms by their numbers",
	"dts":    "it draws f at the arms in their order",
}

// TestEveryMethodOnArms: every method takes steps on a table. Its choices depend on the arms, not on their order in the
// suite.
func TestEveryMethodOnArms(t *testing.T) {
	for _, name := range (Catalogue{}).Algorithms() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := playTable(t, name, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
			b := playTable(t, name, []int{7, 2, 9, 0, 5, 10, 1, 4, 8, 3, 6})
			if _, known := ordered[name]; slices.Equal(a, b) == known {
				t.Errorf("the order of arms matters: %t\n%s\n%s", !known, strings.Join(a, "\n"), strings.Join(b, "\n"))
			}
		})
	}
}
