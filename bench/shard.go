package bench

import (
	"fmt"
	"strconv"
	"strings"

	"popbench/internal/harness/suite"
)

// shard is one of several parts of a suite, which together are all of it.
type shard struct{ i, n int } // part i of n, from 1; n = 0: it is not divided

const maxShards = 10_000

// String is the shard as --shard takes it, "" if the suite is not divided.
func (s shard) String() string {
	if s.n == 0 {
		return ""
	}
	return fmt.Sprintf("%d/%d", s.i, s.n)
}

// Set reads "i/n".
func (s *shard) Set(text string) error {
	i, n, ok := strings.Cut(text, "/")
	var errI, errN error
	s.i, errI = strconv.Atoi(i)
	s.n, errN = strconv.Atoi(n)
	if !ok || errI != nil || errN != nil || s.n < 1 || s.n > maxShards || s.i < 1 || s.i > s.n {
		return fmt.Errorf("give i/n, part i of n, i from 1 to n, n up to %d, e.g. 3/8", maxShards)
	}
	return nil
}

// folder is where the shard's records go if those of all would go to out.
func (s shard) folder(out string) string {
	if s.n <= 1 {
		return out
	}
	return fmt.Sprintf("%s.shard-%03d-of-%03d", out, s.i, s.n)
}

// schedulerShard is the shard that a scheduler's environment asks for, and which
// variables did; "" if none does. Slurm's arrays tell the size of the array.
// Kubernetes' Indexed Jobs do not: the job has to say it in JOB_COMPLETIONS.
func schedulerShard(getenv func(string) string) (s shard, from string, err error) {
	number := func(name string) int {
		n, e := strconv.Atoi(getenv(name))
		if e != nil && err == nil {
			err = fmt.Errorf("%s = %q is not a number; give --shard i/n", name, getenv(name))
		}
		return n
	}
	switch {
	case getenv("SLURM_ARRAY_TASK_ID") != "":
		from = "SLURM_ARRAY_TASK_ID"
		// The last element of an array may have any index: 1-8, 0-7, 0-14:2.
		step := 1
		if getenv("SLURM_ARRAY_TASK_STEP") != "" {
			step = number("SLURM_ARRAY_TASK_STEP")
		}
		s.i = 1 + (number(from)-number("SLURM_ARRAY_TASK_MIN"))/max(step, 1)
		s.n = number("SLURM_ARRAY_TASK_COUNT")
	case getenv("JOB_COMPLETION_INDEX") != "":
		from = "JOB_COMPLETION_INDEX"
		if getenv("JOB_COMPLETIONS") == "" {
			return s, from, fmt.Errorf("JOB_COMPLETION_INDEX = %s, but of how many? Give the job's completions as JOB_COMPLETIONS in its env, or --shard i/n", getenv(from))
		}
		s.i = 1 + number(from)
		s.n = number("JOB_COMPLETIONS")
	}
	if err == nil && from != "" && (s.i < 1 || s.i > s.n || s.n > maxShards) {
		err = fmt.Errorf("%s = %s makes this part %s; is the array one of irregular indices? Give --shard i/n", from, getenv(from), s)
	}
	return s, from, err
}

// of tells the shard's cells, by ID, of all those of a suite. Repetition by repetition
// it goes through the series (algorithms on problems), so that every shard gets
// as much of each of them.
func (s shard) of(cells []suite.Cell) map[string]bool {
	series := 0 // Expand has the whole first repetition first
	for series < len(cells) && cells[series].Repetition == 0 {
		series++
	}
	mine := map[string]bool{}
	for k, c := range cells {
		if s.n <= 1 || (k%series+k/series)%s.n == s.i-1 {
			mine[c.ID()] = true
		}
	}
	return mine
}
