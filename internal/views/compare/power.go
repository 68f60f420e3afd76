package compare

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"popbench/internal/judge"
	"popbench/internal/math/stats"
	"popbench/internal/words"
	"popbench/record"
)

// PowerOptions are the options of Resample.
type PowerOptions struct {
	Runs  []int // of each algorithm on each problem
	Draws int
	// Null makes BASE and HEAD equal before each draw, so that every verdict of better or
	// worse is a false alarm: the two runs of a pair are swapped with probability 1/2;
	// independent runs are distributed anew to the two sides.
	Null bool
}

// Power says how often a comparison of fewer runs detects a difference.
type Power struct {
	Pair
	Null  bool
	Pool  int // runs of each side to draw from, in the smallest sample
	Sizes []PowerOf
}

// PowerOf is the result for one number of runs.
type PowerOf struct {
	Runs   int
	Alarm  stats.Share // draws in which any row is better or worse
	Worse  stats.Share // draws in which any row is worse, so that bench compare exits with 1
	Better stats.Share // draws in which any row is better
	Rows   []PowerRow
}

// PowerRow is the result for one row of the comparison.
type PowerRow struct {
	Subject
	Worse, Better stats.Share
}

// Resample draws runs from two folders, without replacement within a draw, and compares them as Compare does. Its shares
// estimate the shares among comparisons of fresh runs if the folders are much larger than a draw. Failed runs are not drawn.
func Resample(base, head record.Source, o Options, p PowerOptions, r *rand.Rand) (*Power, error) {
	both, m, err := readPair(base, head, o)
	if err != nil {
		return nil, err
	}
	if len(m.samples) == 0 {
		return nil, errors.New("BASE and HEAD have no algorithm on the same problem with two complete runs or more")
	}
	o.noIntervals = true // worse and better need no interval
	out := &Power{Pair: both, Null: p.Null}
	for i := range m.samples {
		s := &m.samples[i]
		runs := s.runs()
		n := min(runs[0], runs[1])
		if p.Null && !s.paired {
			n = (runs[0] + runs[1]) / 2
		}
		if i == 0 || n < out.Pool {
			out.Pool = n
		}
	}
	if out.Pool < stats.MinRuns {
		return nil, fmt.Errorf("there are %d runs of each side to draw from; with fewer than %d no row is ever better or worse", out.Pool, stats.MinRuns)
	}
	for _, n := range p.Runs {
		if n < stats.MinRuns || n > out.Pool {
			return nil, fmt.Errorf("runs = %d cannot be drawn; give a number from %d, the minimum for a difference, to %d, the runs of each side",
				n, stats.MinRuns, out.Pool)
		}
	}
	out.Sizes = words.Each(p.Runs, func(n int) PowerOf { return powerOf(m.samples, o, n, p, r) })
	return out, nil
}

func powerOf(samples []sample, o Options, n int, p PowerOptions, r *rand.Rand) PowerOf {
	out := PowerOf{Runs: n}
	drawn := make([]sample, len(samples))
	for draw := range p.Draws {
		for i := range samples {
			drawn[i] = samples[i].draw(n, p.Null, r)
		}
		rows := rows(drawn, o)
		if draw == 0 {
			out.Rows = make([]PowerRow, len(rows))
		}
		worse, better := false, false
		for i := range rows {
			v := rows[i].Verdict
			out.Rows[i].Subject = rows[i].Subject
			out.Rows[i].Worse.Add(v == judge.Worse)
			out.Rows[i].Better.Add(v == judge.Better)
			worse, better = worse || v == judge.Worse, better || v == judge.Better
		}
		out.Worse.Add(worse)
		out.Better.Add(better)
		out.Alarm.Add(worse || better)
	}
	return out
}

// draw draws n runs of each side. The runs of both sides are numbered one side after the other.
func (s *sample) draw(n int, null bool, r *rand.Rand) sample {
	out := *s
	out.values = [2][][]float64{}
	runs := s.runs()
	var drawn [2][]int
	switch {
	case s.paired:
		for _, i := range r.Perm(runs[0])[:n] {
			a, b := i, runs[0]+i
			if null && r.IntN(2) == 1 {
				a, b = b, a
			}
			drawn[0], drawn[1] = append(drawn[0], a), append(drawn[1], b)
		}
	case null:
		for k, i := range r.Perm(runs[0] + runs[1])[:2*n] {
			drawn[k%2] = append(drawn[k%2], i)
		}
	default:
		drawn[0] = r.Perm(runs[0])[:n]
		drawn[1] = words.Each(r.Perm(runs[1])[:n], func(i int) int { return runs[0] + i })
	}
	for k := range s.metrics {
		value := func(i int) float64 {
			if i < runs[0] {
				return s.values[0][k][i]
			}
			return s.values[1][k][i-runs[0]]
		}
		for side := range drawn {
			out.values[side] = append(out.values[side], words.Each(drawn[side], value))
		}
	}
	return out
}
