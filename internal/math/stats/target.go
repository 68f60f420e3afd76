package stats

import (
	"math"
)

// Attempt is a run that tries to reach a target: the number of steps until it reached the target
// or, if it never did, until it ended.
type Attempt struct {
	Steps   int // 1 or more
	Reached bool
}

// Reach returns the number of steps of a run until the step from which on every value is at most the level. values has the
// value after each step.
func Reach(values []float64, level float64) Attempt {
	n := len(values)
	step := n // from 0
	for step > 0 && values[step-1] <= level {
		step--
	}
	if step == n {
		return Attempt{Steps: n}
	}
	return Attempt{Steps: step + 1, Reached: true}
}

// Reached returns the share of attempts that reach the target.
func Reached(attempts []Attempt) Share {
	return ShareOf(attempts, func(a Attempt) bool { return a.Reached })
}

// ERT returns the expected running time to a target: the steps of all attempts divided by the
// number of attempts that reached it. That is the average number of steps if failed runs are
// restarted (Hansen et al., "COCO: A Platform for Comparing Continuous Optimizers in a Black-Box
// Setting", "Optimization Methods and Software" 36, 2021). It is +Inf if none reached the target, and
// NaN without attempts.
func ERT(attempts []Attempt) float64 {
	steps, reached := 0, Reached(attempts).Count
	for _, a := range attempts {
		steps += a.Steps
	}
	return float64(steps) / float64(reached) // 0/0 without attempts
}

// BootstrapERT returns a confidence interval of ERT, from resampled attempts. Its upper end is +Inf
// if too many resamples have no success. The interval is NaN for fewer than MinRuns attempts.
func BootstrapERT(attempts []Attempt) Interval {
	steps, reached := make([]float64, len(attempts)), make([]float64, len(attempts))
	for i, a := range attempts {
		steps[i] = float64(a.Steps)
		if a.Reached {
			reached[i] = 1
		}
	}
	ratio := func(m [][]float64) float64 { return m[0][0] / m[0][1] }
	return resample([]Stratum{{steps, reached}}, Resamples, ratio)[0].Interval(Level)
}

// ReachedBy returns the empirical distribution of the steps to a target: the share of attempts that
// had reached it after step t, for t = 1 to steps. For the attempts of several targets and problems
// it is COCO's runtime profile.
func ReachedBy(attempts []Attempt, steps int) []float64 {
	share := make([]float64, steps)
	for t := range share {
		share[t] = ShareOf(attempts, func(a Attempt) bool { return a.Reached && a.Steps <= t+1 }).Value()
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
// τ. ρ_s(1) is the share of problems on which it is the best, ties included.
func PerformanceProfile(ratios [][]float64, solver int, tau float64) float64 {
	return ShareOf(ratios, func(r []float64) bool { return r[solver] <= tau }).Value()
}
