package app

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"popbench/internal/views/compare"
	"popbench/record"
)

// Compare compares two results folders.
func Compare(ctx context.Context, base, head string, o compare.Options) (*compare.Comparison, error) {
	return ofBoth(ctx, base, head, "nothing was written", func(base, head record.Source) (*compare.Comparison, error) {
		return compare.Compare(base, head, o)
	})
}

// CompareExactly tells in what two results folders differ.
func CompareExactly(ctx context.Context, base, head string) (*compare.Exactness, error) {
	return ofBoth(ctx, base, head, "nothing was written", compare.Exact)
}

// powerDraws is how often runs are drawn for each number of them.
const powerDraws = 1000

// Power says how often a comparison of so many runs would notice the difference of two results folders; with null it makes
// them equal first. The draws are the same every time.
func Power(ctx context.Context, base, head string, o compare.Options, runs []int, null bool) (*compare.Power, error) {
	runs = slices.Sorted(slices.Values(runs))
	p := compare.PowerOptions{Draws: powerDraws, Null: null, Runs: slices.Compact(runs)}
	return ofBoth(ctx, base, head, "nothing was printed", func(base, head record.Source) (*compare.Power, error) {
		return compare.Resample(base, head, o, p, rand.New(rand.NewPCG(1, 0)))
	})
}

// ofBoth opens two results folders and passes them to compute.
func ofBoth[T any](ctx context.Context, baseDir, headDir, sentence string, compute func(base, head record.Source) (*T, error)) (*T, error) {
	return Until(ctx, func() (*T, error) {
		base, err := record.Open(baseDir)
		if err != nil {
			return nil, err
		}
		head, err := record.Open(headDir)
		if err != nil {
			return nil, err
		}
		v, err := compute(base, head)
		if err != nil {
			return nil, fmt.Errorf("compare: %w", err)
		}
		return v, nil
	}, sentence)
}
