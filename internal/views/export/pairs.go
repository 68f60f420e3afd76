package export

import (
	"encoding/binary"
	"fmt"
	"math"
	"path"

	"popbench/record"
)

// pairs is the file of a run: the arguments of BoTorch's PairwiseGP, and what is known beside them.
type pairs struct {
	Suite      string `json:"suite"`
	Problem    string `json:"problem"`
	Label      string `json:"label"`
	Repetition int    `json:"repetition"`
	// Bounds has the lower and the upper ends of the box, as BoTorch has them (2×d).
	Bounds [2][]float64 `json:"bounds"`
	// Datapoints are the different points of all queries in the order in which they were first shown (n×d).
	Datapoints [][]float64 `json:"datapoints"`
	// Comparisons are indices of Datapoints, the preferred one first (m×2).
	Comparisons [][2]int  `json:"comparisons"`
	Step        []int     `json:"step"`    // of each comparison, from 1
	Utility     []float64 `json:"utility"` // f at Datapoints, which no algorithm sees
}

// Pairs writes a JSON file for each complete run, problem/label/repetition.json.
func Pairs(folders []Folder, create Create) (*Summary, error) {
	summary, _, err := export(folders, create, func(f *Folder, rec *record.Record) (string, error) {
		switch h := &rec.Header; {
		case h.Imported != nil:
			return fmt.Sprintf("imported from %s, without points", h.Imported.File), nil
		case h.Algorithm.Feedback == record.Values:
			return "the algorithm observes values, and compares nothing", nil
		}
		return "", writeJSON(create, path.Join("data", f.Name, rec.Header.Cell+".json"), "", pairsOf(rec))
	})
	return summary, err
}

// pairsOf reads the comparisons off a record. The winner of a query is preferred to each of its other points. A tie makes
// no pair, and neither does a point that is shown beside itself, because PairwiseGP would read it as a loss.
func pairsOf(rec *record.Record) *pairs {
	h := &rec.Header
	p := &pairs{Suite: h.Suite, Problem: h.Problem.Name, Label: h.Algorithm.Label, Repetition: h.Repetition,
		Bounds: [2][]float64{h.Problem.Lo, h.Problem.Hi}, Comparisons: [][2]int{}, Step: []int{}}
	known := map[string]int{}
	for t := range rec.Steps {
		s := &rec.Steps[t]
		index := make([]int, len(s.Points))
		for i, x := range s.Points {
			key := bits(x)
			k, ok := known[key]
			if !ok {
				k = len(p.Datapoints)
				known[key] = k
				p.Datapoints, p.Utility = append(p.Datapoints, x), append(p.Utility, s.Utility[i])
			}
			index[i] = k
		}
		for i, k := range index {
			if s.Tie {
				break
			}
			if winner := index[s.Winner]; i != s.Winner && k != winner {
				p.Comparisons, p.Step = append(p.Comparisons, [2]int{winner, k}), append(p.Step, s.T)
			}
		}
	}
	return p
}

// bits identifies a point.
func bits(x []float64) string {
	b := make([]byte, 0, 8*len(x))
	for _, v := range x {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v+0)) // v+0 makes 0 of -0
	}
	return string(b)
}
