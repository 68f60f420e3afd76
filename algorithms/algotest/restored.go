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
		if alg, err = restored(factory, alg, t%2 == 0); err != nil {
			return fmt.Errorf("after %d steps: %w", t, err)
		}
		if err := sameAnswers(alg, plain, fmt.Sprintf("saved and restored after %d steps", t)); err != nil {
			return err
		}
		if err := a.play(alg, 1, r, nil); err != nil {
			return err
		}
		if err := a.play(plain, 1, same, nil); err != nil {
			return err
		}
		if err := sameState(alg, plain, fmt.Sprintf("saved and restored after %d steps, then told an outcome", t)); err != nil {
			return err
		}
	}
	return nil
}
