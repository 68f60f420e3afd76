package bench

import (
	"errors"
	"flag"
	"strconv"

	"popbench/internal/harness/config"
)

// masterSeed replaces the seed of a suite; nil leaves it.
type masterSeed struct{ seed *uint64 }

func (m *masterSeed) declare(flags *flag.FlagSet) {
	flags.Func("master-seed", "use the seed `N` instead of the suite's; a folder has records of one seed", func(text string) error {
		n, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			return errors.New("give a whole number, 0 or more")
		}
		m.seed = &n
		return nil
	})
}

// set sets the seed of a suite.
func (m *masterSeed) set(s *config.Suite) {
	if m.seed != nil {
		s.Seed = *m.seed
	}
}
