package suite

import (
	"cmp"
	"errors"
	"strconv"
	"strings"

	"popbench/problems"
	"popbench/record"
	"popbench/space"
)

// HeldOut has the number of random duels that score the algorithms' estimates, and the number of random points between which
// they are. A file may give the number of duels alone.
type HeldOut struct {
	Duels  int `json:"duels" alone:"true" required:"true" min:"1" max:"100000" doc:"Number of duels."`
	Points int `json:"points" min:"2" max:"1000" doc:"Number of points between which they are, or all arms of a finite domain if it has fewer; of an external objective, each run evaluates as many more."`
}

// Problem names a problem of the catalogue and how its values are scaled, or a program that evaluates it. A file may give
// the name alone.
type Problem struct {
	Name   string    `json:"name" alone:"true" required:"true" doc:"A problem that bench list shows; external: a program of your own; or table: a finite set with its values."`
	Scale  string    `json:"scale,omitempty" enum:"raw,std,standardise,standardise-uniform" doc:"raw: unscaled; std: divided by the standard deviation over the grid of 20 points per dimension (the paper), or by divide_by; standardise: also shifted to mean 0 there (the authors' code); standardise-uniform: mean 0 and standard deviation 1 at a uniformly random point. Functions drawn from a Gaussian process allow raw only. External problems are raw by default."`
	Range  []float64 `json:"range,omitempty" max:"2" itemMin:"-1e15" itemMax:"1e15" doc:"In place of scale, on a finite set: two numbers, onto which the values of the worst and the best arm are mapped."`
	Oracle *Oracle   `json:"oracle,omitempty" doc:"How the oracle answers on this problem; replaces all of that of the suite."`
	Finite
	Objective
	Program
}

// Finite is what a suite says about a problem on a finite set of arms.
type Finite struct {
	Arms *Arms `json:"arms,omitempty" doc:"A finite set in place of the box: a grid, or a list of points."`
	Data *Data `json:"data,omitempty" only:"table" doc:"Problems with name: table: a CSV file that has the arms and their values."`
}

// Arms is a finite set of points, given by one of Grid and Points.
type Arms struct {
	Grid   []int       `json:"grid,omitempty" max:"300" itemMin:"1" itemMax:"2048" doc:"Number of evenly spaced points of each coordinate of the box, bounds included (the centre, if 1); one number stands for all coordinates."`
	Points [][]float64 `json:"points,omitempty" max:"2048" doc:"The features of each arm; no two arms may have the same."`
	Values []float64   `json:"values,omitempty" max:"2048" itemMin:"-1e300" itemMax:"1e300" doc:"Problems with name: table: the value of each of the points."`
}

// Data is a CSV file with one arm in each row. A first row names the columns.
type Data struct {
	Path     string   `json:"path" required:"true" doc:"Its path, from the suite file's folder. Where it is absent, the cells are left out."`
	SHA256   string   `json:"sha256" required:"true" doc:"The SHA-256 of its bytes, 64 hexadecimal digits."`
	From     string   `json:"from,omitempty" doc:"Where to get it, on one line."`
	Features []string `json:"features" required:"true" min:"1" max:"300" doc:"Its columns with the features of an arm, which are numbers. Rows of equal features are one arm with their mean value."`
	Value    string   `json:"value" required:"true" doc:"Its column with the value of an arm, a number."`
}

// Objective is what a suite says about an external problem. The program may say box and optimum instead.
type Objective struct {
	Label        string     `json:"label,omitempty" doc:"Its name in figures, tables, paths and random streams, up to 100 bytes, by default the problem's; required of external ones and tables, and of all but one of several with the same name."`
	Box          *space.Box `json:"box,omitempty" only:"external" doc:"External problems: the search box, unless the program describes it; if both do, they must agree."`
	Optimum      *float64   `json:"optimum,omitempty" only:"external" min:"-1e300" max:"1e300" doc:"External problems: the best value over the box, as the program states values. Without it, regret is against the best value found."`
	Minimize     bool       `json:"minimize,omitempty" only:"external,table" doc:"External problems and tables: the values are to be minimised."`
	DivideBy     float64    `json:"divide_by,omitempty" only:"external,table" min:"0" max:"1e300" doc:"External problems with scale std, and tables: the positive number to divide values by."`
	RandomPoints int        `json:"random_points,omitempty" only:"external" min:"0" max:"1000000" doc:"External problems: number of random points that may be evaluated for the columns about random points, which are empty otherwise. In one or two dimensions as many points of a grid may be evaluated too, for figures of the objective."`
}

