// Package runlog is the records on disk: one JSON Lines file a cell (one
// algorithm on one problem, one repetition), made of a header, one line a step
// and a footer. A record describes itself, so a report needs nothing but the
// results folder. Nothing in a record varies from run to run; what does (times,
// host) goes to a measurement file beside it.
package runlog

import "encoding/json"

// Format is the version of the record's layout.
const Format = 1

// Header is the first line of a record: all that is known before the first step.
type Header struct {
	Kind       string    `json:"kind"` // "header"
	Format     int       `json:"format"`
	Suite      string    `json:"suite"`
	SuiteTitle string    `json:"suite_title,omitempty"`
	Paper      string    `json:"paper,omitempty"` // experiment of the paper that the suite repeats, e.g. "test-functions"
	Cell       string    `json:"cell"`            // CellID: problem/label/repetition, unique in the suite
	Problem    Problem   `json:"problem"`
	Algorithm  Algorithm `json:"algorithm"`
	Repetition int       `json:"repetition"`          // from 0
	Seed       uint64    `json:"seed"`                // of the suite
	Steps      int       `json:"steps"`               // planned
	Snapshots  []int     `json:"snapshots,omitempty"` // steps whose Belief is recorded
	Pilot      int       `json:"pilot"`               // comparisons of random points answered before the first step
	ConfigHash string    `json:"config_hash"`         // of all that decides the steps, the repetition apart
	Build
}

// Problem is the problem as a record needs it. Values are in the suite's
// scaling: scaled = (raw - Shift) * Factor, to be maximised.
type Problem struct {
	Name        string      `json:"name"`
	Title       string      `json:"title"`
	Source      string      `json:"source"`
	Lo          []float64   `json:"lo"`
	Hi          []float64   `json:"hi"`
	Scale       string      `json:"scale"` // raw | std | standardise
	Shift       float64     `json:"shift"`
	Factor      float64     `json:"factor"` // negative where the raw problem is minimised; 0 if the cell failed before the instance was there
	Optimum     float64     `json:"optimum"`
	OptimumX    [][]float64 `json:"optimum_x,omitempty"`
	OptimumHow  string      `json:"optimum_how,omitempty"`  // how it is known, for a function that was drawn
	GridOptimum *float64    `json:"grid_optimum,omitempty"` // the paper's optimum: the best of its grid
	Norm        *float64    `json:"norm,omitempty"`         // RKHS norm of the scaled objective under the algorithm's kernel, where it is known
	Uniform     *Uniform    `json:"uniform,omitempty"`
}

// Uniform is how far from the optimum uniform random points are: one point, and
// the best of K of them if it could be told.
type Uniform struct {
	Mean     float64 `json:"mean"`
	Std      float64 `json:"std"`
	K        int     `json:"k"`
	BestMean float64 `json:"best_mean"`
	BestStd  float64 `json:"best_std"`
}

// Algorithm is the algorithm with its complete settings, defaults included.
type Algorithm struct {
	Name     string          `json:"name"`
	Label    string          `json:"label"`
	Settings json.RawMessage `json:"settings"`
}

// Step is one query, its answer, and what the algorithm would report after it.
type Step struct {
	Kind   string      `json:"kind"`   // "step"
	T      int         `json:"t"`      // from 1
	Points [][]float64 `json:"points"` // two or more, each of length d
	New    int         `json:"new"`    // the last New points were proposed by this step
	Truth  []float64   `json:"truth"`  // the objective at Points, scaled; the algorithm never sees it
	Winner int         `json:"winner"`
	// TruthLogLik is the log-likelihood of all answers so far under the true
	// objective: the truth is in a likelihood-ratio confidence set if this is not
	// below that of the estimate by more than beta.
	TruthLogLik float64  `json:"truth_loglik"`
	Reports     []Report `json:"reports"` // first the one the settings select
	Metrics     Metrics  `json:"metrics,omitempty"`
	Belief      *Belief  `json:"belief,omitempty"`
}

// Belief is what the algorithm held true of a 1-D objective after a step, on a
// grid that includes both ends of the box: all of the same length.
type Belief struct {
	X        []float64 `json:"x"`
	Truth    []float64 `json:"truth"`
	Estimate []float64 `json:"estimate"`
	Lower    []float64 `json:"lower"`
	Upper    []float64 `json:"upper"`
}

// Report is a recommended point, by which rule, and the truth there.
type Report struct {
	Rule  string    `json:"rule"`
	X     []float64 `json:"x"`
	Truth float64   `json:"truth"`
}

// Footer closes a record; a file without one is not complete.
type Footer struct {
	Kind   string `json:"kind"` // "footer"
	Steps  int    `json:"steps"`
	Status string `json:"status"` // OK | Failed
	// Error and Stack say why a failed cell has fewer steps than planned. Stack
	// is where it panicked, innermost call first.
	Error  string   `json:"error,omitempty"`
	Stack  []string `json:"stack,omitempty"`
	SHA256 string   `json:"sha256"` // of all bytes before the footer's line, hexadecimal
}

// The two ways a record can end.
const (
	OK     = "ok"     // all planned steps are there
	Failed = "failed" // the cell stopped early; Footer.Error says why
)

// Timing is the measurement file of a cell: what may differ between two runs
// of the same cell.
type Timing struct {
	Cell        string    `json:"cell"`
	Host        string    `json:"host"`
	CPU         string    `json:"cpu"`
	Workers     int       `json:"workers"`
	Started     string    `json:"started"`      // RFC 3339
	AskSeconds  []float64 `json:"ask_seconds"`  // wall, one a step
	TellSeconds []float64 `json:"tell_seconds"` // wall, one a step; reports included
}

// Run is the provenance file of a results folder: the last command that put
// records into it, and all cells that this and earlier commands chose.
type Run struct {
	Command []string `json:"command"`
	Suite   string   `json:"suite"`   // path of the suite file as given
	Started string   `json:"started"` // RFC 3339
	Host    string   `json:"host"`
	CPU     string   `json:"cpu"`
	Workers int      `json:"workers"`
	Cells   int      `json:"cells"` // that were chosen
	Build
	List // the cells that the folder should have
}

// Listed reports whether the run lists its cells; those of earlier versions do not.
func (r *Run) Listed() bool { return r.Chosen != nil }

// check checks a run.json, which may come from anywhere.
func (r *Run) check() error { return r.List.check() }

// Record is a whole record in memory.
type Record struct {
	Header Header
	Steps  []Step
	Footer Footer
}

// OK reports whether the cell ran to its last step.
func (r *Record) OK() bool { return r.Footer.Status == OK }
