// Package popbench has the source code of what makes records, as part of the
// program. internal/program makes a fingerprint of it.
package popbench

import "embed"

// Source is the files of every package that decides what the steps of a record
// are, and the module's files for the versions of its dependencies. What a suite
// file says (internal/config) is in each record, and the commands, reports and
// the reading of records change no step: these are left out. A test of
// internal/program fails when a package or a file is missing here. The patterns
// take in tests too, which nothing counts.
//
//go:embed source.go go.mod go.sum
//go:embed algorithms/*.go algorithms/popbo/*.go algorithms/baselines/*/*.go
//go:embed kernel/*.go space/*.go problems/*.go gpsample/*.go pmv/*.go
//go:embed internal/rng/*.go internal/convex/*.go internal/gp/*.go internal/search/*.go internal/suite/*.go
//go:embed internal/runner/cell.go
//go:embed internal/runlog/record.go internal/runlog/codec.go internal/runlog/metrics.go internal/runlog/check.go internal/runlog/layout.go
var Source embed.FS