// Algorithm names an algorithm and its settings. A file may give the name alone.
type Algorithm struct {
	Name       string                       `json:"name" alone:"true" required:"true" doc:"An algorithm that bench list shows, or external: a program of your own."`
	Label      string                       `json:"label,omitempty" doc:"Its name in figures and tables, up to 100 bytes; by default the algorithm's name; required of external ones. Labels are unique in a suite."`
	Disclose   record.Disclosure            `json:"disclose,omitempty" enum:"none,kernel,kernel-and-norm" doc:"What the experiment tells the algorithm about a function drawn from an RKHS: none; kernel, which the algorithm uses instead of an assumed or fitted one; kernel-and-norm, also 1.1 times the function's norm as a bound on it (the paper's GP experiments)."`
	DiscloseOn map[string]record.Disclosure `json:"disclose_on,omitempty" enum:"none,kernel,kernel-and-norm" doc:"Exceptions to disclose: problem name to none, kernel or kernel-and-norm."`
	Settings   any                          `json:"settings,omitempty" doc:"Settings of the algorithm; bench list shows them with their defaults."` // after reading, a pointer to the catalogue's type
	Pilot      Pilot                        `json:"pilot,omitzero" doc:"Comparisons of random points answered before the first query, for hyper-parameters only; not counted as steps. A number N is short for {comparisons: N, per: repetition}."`
	Variants   []any                        `json:"variants,omitempty" max:"23" doc:"Further settings to compare: each is settings that replace the algorithm's key by key, and stands for an algorithm of its own, labelled LABEL 2, LABEL 3 and so on."`
	Overrides  map[string]any               `json:"overrides,omitempty" doc:"Settings that differ on a problem: problem name to settings, which replace the algorithm's key by key."` // after reading, complete settings of the catalogue's type
	Program

	// Of is, after reading, the label of the algorithm that this is a variant of. Variants is then nil.
	Of string `json:"-"`
}

// Pilot describes the pilot comparisons: comparisons of random points before the first query. A
// file may give their number alone.
type Pilot struct {
	Comparisons int    `json:"comparisons" alone:"true" required:"true" min:"0" max:"1000" doc:"Number of pilot comparisons."`
	Per         string `json:"per" enum:"repetition,problem" doc:"Which runs share them. repetition: the algorithms of one repetition, so that repetitions are independent. problem: all runs on a problem, as in the paper; results are then conditional on one draw, and intervals over the runs do not include the effect of another draw. If each repetition has its own function, it has its own pilot in either case."`
}

// Which runs share pilot comparisons.
const (
	PerRepetition = "repetition"
	PerProblem    = "problem"
)

func (p *Problem) SetDefaults() { p.Scale = "std" }

func (a *Algorithm) SetDefaults() { a.Disclose = record.DisclosedNone }

func (p *Pilot) SetDefaults() { p.Per = PerRepetition }

func (h *HeldOut) SetDefaults() { h.Points = 50 }

// SettingsFor returns the algorithm's complete settings on a problem: a pointer to the catalogue's
// type, or a map for an external algorithm, that all callers share and must not change.
func (a Algorithm) SettingsFor(problem string) any {
	if o, ok := a.Overrides[problem]; ok {
		return o
	}
	return a.Settings
}

// DiscloseFor returns what is disclosed to the algorithm on a problem.
func (a Algorithm) DiscloseFor(problem string) record.Disclosure {
	if own, ok := a.DiscloseOn[problem]; ok {
		return own
	}
	return cmp.Or(a.Disclose, record.DisclosedNone)
}

// Program says how to start a program of the suite's owner. Its keys are for entries with name: external.
type Program struct {
	Command []string `json:"command,omitempty" only:"external" max:"1000" doc:"External: the program and its arguments. It runs in the suite file's folder, without a shell. A first word without a slash is looked up in PATH; bench is the running program."`
	Files   []string `json:"files,omitempty" only:"external" max:"1000" doc:"External: files, besides those among the arguments, whose contents are part of the program's identity."`
	Reuse   string   `json:"reuse,omitempty" only:"external" enum:"process,cell" doc:"External: process (the default) runs many cells in one process; cell starts a process for each."`
	Threads int      `json:"threads,omitempty" only:"external" min:"1" max:"1024" doc:"External: threads that numerical libraries may use; 1 by default."`
	Limits  Limits   `json:"limits,omitzero" only:"external" doc:"External: limits of the program. The limit of a whole cell is the suite's timeout."`

	Hashes []record.ProgramFile `json:"-"` // of the files; see Suite.HashFiles
}

// Limits bounds what a program may use. Empty texts stand for the defaults.
type Limits struct {
	Initialize string `json:"initialize,omitempty" unit:"s" doc:"Time from its start to its first answer, e.g. 90s; 60s by default."`
	Call       string `json:"call,omitempty" unit:"s" doc:"Time for each further answer; 10m by default."`
	Memory     string `json:"memory,omitempty" unit:"GiB" doc:"Memory of the process, e.g. 512MiB or 4GiB; unlimited by default."`
}

