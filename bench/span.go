package bench

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// span is a range of repetitions, counted from 1, both ends included. The zero value stands for those of the suite.
type span struct{ from, to int }

// String returns "31-60", or "" for the zero value.
func (s span) String() string {
	if s == (span{}) {
		return ""
	}
	return fmt.Sprintf("%d-%d", s.from, s.to)
}

// Set reads "31-60", or "31" for a single repetition.
func (s *span) Set(text string) error {
	from, to, ranged := strings.Cut(text, "-")
	if !ranged {
		to = from
	}
	var errFrom, errTo error
	s.from, errFrom = strconv.Atoi(from)
	s.to, errTo = strconv.Atoi(to)
	if errFrom != nil || errTo != nil || s.from < 1 || s.to < s.from {
		return errors.New("give the first and the last repetition, counted from 1, e.g. 31-60")
	}
	return nil
}

// has reports whether the span contains a repetition, counted from 0 as records do.
func (s span) has(repetition int) bool {
	return s == (span{}) || s.from <= repetition+1 && repetition+1 <= s.to
}
