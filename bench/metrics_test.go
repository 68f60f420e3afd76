package bench

import (
	"reflect"
	"strings"
	"testing"

	"popbench/internal/check"
	"popbench/internal/outcome"
	"popbench/suite"
)

// A suite may name every metric of a report for its headline, and nothing else. What makes records does not know the table
// of metrics, so the names stand twice.
func TestHeadlinesAreMetrics(t *testing.T) {
	var names []string
	for _, m := range outcome.Measures {
		names = append(names, string(m.Name))
	}
	f, _ := reflect.TypeFor[suite.Suite]().FieldByName("Headline")
	check.Equal(t, "headlines of suites", f.Tag.Get("enum"), strings.Join(names, ","))
}
