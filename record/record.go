// Package record reads and writes records on disk. A record is a JSON Lines file for one cell (a
// repetition of an algorithm on a problem): a header, a line for each step, and a footer. Records
// describe themselves, so a report needs only the results folder. Nothing in a record varies from
// run to run; times and hosts, which do, go into a separate measurement file.
//
// [Open] reads the folder that bench run writes. Values of f are in the scale of the suite and are
// maximised; see [Problem].
package record

import (
	"encoding/json"
	"strings"
)

// Format is the version of the record layout. Records of another version are refused.
const Format = 2

// Header is the first line of a record: everything known before the first step.
type Header struct {
	Kind       string    `json:"kind"`   // "header"
	Format     int       `json:"format"` // Format
	Suite      string    `json:"suite"`
	SuiteTitle string    `json:"suite_title,omitempty"`
	Paper      string    `json:"paper,omitempty"` // experiment of the paper that the suite reproduces, e.g. "test-functions"
	Cell       string    `json:"cell"`            // CellID: problem/label/repetition, unique in the suite
	Problem    Problem   `json:"problem"`
	Algorithm  Algorithm `json:"algorithm"`
	Repetition int       `json:"repetition"` // from 0
	Seed       uint64    `json:"seed"`       // of the suite
	Budget     int       `json:"budget"`     // planned steps
	// FirstDuels is the number of first steps that are duels of random points, which the harness chose and which are
	// the same for all algorithms of a repetition.
	FirstDuels int   `json:"first_duels,omitempty"`
	Snapshots  []int `json:"snapshots,omitempty"` // steps whose Belief is recorded
	// HeldOut has the numbers of random points and duels that score an algorithm's estimate after the
	// last step and at the snapshots; nil if there are none.
	HeldOut *HeldOutPlan `json:"held_out,omitempty"`
	// Headline is the metric that the suite names for its headline; "" for the usual one.
	Headline string `json:"headline,omitempty"`
	// PilotComparisons is the number of comparisons of random points before the first step.
	PilotComparisons int     `json:"pilot_comparisons"`
	PilotPer         Per     `json:"pilot_per,omitempty"` // which runs share them
	Oracle           *Oracle `json:"oracle,omitempty"`    // nil if it is Bradley-Terry-Luce
	ConfigHash       string  `json:"config_hash"`         // of everything that determines the steps except the repetition
	// Imported says that bench import made the record from a table of numbers; nil if it was run.
	Imported *Imported `json:"imported,omitempty"`
	// Compact says that the steps lack what [Compact] leaves out.
	Compact bool `json:"compact,omitempty"`
	Build
}

// Imported describes the table behind an imported record. The record has the numbers of the table
// and nothing else: no box, no points and no answers. Values are relative to the optimum, which is
// then 0; if it is unknown, they stay as they are. A step's utilities are the best utility of any
// point until then, if the table says it, and the utility of the query's new point, if it has one.
// The record's Build is the program that imported it.
type Imported struct {
	File      string `json:"file"`                // its name, without the folder
	SHA256    string `json:"sha256"`              // of its bytes, hexadecimal
	Dimension int    `json:"dimension,omitempty"` // of the problem; 0 if the table does not say
}

// Problem describes the problem. Values are in the scale of the suite, scaled = (raw - Shift) *
// Factor, and are maximised. A cell that failed before its instance existed has no Factor, and may
// have no bounds and no Optimum.
type Problem struct {
	Name        string      `json:"name"`
	Title       string      `json:"title"`
	Source      string      `json:"source"`
	Lo          []float64   `json:"lo"`
	Hi          []float64   `json:"hi"`
	Arms        *Arms       `json:"arms,omitempty"` // nil if the domain is the box
	Scale       string      `json:"scale"`          // raw | std | standardise | standardise-uniform | range [lo, hi]
	Shift       float64     `json:"shift"`
	Factor      float64     `json:"factor"`            // negative if the raw problem is minimised; 0 if the cell failed before the instance existed
	Optimum     *float64    `json:"optimum,omitempty"` // nil if unknown
	OptimumX    [][]float64 `json:"optimum_x,omitempty"`
	Program     *Program    `json:"program,omitempty"`      // that evaluates it; nil if bench does
	OptimumHow  string      `json:"optimum_how,omitempty"`  // how it was established, for a drawn function
	GridOptimum *float64    `json:"grid_optimum,omitempty"` // the paper's optimum: the best of its grid
	Norm        *float64    `json:"norm,omitempty"`         // RKHS norm of the scaled objective under the algorithm's kernel, if known
	Uniform     *Uniform    `json:"uniform,omitempty"`
}

// Arms describes a finite domain. Lo and Hi of the problem are then its bounds.
type Arms struct {
	Count  int    `json:"count"`
	SHA256 string `json:"sha256"` // of the features as JSON, a list of lists
	// Data is the file that has the arms and their values; nil if there is none.
	Data *ProgramFile `json:"data,omitempty"`
}

