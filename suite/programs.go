package suite

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"popbench/algorithms"
	"popbench/internal/math/rng"
	"popbench/internal/protocol/external"
	"popbench/internal/protocol/wire"
	"popbench/problems"
	"popbench/record"
)

// source is where the instances of a problem come from: the catalogue, or a program.
type source struct {
	spec      *problems.Spec      // of the catalogue; nil if a program evaluates the problem
	objective *external.Objective // the program; nil if the problem is in the catalogue
	program   *record.Program     // describes the program; nil if there is none
	entry     Problem
	arms      *record.Arms // nil if the domain is a box, or nobody knows yet
	absent    error        // why there are no instances: the data file is not there
}

// source returns the source of a problem of the suite.
func (s *Suite) source(p Problem, programs *Programs) (source, error) {
	if p.External() {
		told := external.Told{Box: p.Box, Optimum: p.Optimum}
		var err error
		if p.Arms != nil {
			told.Arms, err = armsOf(p.Arms, p.Box)
		}
		if err != nil {
			return source{}, fmt.Errorf("problem %s: %w", p.Label, err)
		}
		program := programOf(p.Program, s.Dir)
		return source{objective: programs.processes().Objective(program, told), program: program.Record(), entry: p}, nil
	}
	from := source{entry: p}
	var err error
	if p.Name == Table {
		from.spec, err = table(s, p)
	} else {
		from.spec, err = s.catalogue.Problem(p.Name)
		switch {
		case err != nil:
		case p.Arms != nil:
			from.spec, err = onArms(from.spec, p)
		case p.Label != "":
			named := *from.spec
			named.Name, named.Title = p.Label, p.Label
			from.spec = &named
		}
	}
	if absent := absentFile(""); errors.As(err, &absent) {
		from.absent = algorithms.Undefined(absent.Error())
		return from, nil
	}
	if err == nil {
		err = from.spec.CheckScale(scale(p))
	}
	if err == nil && from.spec.Arms != nil {
		from.arms = armsRecord(from.spec.Arms, p.Data)
	}
	return from, err
}

// template returns what the records of a problem have in common before it is known how a program
// describes it.
func (s source) template() record.Problem {
	if s.spec != nil {
		return record.Problem{
			Name: s.spec.Name, Title: s.spec.Title, Source: s.spec.Source,
			Lo: s.spec.Box.Lo, Hi: s.spec.Box.Hi, Scale: string(scale(s.entry)), Arms: s.arms,
			Optimum: new(float64), // a cell that fails before its instance exists has always recorded 0
		}
	}
	p := record.Problem{Name: s.entry.Label, Title: s.entry.Label, Scale: string(scale(s.entry)), Program: s.program}
	if b := s.entry.Box; b != nil {
		p.Lo, p.Hi = b.Lo, b.Hi
	}
	return p
}

// open returns the spec of the problem for one cell. Its functions are evaluated by evaluator, which
// is nil for a problem of the catalogue and has to be closed otherwise, also after an error.
func (s source) open(ctx context.Context) (*problems.Spec, *external.Evaluator, *record.Program, error) {
	if s.objective == nil {
		return s.spec, nil, nil, s.absent
	}
	evaluator := s.objective.For()
	d, err := evaluator.Describe(ctx)
	if err != nil {
		return nil, evaluator, nil, err
	}
	f := problems.Function{
		Box: d.Box, Arms: d.Arms, Minimise: s.entry.Minimize, Measure: evaluator.Evaluate,
		DivideBy: s.entry.DivideBy, RandomPoints: s.entry.RandomPoints,
		Optimum: problems.Optimum{Unknown: true},
	}
	if d.Optimum != nil {
		f.Optimum = problems.Optimum{Value: *d.Optimum, X: d.OptimumX}
	}
	spec, err := problems.New(problems.Spec{Name: s.entry.Label, Title: s.entry.Label, Source: d.Source}, f)
	return spec, evaluator, d.Program, err
}

// Evaluator returns a problem of the suite, for evaluations outside a run, and a function that ends
// them and returns what a program wrote to standard error. Call end also after an error.
func (s *Suite) Evaluator(ctx context.Context, p Problem, programs *Programs) (spec *problems.Spec, end func() (stderr []byte), err error) {
	from, err := s.source(p, programs)
	if err != nil {
		return nil, (*external.Evaluator)(nil).Close, err
	}
	spec, evaluator, _, err := from.open(ctx)
	return spec, evaluator.Close, err
}

// programOf returns how to run a program of the suite in the folder dir.
func programOf(p Program, dir string) external.Program {
	initialize, call := p.Limits.Times()
	return external.Program{
		Command: p.Command, Dir: dir, Files: p.Hashes, Threads: p.Threads, Fresh: p.Reuse == "cell",
		Initialize: initialize, Call: call, Memory: p.Limits.Bytes(),
	}
}

// startOf returns how a cell of an external algorithm starts. Its random stream is the same as of a built-in algorithm with
// the name that the program reports.
func startOf(a *external.Algorithm, h *record.Header, setup algorithms.Setup) wire.Start {
	start := external.StartOf(setup, rng.Key(h.Seed, "algorithm", a.Name(), h.Problem.Name, strconv.Itoa(h.Repetition)))
	start.Cell, start.Settings = h.Cell, h.Algorithm.Settings
	return start
}

// Programs has the processes of the programs of a suite's owner, which serve many cells in turn. A nil pointer and the zero
// value start none.
type Programs struct{ pool *external.Pool }

// NewPrograms returns Programs that start processes as cells need them. Close them after the run. A command of the suite
// whose first word is bench starts the command bench with the other words; if bench is nil, PATH decides. stderr says where
// people find what programs write to standard error; "" means beside the cell's timing.
func NewPrograms(bench []string, stderr string) *Programs {
	return &Programs{&external.Pool{Self: bench, Stderr: stderr}}
}

// Running returns the number of processes.
func (p *Programs) Running() int { return p.processes().Programs() }

// Close ends all processes.
func (p *Programs) Close() { p.processes().Close() }

func (p *Programs) processes() *external.Pool {
	if p == nil {
		return nil
	}
	return p.pool
}