// External is the name of algorithms and problems that are programs of the suite's owner.
const External = "external"

// External reports whether the problem is a program.
func (p Problem) External() bool { return p.Name == External }

// ID is the name of the problem in paths, overrides and random streams.
func (p Problem) ID() string {
	return cmp.Or(p.Label, p.Name)
}

// External reports whether the algorithm is a program.
func (a Algorithm) External() bool { return a.Name == External }

// Oracle describes how the oracle answers. A file may give the model alone.
type Oracle struct {
	Model     string      `json:"model" alone:"true" enum:"logistic,probit,flip,noiseless" doc:"Probability that a point wins whose utility is larger by d. logistic: 1/(1+exp(-d/scale)), Bradley-Terry-Luce; probit: the normal distribution function of d/scale; flip: the better wins with probability 1 - error_rate; noiseless: the better always wins. Queries of more than two points need logistic (exp(f/scale), normalised) or noiseless, without jnd."`
	Scale     OracleScale `json:"scale,omitzero" doc:"Scale of the noise on the difference, in units of scaled utility; 1 by default. A number, or {lo, hi} for another in each repetition, log-uniform."`
	ErrorRate *float64    `json:"error_rate,omitempty" min:"0" max:"0.5" doc:"flip: probability that the worse point wins. logistic and probit: in place of scale, which is computed so that this share of the pairs of the points under on is misjudged, without regard to jnd."`
	On        string      `json:"on,omitempty" doc:"With a computed scale: the best points whose pairs are meant, as top-P%; top-1% by default."`
	Points    int         `json:"points,omitempty" min:"2" max:"100000000" doc:"With a computed scale: number of random points among which the best are found; 1,000,000 by default. External problems are evaluated at each; they need this key. Finite sets of arms use all arms."`
	JND       float64     `json:"jnd,omitempty" min:"0" max:"1e100" doc:"Just-noticeable difference, in units of scaled utility: within it the answer is a tie. 0: no ties."`
	Ties      string      `json:"ties,omitempty" enum:"latent,hard" doc:"What jnd is compared with. latent (the default of logistic and probit): the difference with its noise; hard (the default of flip and noiseless): the difference itself."`
}

// OracleScale is the scale of the noise: Value, or a range from which each repetition draws one.
type OracleScale struct {
	Value float64 `json:"value,omitempty" alone:"true" min:"1e-100" max:"1e100" doc:"The scale of every repetition."`
	Lo    float64 `json:"lo,omitempty" min:"1e-100" max:"1e100" doc:"The smallest scale of a repetition."`
	Hi    float64 `json:"hi,omitempty" min:"1e-100" max:"1e100" doc:"The largest scale of a repetition."`
}

// Table is the name of problems that are a finite set of arms with their values.
const Table = "table"

// onArms reports whether the suite says that the domain is a finite set of arms. A program may say it too.
func (p Problem) onArms() bool { return p.Arms != nil || p.Data != nil }

// What a just-noticeable difference is compared with.
const (
	TiesLatent = "latent"
	TiesHard   = "hard"
)

func (o *Oracle) SetDefaults() { o.Model = string(problems.Logistic) }

// link is the model.
func (o *Oracle) link() problems.Link { return problems.Link(o.Model) }

// latent reports whether the model has noise with a scale.
func (o *Oracle) latent() bool { return o.link() == problems.Logistic || o.link() == problems.Probit }

// calibrated reports whether the scale is computed from an error rate.
func (o *Oracle) calibrated() bool { return o.ErrorRate != nil && o.latent() }

// drawn reports whether each repetition has its own scale.
func (o *Oracle) drawn() bool { return o.Scale.Hi > 0 }

// unit reports whether this is the oracle of suites without the key.
func (o *Oracle) unit() bool {
	return o.link() == problems.Logistic && o.Scale == OracleScale{Value: 1} && !o.calibrated() && o.JND == 0
}

// Percent returns the number in On.
func (o *Oracle) Percent() float64 {
	p, _ := parsePercent(o.On)
	return p
}

// parsePercent reads the share of best points, such as top-1%.
func parsePercent(text string) (float64, error) {
	digits, isTop := strings.CutPrefix(text, "top-")
	digits, isShare := strings.CutSuffix(digits, "%")
	p, err := strconv.ParseFloat(digits, 64)
	if err != nil || !isTop || !isShare || !(p > 0 && p <= 100) {
		return 0, errors.New("is not a share of the best points; give top-P% with P above 0 and up to 100, e.g. top-1%")
	}
	return p, nil
}

// A scale is computed from the share defaultOn of defaultPoints points. The number determines it to about one per cent.
const (
	defaultPoints = 1_000_000
	defaultOn     = "top-1%"
)
