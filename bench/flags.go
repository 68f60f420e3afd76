package bench

import (
	"errors"
	"flag"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"popbench/internal/app"
	"popbench/internal/claims"
	"popbench/internal/words"
)

// Flags that several commands have are declared here, once each, with one wording.

// outFlag declares where a command writes; shown is the default in words, for the help.
func outFlag(flags *flag.FlagSet, shown string) *string {
	out := flags.String("out", "", "write to `FOLDER`")
	flags.Lookup("out").DefValue = shown
	return out
}

func jsonFlag(flags *flag.FlagSet) *bool {
	return flags.Bool("json", false, "print JSON, with numbers in full precision")
}

// formatFlag declares the format of the output, one of all; byDefault need not be among them.
func formatFlag(flags *flag.FlagSet, byDefault string, all ...string) *string {
	format := byDefault
	flags.Var(choice{&format, all}, "format", "write as `FORMAT`: "+words.Either(all))
	return &format
}

// choice is a flag.Value that is one of some words.
type choice struct {
	value *string
	of    []string
}

func (c choice) String() string { return *c.value }

func (c choice) Set(text string) error {
	if !slices.Contains(c.of, text) {
		return fmt.Errorf("give %s", words.Either(c.of))
	}
	*c.value = text
	return nil
}

// maxWorkers is more than any machine has processors.
const maxWorkers = 1000

// workers is how many cells run at once if no flag says so.
func workers() int { return min(runtime.GOMAXPROCS(0), maxWorkers) }

// workersFlag declares how many cells run at once.
func workersFlag(flags *flag.FlagSet, workers *int) {
	limitedVar(flags, workers, "workers", 1, maxWorkers, "run `N` cells in parallel")
}

// onlyFlag declares which cells or suites take part.
func onlyFlag(flags *flag.FlagSet, what string) *string {
	return flags.String("only", "", "run only the "+what)
}

// cellsThatMatch are what most commands choose by --only.
const cellsThatMatch = "cells that match `GLOB`, e.g. beale, '*/popbo' or 'beale/*/00?'"

func decideFlag(flags *flag.FlagSet) *bool {
	return flags.Bool("decide", false, "make further runs until each claim is decided, or nothing would decide it")
}

func paperFlag(flags *flag.FlagSet, byDefault string) *string {
	return flags.String("paper", byDefault, "take the experiments and claims of `PAPER`: "+strings.Join(claims.StudyNames(), ", ")+", or all")
}

// verboseFlag declares -v; whole is what it prints.
func verboseFlag(flags *flag.FlagSet, whole string) *bool {
	return flags.Bool("v", false, "print "+whole)
}

// mixFlag allows records by several programs in one folder.
func mixFlag(flags *flag.FlagSet) *bool {
	return flags.Bool("allow-mixture", false, "accept records that another program made; every report will say so")
}

func alphaFlag(flags *flag.FlagSet, alpha *float64) {
	limitedVar(flags, alpha, "alpha", 0.0001, 0.5, "accept a wrong verdict with probability `P`")
}

// marginFlag declares the largest difference that does not matter, in units of U, a random point's suboptimality. Without
// the flag *margin stays nil; shown is the default that the help names.
func marginFlag(flags *flag.FlagSet, margin **float64, shown float64) {
	flags.Func("margin", "call differences of at most `M` no difference, in U", func(text string) error {
		v, err := strconv.ParseFloat(text, 64)
		if err != nil || !(v >= 0 && v <= 1000) {
			return errors.New("give a number from 0 to 1000, e.g. 0.1")
		}
		*margin = &v
		return nil
	})
	flags.Lookup("margin").DefValue = fmt.Sprint(shown)
}

// drawnFlags declare which function of a problem is meant if one is drawn for each repetition.
func drawnFlags(flags *flag.FlagSet, seed *uint64, repetition *int) {
	*seed = 1
	flags.Func("seed", "drawn functions: the suite's seed `N`, below 2^64", func(text string) (err error) {
		*seed, err = parseSeed(text)
		return err
	})
	flags.Lookup("seed").DefValue = "1"
	limitedVar(flags, repetition, "repetition", 0, 9999, "drawn functions: repetition `N` of the suite")
}

// seedsFlag declares which repetitions run: "60", or "31-60".
func seedsFlag(flags *flag.FlagSet, seeds *app.Span) {
	flags.Func("seeds", "run `N` repetitions instead of the suite's, or those from A to B: 31-60 after 30", func(text string) error {
		from, to, ranged := strings.Cut(text, "-")
		if !ranged {
			from, to = "1", text
		}
		var errFrom, errTo error
		seeds.From, errFrom = strconv.Atoi(from)
		seeds.To, errTo = strconv.Atoi(to)
		if errFrom != nil || errTo != nil || seeds.From < 1 || seeds.To < seeds.From {
			return errors.New("give a whole number, 1 or more, or the first and the last repetition, e.g. 31-60")
		}
		return nil
	})
}

// masterFlag declares the seed that replaces a suite's seed. Without the flag *seed stays nil, and the suite's seed holds.
func masterFlag(flags *flag.FlagSet, seed **uint64) {
	flags.Func("master-seed", "use the seed `N` instead of the suite's; a folder has records of one seed", func(text string) error {
		n, err := parseSeed(text)
		*seed = &n
		return err
	})
}

func parseSeed(text string) (uint64, error) {
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return 0, errors.New("give a whole number from 0 to 18446744073709551615")
	}
	return n, nil
}

// maxList is the maximum length of a list given as a flag.
const maxList = 20

// numbers reads a list of at most maxList numbers, all of which are valid.
func numbers(text string, valid func(float64) bool, such string) (list []float64, err error) {
	for part := range strings.SplitSeq(text, ",") {
		v, err := strconv.ParseFloat(strings.TrimSpace(part), 64)
		if list = append(list, v); err != nil || !valid(v) || len(list) > maxList {
			return nil, fmt.Errorf("give up to %d %s", maxList, such)
		}
	}
	return list, nil
}

// limitedVar declares a numeric flag with limits, which its help and errors state. *value is the default.
func limitedVar[T int | float64](flags *flag.FlagSet, value *T, name string, low, high T, usage string) {
	flags.Func(name, fmt.Sprintf("%s, from %v to %v", usage, low, high), func(text string) error {
		kind := "a number"
		v, err := strconv.ParseFloat(text, 64)
		if _, whole := any(low).(int); whole {
			kind = "a whole number"
			var i int
			i, err = strconv.Atoi(text)
			v = float64(i)
		}
		if err != nil || !(v >= float64(low) && v <= float64(high)) {
			return fmt.Errorf("give %s from %v to %v", kind, low, high)
		}
		*value = T(v)
		return nil
	})
	flags.Lookup(name).DefValue = fmt.Sprint(*value)
}
