package paper

import (
	_ "embed"
	"encoding/csv"
	"strconv"
	"strings"
	"sync"
)

// Fauvel cites the paper of [FauvelScores].
const Fauvel = "T. Fauvel, M. Chalk, Efficient exploration in preference-based Bayesian optimization, arXiv 2021"

//go:embed fauvel.csv
var fauvelCSV string

type fauvelKey struct {
	problem, rule string
	duels         int
}

// anyRule has the scores that are the same for all rules.
const anyRule = "*"

// fauvelScores reads the scores when they are first needed: most commands need none.
var fauvelScores = sync.OnceValue(func() map[fauvelKey][]float64 {
	r := csv.NewReader(strings.NewReader(fauvelCSV))
	r.Comment = '#'
	lines, err := r.ReadAll()
	if err != nil {
		panic("paper: fauvel.csv: " + err.Error())
	}
	m := map[fauvelKey][]float64{}
	whole := func(s string) float64 {
		v, err := strconv.Atoi(s)
		if err != nil {
			panic("paper: fauvel.csv: " + err.Error())
		}
		return float64(v)
	}
	for _, line := range lines[1:] {
		key := fauvelKey{line[0], line[2], int(whole(line[3]))}
		for s := range strings.FieldsSeq(line[4]) {
			m[key] = append(m[key], whole(s)/1e4)
		}
	}
	return m
})

// FauvelScores returns the scores of the 40 published runs of a rule after 6, 20, 40, 60 or 80 duels: the function,
// standardised over the box and maximised, at the point of largest posterior mean. The i-th runs of all rules have the same
// first six duels. Problem and rule have their names in the suite fauvel-2021. It returns nil if there are no such runs.
func FauvelScores(problem, rule string, duels int) []float64 {
	scores := fauvelScores()
	if scores[fauvelKey{problem, rule, 80}] == nil {
		return nil
	}
	if s, ok := scores[fauvelKey{problem, rule, duels}]; ok {
		return s
	}
	return scores[fauvelKey{problem, anyRule, duels}]
}
