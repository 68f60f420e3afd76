package stats

import (
	"math"
	"slices"
)

// Attempt is a run that tries to reach a target: the number of steps until it reached the target
// or, if it never did, until it ended.
type Attempt struct {
	Steps   int // 1 or more
	Reached bool
}

// ERT returns the expected running time to a target: the steps of all attempts divided by the
// number of attempts that reached it. That is the average number of steps if failed runs are
// restarted (Hansen et al., `COCO: a platform for comparing continuous optimizers in a black-box
// setting`, `Optimization Methods and Software` 36, 2021). It is +Inf if none reached the target,
// and NaN without attempts.
func ERT(attempts []Attempt) float64 {
	steps, reached := 0, 0
	for _, a := range attempts {
		steps += a.Steps
		if a.Reached {
			reached++
		}
	}
	switch {
	case len(attempts) == 0:
		return math.NaN()
	case reached == 0:
		return math.Inf(1)
	}
	return float64(steps) / float64(reached)
}

// BootstrapERT returns a confidence interval of ERT from the percentiles of resampled attempts. Its
// upper end is +Inf if too many resamples have no success; BCa does not apply to a statistic that
// may be infinite. The attempts seed the resampling. The interval is NaN for fewer than two.
func BootstrapERT(attempts []Attempt, level float64, resamples int) Interval {
	checkBootstrap(level, resamples)
	if len(attempts) < 2 {
		return Interval{math.NaN(), math.NaN()}
	}
	seed := make([]float64, len(attempts))
	for i, a := range attempts {
		seed[i] = float64(a.Steps)
		if !a.Reached {
			seed[i] = -seed[i]
		}
	}
	slices.Sort(seed)
	r := seededBy(seed)
	sample := make([]Attempt, len(attempts))
	values := make([]float64, resamples)
	for i := range values {
		for k := range sample {
			s := seed[below(r, len(seed))]
			sample[k] = Attempt{Steps: int(math.Abs(s)), Reached: s > 0}
		}
		values[i] = ERT(sample)
	}
	slices.Sort(values)
	// Use the next order statistic outwards, because interpolation towards +Inf is impossible.
	lo := int(math.Floor((1 - level) / 2 * float64(resamples-1)))
	hi := int(math.Ceil((1 + level) / 2 * float64(resamples-1)))
	return Interval{values[lo], values[hi]}
}

// ReachedBy returns the empirical distribution of the steps to a target: the share of attempts that
// had reached it after step t, for t = 1 to steps. For the attempts of several targets and problems
// it is COCO's runtime profile.
func ReachedBy(attempts []Attempt, steps int) []float64 {
	share := make([]float64, steps)
	for t := range share {
		s := Share{N: len(attempts)}
		for _, a := range attempts {
			if a.Reached && a.Steps <= t+1 {
				s.Count++
			}
		}
		share[t] = s.Value()
	}
	return share
}

// PerformanceRatios divides each cost[problem][solver] by the smallest cost on the problem (Dolan &
// Moré, Mathematical Programming 91, 2002). Costs are positive; +Inf means that the solver failed.
// If all solvers fail on a problem, all its ratios are +Inf.
func PerformanceRatios(cost [][]float64) [][]float64 {
	ratios := make([][]float64, len(cost))
	for p, costs := range cost {
		ratios[p] = make([]float64, len(costs))
		least := math.Inf(1)
		for _, c := range costs {
			if !(c > 0) {
				panic("stats: costs of a performance profile must be positive")
			}
			least = min(least, c)
		}
		for s, c := range costs {
			ratios[p][s] = math.Inf(1)
			if !math.IsInf(c, 1) {
				ratios[p][s] = c / least
			}
		}
	}
	return ratios
}

// PerformanceProfile returns ρ_s(τ), the share of problems on which the solver's ratio is at most
// τ. ρ_s(1) is how often it is the best, ties included.
func PerformanceProfile(ratios [][]float64, solver int, tau float64) float64 {
	s := Share{N: len(ratios)}
	for _, r := range ratios {
		if r[solver] <= tau {
			s.Count++
		}
	}
	return s.Value()
}