// Uniform is the suboptimality of a uniformly random point, and of the best of K such points if
// their values were known. If the optimum is unknown, suboptimality is relative to 0, so Mean =
// -(mean of f). A reader of the whole folder adds the best value found there to Mean and BestMean.
type Uniform struct {
	Mean     float64 `json:"mean"`
	Std      float64 `json:"std"`
	K        int     `json:"k"`
	BestMean float64 `json:"best_mean"`
	BestStd  float64 `json:"best_std"`
}

// Algorithm describes the algorithm with its complete settings, defaults included. A cell that
// failed before its algorithm existed has no Feedback, InForce and Metrics.
type Algorithm struct {
	Name      string          `json:"name"`
	Label     string          `json:"label"`
	Program   *Program        `json:"program,omitempty"` // of an external algorithm; nil if it is built in
	Settings  json.RawMessage `json:"settings"`
	Feedback  Feedback        `json:"feedback,omitempty"`
	Disclosed Disclosure      `json:"disclosed"`
	InForce   *InForce        `json:"in_force,omitempty"` // nil if the algorithm has no such prior
	Metrics   []MetricType    `json:"metrics,omitempty"`  // declares the metrics of every step, in order
}

// Program describes a program of the suite's owner. The program reports Name, Version, Provenance and
// Random; they are empty in the record of a cell that failed before the report.
type Program struct {
	Command    []string        `json:"command"`         // as the suite has it
	Files      []ProgramFile   `json:"files,omitempty"` // files among the arguments, and files that the suite lists
	Threads    int             `json:"threads"`         // that its libraries may use
	Name       string          `json:"name,omitempty"`
	Version    string          `json:"version,omitempty"`
	Provenance json.RawMessage `json:"provenance,omitempty"` // an object with sorted keys
	Random     bool            `json:"random,omitempty"`     // equal seeds may give other results
}

// Reported is what the program reports, on one line: name, version and provenance; "" if nothing.
func (p *Program) Reported() string {
	if p == nil {
		return ""
	}
	text := p.Name + " " + p.Version
	if len(p.Provenance) > 0 {
		text += " " + string(p.Provenance)
	}
	return strings.TrimSpace(text)
}

// ProgramFile is a file of a program, by its path in the suite.
type ProgramFile struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
}

// Feedback is what an algorithm learns from.
type Feedback string

const (
	Comparisons Feedback = "comparisons"
	Values      Feedback = "values" // noisy values of f, which no decision maker can give
)

// Disclosure is what the experiment tells the algorithm about the objective.
type Disclosure string

const (
	DisclosedNone          Disclosure = "none"
	DisclosedKernel        Disclosure = "kernel"
	DisclosedKernelAndNorm Disclosure = "kernel-and-norm"
)

// InForce is the prior that an algorithm uses at its first step, after disclosure
// and fitting.
type InForce struct {
	Kernel    *Kernel `json:"kernel,omitempty"`     // nil if it has none
	NormBound float64 `json:"norm_bound,omitempty"` // 0 if it has none
	// Refitted means that the algorithm fits lengthscales and variance again as it learns.
	Refitted bool `json:"refitted,omitempty"`
	// Range is the range in which the lengthscales were fitted to pilot comparisons; nil if they
	// were not fitted, or if the record is older than this key.
	Range *Range `json:"lengthscale_range,omitempty"`
}

// Range has the ends of a range for each lengthscale, in units of x.
type Range struct {
	Lo []float64 `json:"lo"`
	Hi []float64 `json:"hi"`
}

// Kernel is a covariance function with its parameters; see the package kernel.
type Kernel struct {
	Family      string    `json:"family"`
	Nu          float64   `json:"nu,omitempty"`
	Variance    float64   `json:"variance"`
	Lengthscale []float64 `json:"lengthscale"` // in units of x: one value, or one per coordinate
}

// Per says which runs share pilot comparisons.
type Per string

const (
	// PerProblem means all runs of a suite on a problem, unless each repetition has its own
	// function. It is empty because older records have no such key.
	PerProblem Per = ""
	// PerRepetition means the algorithms of one repetition.
	PerRepetition Per = "repetition"
)

// SharesPilot reports whether the runs on a problem share the same pilot comparisons, unless each repetition
// has its own function.
func (h *Header) SharesPilot() bool { return h.PilotComparisons > 0 && h.PilotPer == PerProblem }

// Step is one query, its answer, and the recommendations that follow.
type Step struct {
	Kind    string      `json:"kind"`    // "step"
	T       int         `json:"t"`       // from 1
	Points  [][]float64 `json:"points"`  // two or more, each of length d
	New     int         `json:"new"`     // the last New points are new in this step
	Utility []float64   `json:"utility"` // f at Points, scaled; the algorithm never sees it
	Winner  int         `json:"winner"`
	Tie     bool        `json:"tie,omitempty"` // there is no winner; Winner is 0
	// TrueLogLikelihood is the log-likelihood of all answers so far but ties, under f and the
	// Bradley-Terry-Luce model, whatever the oracle. If the oracle has this model, a likelihood-ratio
	// confidence set has f if TrueLogLikelihood is at most beta below the estimate's log-likelihood.
	TrueLogLikelihood float64          `json:"true_log_likelihood"`
	Recommendations   []Recommendation `json:"recommendations"` // the selected rule's comes first
	Metrics           Metrics          `json:"metrics,omitempty"`
	Belief            *Belief          `json:"belief,omitempty"`
	HeldOut           *HeldOut         `json:"held_out,omitempty"`
	// Self says, in a compact record, that all points are the same.
	Self bool `json:"self,omitempty"`
}

