package stats

import (
	"math"
	"math/rand/v2"
	"testing"

	"popbench/internal/check"
)

// The intervals cover the ranks that an infinite number of problems and runs would have about as often as they say, whether
// the noise is between problems or between runs.
func TestRankIntervalsCover(t *testing.T) {
	const treatments, blocks, n = 4, 25, 6
	simulations := check.Few(60, 2000)
	shift := []float64{0, 0.4, 0.5, 1.5}
	sample := func(r *rand.Rand, blocks, n int) [][][]float64 {
		all := make([][][]float64, blocks)
		for b := range all {
			common := make([]float64, n)
			for i := range common {
				common[i] = 3 * r.NormFloat64()
			}
			for _, s := range shift {
				own := s + r.NormFloat64() // of the treatment on the problem
				runs := make([]float64, n)
				for i := range runs {
					runs[i] = own + common[i] + 0.5*r.NormFloat64()
				}
				all[b] = append(all[b], runs)
			}
		}
		return all
	}
	ranks := func(runs [][][]float64) []float64 {
		scores := make([][]float64, len(runs))
		for b, block := range runs {
			for _, one := range block {
				scores[b] = append(scores[b], Mean(one))
			}
		}
		return Friedman(scores).Ranks
	}
	r := rand.New(rand.NewPCG(1, 2))
	truth := ranks(sample(r, 10_000, n))
	covered := 0
	for range simulations {
		for j, in := range RankIntervals(alone(sample(r, blocks, n)), 0.95, 200, r) {
			if in.Lo <= truth[j] && truth[j] <= in.Hi {
				covered++
			}
		}
	}
	share := float64(covered) / float64(simulations*treatments)
	check.That(t, share > 0.92 && share < 0.995, "95 %% intervals cover %.3f of the ranks %v", share, truth)
}

// alone has each block in a cluster of its own.
func alone(blocks [][][]float64) (clusters [][][][]float64) {
	for _, b := range blocks {
		clusters = append(clusters, [][][]float64{b})
	}
	return clusters
}

// Blocks of a cluster are drawn together: many of them say no more about other clusters than one does.
func TestRankIntervalsOfClusters(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	first, second := [][]float64{{1}, {2}}, [][]float64{{2}, {1}}
	wide := RankIntervals([][][][]float64{{first, first, first, first, first, first}, {second, second}}, 0.95, 200, r)
	check.Equal(t, "one cluster or the other", wide[0], Interval{1, 2})
}

func TestRankIntervalsOfLittle(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	one := RankIntervals([][][][]float64{{{{1, 2}, {3, 4}}, {{1, 2}, {3, 4}}}}, 0.95, 50, r)
	check.That(t, len(one) == 2 && math.IsNaN(one[0].Lo) && math.IsNaN(one[1].Hi), "of one cluster: %v", one)
	check.Equal(t, "of no cluster", len(RankIntervals(nil, 0.95, 50, r)), 0)
	// The second treatment has other runs, fewer of them.
	sure := RankIntervals(alone([][][]float64{{{1, 2}, {3}}, {{5, 6}, {9}}, {{1, 1}, {7}}}), 0.95, 50, r)
	check.Equal(t, "ranks without doubt", sure[0], Interval{1, 1})
	check.Equal(t, "ranks without doubt", sure[1], Interval{2, 2})
}
