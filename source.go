// Package popbench embeds the source code that makes records.
// internal/run/program computes its fingerprint.
package popbench

import "embed"

// Source has the files of every package that decides the steps of a record; none of them
// imports another module. The contents of a suite file are in each record; commands, reports
// and the code that reads records change no step. These are left out. A test of
// internal/run/program fails if a package or a file is missing here, or imports another
// module. The patterns also match tests, which the fingerprint ignores.
//
//go:embed source.go
//go:embed algorithms/*.go algorithms/popbo/*.go algorithms/baselines/*/*.go
//go:embed kernel/*.go space/*.go problems/*.go gpsample/*.go pmv/*.go
//go:embed algorithms/internal/arms/*.go algorithms/internal/confset/*.go algorithms/internal/duelling/*.go algorithms/internal/utility/*.go
//go:embed internal/math/fmath/*.go internal/math/wide/*.go internal/math/wide/*.s internal/math/rng/*.go internal/math/gp/*.go internal/math/search/*.go internal/math/linalg/*.go
//go:embed suite/arms.go suite/catalogue.go suite/expand.go suite/experiment.go suite/model.go suite/programs.go suite/trial.go
//go:embed internal/run/runner/cell.go internal/run/runner/heldout.go internal/protocol/external/*.go internal/protocol/wire/*.go
//go:embed record/record.go record/codec.go record/metrics.go record/check.go record/layout.go record/oracle.go
var Source embed.FS