// Regret is the instantaneous regret of the step: the mean of optimum - f(x) over its new points x, 0 without new points.
// optimum is [Problem.Optimum], the maximum of f.
func (s *Step) Regret(optimum float64) (regret float64) {
	for _, f := range s.Utility[len(s.Utility)-s.New:] {
		regret += (optimum - f) / float64(s.New)
	}
	return regret
}

// HeldOut says how well an algorithm's estimate of f predicts, after a step, duels between random points that it has not
// seen, and the order of these points. The points, duels and answers depend only on seed, problem and repetition.
type HeldOut struct {
	// Duels is the number of duels whose answer names a winner.
	Duels int `json:"duels"`
	// LogLoss is the mean over these duels of -log σ(estimate at the winner - estimate at the loser), in nats, with the
	// unit logistic function σ. An estimate in another unit is scored as it stands.
	LogLoss float64 `json:"log_loss"`
	// TrueLogLoss is the LogLoss of f itself.
	TrueLogLoss float64 `json:"true_log_loss"`
	// Tau is Kendall's τ_b of the estimate and f at the points; nil if one of them is the same everywhere.
	Tau *float64 `json:"tau,omitempty"`
}

// HeldOutPlan has the numbers of held-out points and duels.
type HeldOutPlan struct {
	Duels  int `json:"duels"`
	Points int `json:"points"` // between which the duels are
}

// Belief is an algorithm's model of a 1-D objective after a step, on a grid that includes both ends
// of the box. All slices have the same length.
type Belief struct {
	X        []float64 `json:"x"`
	Utility  []float64 `json:"utility"`
	Estimate []float64 `json:"estimate"`
	Lower    []float64 `json:"lower"`
	Upper    []float64 `json:"upper"`
}

// Recommendation is a recommended point, the rule that chose it, and the value of f there.
type Recommendation struct {
	Rule    string    `json:"rule"`
	X       []float64 `json:"x"`
	Utility float64   `json:"utility"`
}

// Footer ends a record; a file without one is incomplete.
type Footer struct {
	Kind    string  `json:"kind"` // "footer"
	Steps   int     `json:"steps"`
	Status  string  `json:"status"`            // OK | Failed
	Outcome Outcome `json:"outcome,omitempty"` // what a program did wrong; empty if none did
	// Error and Stack say why a failed cell has fewer steps than planned. Stack is the call stack
	// of a panic, innermost call first.
	Error  string   `json:"error,omitempty"`
	Stack  []string `json:"stack,omitempty"`
	SHA256 string   `json:"sha256"` // of all bytes before the footer's line, hexadecimal
}

// The values of Footer.Status.
const (
	OK     = "ok"     // all planned steps were made
	Failed = "failed" // the cell stopped early; Footer.Error says why
)

// Outcome is what a program of the suite's owner did wrong.
type Outcome string

const (
	ProgramError   Outcome = "error"    // it answered with an error
	Crash          Outcome = "crash"    // it ended
	TimedOut       Outcome = "timeout"  // it did not answer in time
	ProtocolBroken Outcome = "protocol" // it wrote something else than the answer
	Invalid        Outcome = "invalid"  // its answer is not a result of the method
)

// Timing is the measurement file of a cell: everything that may differ between two runs of the same
// cell.
type Timing struct {
	Cell        string    `json:"cell"`
	Host        string    `json:"host"`
	CPU         string    `json:"cpu"`
	Workers     int       `json:"workers"`
	Started     string    `json:"started"`      // RFC 3339
	AskSeconds  []float64 `json:"ask_seconds"`  // wall, one a step
	TellSeconds []float64 `json:"tell_seconds"` // wall, one a step; includes recommending

	// Plan is the SHA-256 of the run's plan before the run began, in hexadecimal; "" if there was no plan.
	Plan string `json:"plan,omitempty"`

	// Stderr is what the cell's programs wrote to standard error. It has a file of its own, beside
	// the timing.
	Stderr []byte `json:"-"`
}

// Run is the provenance file of a results folder: the last command that wrote records.
type Run struct {
	Command []string `json:"command"`
	Suite   string   `json:"suite"`   // path of the suite file as given
	Started string   `json:"started"` // RFC 3339
	Host    string   `json:"host"`
	CPU     string   `json:"cpu"`
	Workers int      `json:"workers"`
	Build
}

// Record is a complete record in memory.
type Record struct {
	Header Header
	Steps  []Step
	Footer Footer
}

// OK reports whether the cell made all its steps.
func (r *Record) OK() bool { return r.Footer.Status == OK }
