package junit

import (
	"errors"
	"strings"
	"testing"

	"popbench/internal/check"
)

// A report has the counts of its cases, and the form that readers of JUnit's XML know.
func TestWrite(t *testing.T) {
	var b strings.Builder
	check.OK(t, Write(&b, Suite{Name: "compare", Output: "a <note>", Cases: []Case{
		{Class: "beale", Name: "regret"},
		{Class: "beale", Name: "time", Failure: &Message{Message: "worse", Text: "by 3"}},
		{Class: "branin", Name: "time", Skipped: &Message{Message: "too few runs"}},
	}}))
	check.Equal(t, "report", b.String(), `<?xml version="1.0" encoding="UTF-8"?>
<testsuites tests="3" failures="1">
  <testsuite name="compare" tests="3" failures="1" skipped="1">
    <testcase classname="beale" name="regret"></testcase>
    <testcase classname="beale" name="time">
      <failure message="worse">by 3</failure>
    </testcase>
    <testcase classname="branin" name="time">
      <skipped message="too few runs"></skipped>
    </testcase>
    <system-out>a &lt;note&gt;</system-out>
  </testsuite>
</testsuites>
`)
	check.Error(t, "a full disk", Write(full{}, Suite{}), "full")
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("full") }
