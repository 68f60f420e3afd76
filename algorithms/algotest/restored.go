package algotest

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// RunRestored plays so many steps with an algorithm that is saved as JSON and restored
// after every one. It must propose and recommend what one that was never saved
// does, to the last bit, with the same metrics.
func RunRestored(t *testing.T, name string, factory Factory, steps int) {
	t.Run(name+"/restored after every step", func(t *testing.T) {
		if err := restoredAfterEveryStep(factory, arenas[1], steps); err != nil {
			t.Error(err)
		}
	})
}

func restoredAfterEveryStep(factory Factory, a arena, steps int) error {
	alg, err := factory(a.setup())
	if err != nil {
		return err
	}
	plain, err := factory(a.setup())
	if err != nil {
		return err
	}
	r, same := rand.New(rand.NewPCG(17, 18)), rand.New(rand.NewPCG(17, 18))
	for t := range steps {
		if alg, err = restored(factory, alg); err != nil {
			return fmt.Errorf("after %d steps: %w", t, err)
		}
		got, err := answers(alg)
		if err != nil {
			return fmt.Errorf("restored after %d steps: %w", t, err)
		}
		want, err := answers(plain)
		if err != nil {
			return err
		}
		if got != want {
			return fmt.Errorf("saved and restored after %d steps; now they differ:\n%s%s", t, got, want)
		}
		if t%2 == 0 { // the query that is asked is saved as well
			if alg, err = restored(factory, alg); err != nil {
				return fmt.Errorf("after %d steps and a query: %w", t, err)
			}
		}
		if err := a.play(alg, 1, r, nil); err != nil {
			return err
		}
		if err := a.play(plain, 1, same, nil); err != nil {
			return err
		}
		if got, want := metrics(alg), metrics(plain); got != want {
			return fmt.Errorf("saved and restored after %d steps, then told an outcome; now they differ:\n%s%s", t, got, want)
		}
	}
	return nil
}
