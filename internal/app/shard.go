package app

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"popbench/internal/words"
	"popbench/suite"
)

// Shard is part I of N, from 1, of the cells of a suite. The zero value means that the suite
// is not divided.
type Shard struct{ I, N int }

// maxShards is the maximum number of parts.
const maxShards = 10_000

// String returns the shard in the form of --shard, "" if the suite is not divided.
func (s Shard) String() string {
	if s.N == 0 {
		return ""
	}
	return fmt.Sprintf("%d/%d", s.I, s.N)
}

// Set reads "i/n".
func (s *Shard) Set(text string) error {
	i, n, ok := strings.Cut(text, "/")
	var errI, errN error
	s.I, errI = strconv.Atoi(i)
	s.N, errN = strconv.Atoi(n)
	if !ok || errI != nil || errN != nil || s.N < 1 || s.N > maxShards || s.I < 1 || s.I > s.N {
		return fmt.Errorf("give i/n, part i of n, i from 1 to n, n up to %d, e.g. 3/8", maxShards)
	}
	return nil
}

// Folder returns the results folder of the shard, given the whole suite's.
func (s Shard) Folder(out string) string {
	if s.N <= 1 {
		return out
	}
	return fmt.Sprintf("%s.shard-%03d-of-%03d", out, s.I, s.N)
}

// Scheduler returns the shard that a scheduler's environment variables select, and the name
// of the variable; "" if there is none. Slurm and Grid Engine give first and last index of an
// array. LSF gives the last only, so its array has to begin at 1. An Indexed Job of Kubernetes
// does not give the size, so the job must set JOB_COMPLETIONS; nor does PBS, where --shard is needed.
func Scheduler(getenv func(string) string) (s Shard, from string, err error) {
	number := func(name string) int {
		n, e := strconv.Atoi(getenv(name))
		if e != nil && err == nil {
			err = fmt.Errorf("%s = %q is not a number; give --shard i/n", name, getenv(name))
		}
		return n
	}
	// The elements of an array may have any indices at equal distances: 1-8, 0-7, 0-14:2.
	step := func(name string) int {
		if getenv(name) == "" {
			return 1
		}
		return max(1, number(name))
	}
	switch {
	case getenv("SLURM_ARRAY_TASK_ID") != "":
		from = "SLURM_ARRAY_TASK_ID"
		s.I = 1 + (number(from)-number("SLURM_ARRAY_TASK_MIN"))/step("SLURM_ARRAY_TASK_STEP")
		s.N = number("SLURM_ARRAY_TASK_COUNT")
	case getenv("JOB_COMPLETION_INDEX") != "":
		from = "JOB_COMPLETION_INDEX"
		if getenv("JOB_COMPLETIONS") == "" {
			return s, from, fmt.Errorf("JOB_COMPLETION_INDEX = %s, but JOB_COMPLETIONS is missing; set it to the job's completions in its env, or give --shard i/n",
				getenv(from))
		}
		s.I = 1 + number(from)
		s.N = number("JOB_COMPLETIONS")
	case getenv("SGE_TASK_ID") != "" && getenv("SGE_TASK_ID") != "undefined": // which it is outside an array
		from = "SGE_TASK_ID"
		first, step := number("SGE_TASK_FIRST"), step("SGE_TASK_STEPSIZE")
		s.I = 1 + (number(from)-first)/step
		s.N = 1 + (number("SGE_TASK_LAST")-first)/step
	case getenv("LSB_JOBINDEX") != "" && getenv("LSB_JOBINDEX") != "0": // which it is outside an array
		from = "LSB_JOBINDEX"
		step := step("LSB_JOBINDEX_STEP")
		s.I = 1 + (number(from)-1)/step
		s.N = 1 + (number("LSB_JOBINDEX_END")-1)/step
	}
	for _, name := range []string{"PBS_ARRAY_INDEX", "PBS_ARRAYID"} { // of PBS Professional and of Torque
		if from == "" && getenv(name) != "" {
			return s, name, fmt.Errorf(`%s = %s, but PBS does not tell a job the size of its array; give --shard "$%[1]s/8" if its indices are 1-8, or --shard 1/1 to run all cells`,
				name, getenv(name))
		}
	}
	if err == nil && from != "" && (s.I < 1 || s.I > s.N || s.N > maxShards) {
		err = fmt.Errorf("%s = %s makes this part %s; if the array has irregular indices, give --shard i/n", from, getenv(from), s)
	}
	if err == nil && s.N == 1 && number(from) > 1 {
		err = fmt.Errorf("%s = %[2]s is the only index of its array, and part 1/1 is all cells; to repeat part %[2]s of 8, give --shard %[2]s/8", from, getenv(from))
	}
	return s, from, err
}

