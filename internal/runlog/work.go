package runlog

import (
	"slices"
	"strings"
)

// work are the names that algorithms give to counts of their work, alone or
// after the name of a part and "_".
var work = []string{
	"solves", "newton", "retries", "failures", "evaluations", "iterations", "factorisations", "sweeps",
	"fits", "climbs", "moves", "bounces",
}

// IsWork reports whether the metric of this name counts work: something that
// takes time, and unlike time does not vary from one run to another.
func IsWork(metric string) bool {
	return slices.ContainsFunc(work, func(name string) bool { return metric == name || strings.HasSuffix(metric, "_"+name) })
}