// of returns the IDs of the shard's cells, given all cells of a suite. It distributes the
// series (algorithms on problems) repetition by repetition, so that every shard gets an
// equal part of each.
func (s Shard) of(cells []suite.Cell) map[string]bool {
	series := 0 // Expand lists all cells of the first repetition first
	for series < len(cells) && cells[series].Repetition == cells[0].Repetition {
		series++
	}
	mine := map[string]bool{}
	for k, c := range cells {
		if s.N <= 1 || (k%series+k/series)%s.N == s.I-1 {
			mine[c.ID()] = true
		}
	}
	return mine
}

// missingShards says how many of a run's shards were not given; "" if none are missing, or if the
// names have no numbers.
func missingShards(shards []string) string {
	var n int
	have := map[int]bool{}
	for _, name := range shards {
		s, whole := shardIn(name)
		if whole == "" {
			return ""
		}
		n, have[s.I] = s.N, true
	}
	if len(have) >= n {
		return ""
	}
	return fmt.Sprintf("these are %d of %d shards; give all of them to have all cells", len(have), n)
}

// findShards returns the folders of all shards of out.
func findShards(out string) ([]string, error) {
	begun, err := begunShards(out)
	if err != nil {
		return nil, err
	}
	if len(begun) == 0 {
		return nil, fmt.Errorf("there is no %s.shard-i-of-n; make the shards with bench run --shard i/n --out %s", out, words.ShellQuote(out))
	}
	var found []string
	for i, n := 1, begun[0].N; i <= n; i++ {
		want := Shard{i, n}
		if !slices.Contains(begun, want) {
			return nil, fmt.Errorf("there is no %s; run part %s first", want.Folder(out), want)
		}
		found = append(found, want.Folder(out))
	}
	return found, nil
}

// fits returns an error if out has shards of another number: a scheduler divides a part of an array anew.
func (s Shard) fits(out string) error {
	if s.N <= 1 {
		return nil
	}
	begun, err := begunShards(out)
	if err == nil && len(begun) > 0 && begun[0].N != s.N {
		err = fmt.Errorf("%s has shards of %d, and this is part %s; to repeat part i, give --shard i/%[2]d, else delete those or give another --out",
			out, begun[0].N, s)
	}
	return err
}

// begunShards returns the shards of out that have folders, in order. All are of the same number of shards.
func begunShards(out string) ([]Shard, error) {
	out = filepath.Clean(out)
	entries, _ := os.ReadDir(filepath.Dir(out)) // without the folder there is no shard
	var found []Shard
	for _, e := range entries {
		s, whole := shardIn(filepath.Join(filepath.Dir(out), e.Name()))
		if whole != out {
			continue
		}
		if len(found) > 0 && found[0].N != s.N {
			return nil, fmt.Errorf("%s has shards of %d and of %d; name those to merge, or delete the others", out, found[0].N, s.N)
		}
		found = append(found, s)
	}
	slices.SortFunc(found, func(a, b Shard) int { return a.I - b.I })
	return found, nil
}

// shardIn returns the shard whose folder this is, and the folder of the whole suite; "" if it is not a shard's.
func shardIn(folder string) (s Shard, whole string) {
	folder = filepath.Clean(folder)
	whole = folder[:max(strings.LastIndex(folder, ".shard-"), 0)]
	if _, err := fmt.Sscanf(folder[len(whole):], ".shard-%d-of-%d", &s.I, &s.N); err != nil || s.Folder(whole) != folder {
		return Shard{}, ""
	}
	return s, whole
}
