package archtest

import (
	"context"
	"fmt"
	"go/types"
	"maps"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"popbench/algorithms"
	"popbench/algorithms/baselines/challenger"
	"popbench/algorithms/baselines/dts"
	"popbench/algorithms/baselines/ginop"
	"popbench/algorithms/baselines/gpucb"
	"popbench/algorithms/baselines/maxminlcb"
	"popbench/algorithms/baselines/mrlpf"
	"popbench/algorithms/baselines/qeubo"
	"popbench/algorithms/baselines/random"
	"popbench/algorithms/baselines/settings"
	"popbench/algorithms/baselines/sgp"
	"popbench/algorithms/popbo"
	"popbench/bench"
	"popbench/configs"
	"popbench/gpsample"
	"popbench/internal/check"
	"popbench/kernel"
	"popbench/pmv"
	"popbench/problems"
	"popbench/record"
	"popbench/space"
	"popbench/suite"
)

// zeroTypes points to the zero value of every exported type, except interfaces.
var zeroTypes = []any{
	new(algorithms.Belief), new(algorithms.BeliefDriver), new(algorithms.Comparison), new(algorithms.Driver), new(algorithms.Enclosure), new(algorithms.Fits),
	new(algorithms.Gamma), new(algorithms.InForce), new(algorithms.Kind), new(algorithms.Known), new(algorithms.Metric), new(algorithms.Pilot), new(algorithms.Prior), new(algorithms.PriorFamily),
	new(algorithms.Progress), new(algorithms.Proof), new(algorithms.Proposal), new(algorithms.Query), new(algorithms.Range),
	new(algorithms.Recommendation), new(algorithms.Setup), new(algorithms.SolveInput), new(algorithms.Spec), new(algorithms.State),
	new(algorithms.Streams), new(algorithms.TieBeliefDriver), new(algorithms.TieDriver), new(algorithms.Undefined), new(algorithms.Uses), new(algorithms.ValueDriver),
	new(popbo.AdvantageAtMax), new(popbo.BetaConfig), new(popbo.Estimate), new(popbo.Function), new(popbo.Model),
	new(popbo.POPBO), new(popbo.Proof), new(popbo.QueryBounds), new(popbo.Solution), new(popbo.SolveResult), new(popbo.Status),
	new(popbo.Theory),
	new(challenger.Challenger),
	new(dts.Copeland), new(dts.DTS), new(dts.PairValue), new(dts.Posterior), new(dts.Solution),
	new(ginop.BetaConfig),
	new(gpucb.BetaConfig), new(gpucb.GPUCB),
	new(maxminlcb.BetaConfig), new(mrlpf.BetaConfig),
	new(settings.Duelling),
	new(qeubo.Fit), new(qeubo.KernelSlope), new(qeubo.Maximum), new(qeubo.Posterior),
	new(qeubo.Proof), new(qeubo.QEUBO), new(qeubo.QueryValue), new(qeubo.Solution),
	new(settings.Utility),
	new(sgp.Approximation), new(sgp.Believed), new(sgp.EPosterior), new(sgp.FitConfig), new(sgp.SGP), new(sgp.Sampled),
	new(sgp.Solution),
	new(bench.Option), new(bench.RunOptions), new(configs.Suite),
	new(gpsample.Function), new(gpsample.Maximum),
	new(kernel.Config),
	new(pmv.Input), new(pmv.Limits), new(pmv.Result),
	new(problems.Answer), new(problems.Calibration), new(problems.Function), new(problems.Grid), new(problems.Link), new(problems.Model),
	new(problems.Observer), new(problems.Optimum), new(problems.Oracle), new(problems.Problem), new(problems.RKHS), new(problems.Scale),
	new(problems.Spec), new(problems.Uniform),
	new(record.Algorithm), new(record.Arms), new(record.Belief), new(record.Build), new(record.Calibration),
	new(record.Cause), new(record.Contents), new(record.Disclosure), new(record.Failure), new(record.Feedback),
	new(record.Folder), new(record.Footer), new(record.Grid), new(record.GridHeader), new(record.GridProblem),
	new(record.Header), new(record.HeldOut), new(record.HeldOutPlan), new(record.Imported), new(record.InForce),
	new(record.Issue), new(record.Kernel), new(record.Kind), new(record.Leaf), new(record.LeftOutError),
	new(record.List), new(record.Merged), new(record.Metric), new(record.MetricType), new(record.Metrics),
	new(record.Oracle), new(record.Outcome), new(record.Part), new(record.Per), new(record.Problem),
	new(record.Program), new(record.ProgramFile), new(record.Range), new(record.Reader),
	new(record.Recommendation), new(record.Record), new(record.Repetitions), new(record.Run),
	new(record.ScaleRange), new(record.Step), new(record.Timing), new(record.Uniform),
	new(space.Arms), new(space.Box), new(space.Frame),
	new(suite.Abilities), new(suite.Algorithm), new(suite.Arms), new(suite.Catalogue), new(suite.Cell), new(suite.Constructor),
	new(suite.Data), new(suite.Duel), new(suite.Finite), new(suite.Fits), new(suite.HeldOut), new(suite.HeldOutSet),
	new(suite.Limits), new(suite.Objective), new(suite.Oracle), new(suite.OracleScale), new(suite.Pilot), new(suite.Problem),
	new(suite.Program), new(suite.Programs), new(suite.Series), new(suite.Setting), new(suite.Suite), new(suite.Trial),
}

// functions are the exported functions, generic ones with some types.
var functions = []any{
	algorithms.CheckComparison, algorithms.CheckValues, algorithms.Drive[random.Config, algorithms.Method],
	algorithms.Duel, algorithms.Enclosed, algorithms.IsUndefined, algorithms.LengthscaleMetrics, algorithms.NewPilot,
	algorithms.NewSharedPilot, algorithms.NewStreams, algorithms.Restore[algorithms.Resumable], algorithms.Select,
	algorithms.Unproved, popbo.NewModel, popbo.Solve,
	dts.Solve,
	qeubo.Solve, settings.DefaultUtility, settings.PairwiseGP,
	sgp.Solve,
	settings.DefaultDuelling, bench.Algorithm[random.Config, algorithms.Algorithm],
	bench.Method[random.Config, algorithms.Method], bench.Problem, bench.Run, bench.Execute, bench.Catalogue, bench.Solver[random.Config, int],
	configs.Field, configs.Paper, configs.PaperNamed, configs.Suites, configs.Template, configs.Tuning, gpsample.Draw,
	gpsample.DrawAuthorsCode, gpsample.Interpolate, pmv.Compute, pmv.Evaluate, pmv.PPDPercent, pmv.SaturationPressurePa,
	problems.Links, problems.Lookup, problems.Names, problems.New, problems.NewDrawn, problems.NewObserver,
	problems.NewOracle, problems.Scales, problems.Table, problems.ToRange,
	record.Causes, record.CellID, record.CheckFolder, record.Compact, record.Count, record.Create, record.Decode,
	record.DecodeGrid, record.EarliestNames, record.Encode, record.EncodeGrid, record.Folders, record.GridPath,
	record.Group, record.IsCompact, record.Leaves, record.Lock, record.Merge, record.Open, record.ReadFile, record.ReadGrid, record.ReadIn,
	record.WriteArchive, record.ReadList, record.ReadRun, record.ReadSeconds, record.RecordPath, record.Replace, record.RoundGrid,
	record.StderrPath, record.TimingPath, record.WriteCompact, record.WriteFile,
	kernel.Sum, kernel.Supremum, space.Cube, space.Centre, space.Key, space.New,
	space.NewArms, space.NewFrame, space.Of, space.Parts,
	suite.Describe, suite.DescribeOracle, suite.Instance, suite.Load, suite.NewPrograms,
	suite.Of[random.Config, algorithms.Algorithm], suite.Parse, suite.Schema,
}

// refusals has what may panic, because it has no error to return, and what it then says.
var refusals = map[string]string{
	"algorithms.NewStreams":                "random streams with a key of 0 words",
	"algorithms/popbo.Model.AddComparison": "comparison",
	"algorithms/popbo.Model.AddPoint":      "a Model without kernel holds no points",
	"algorithms/popbo.Model.SolveMLE":      "norm = 0 must be positive",
	"algorithms/popbo.NewModel":            "a model needs a kernel",
	"problems.NewObserver":                 "an observer needs a problem and a random stream",
	"problems.NewOracle":                   "an oracle needs a problem and a random stream",
	"space.Box.Clip":                       "a point has 1 coordinates; the box has 0",
	"space.Box.FromUnit":                   "a point has 1 coordinates; the box has 0",
	"space.Box.Grid":                       "a grid needs 2 points per dimension or more",
	"space.Box.Sample":                     "a point has 1 coordinates; the box has 0",
	"space.Arms.At":                        "of 0",
	"space.Arms.Sample":                    "arm 0 of 0",
	"space.Box.ToUnit":                     "a point has 1 coordinates; the box has 0",
	"space.Frame.FromUnit":                 "a point has 1 coordinates; the box has 0",
	"space.Frame.ToUnit":                   "a point has 1 coordinates; the box has 0",
	"space.Cube":                           "box: it is empty",
}

// A zero value, and a function without values, gives an error or a zero answer. Only refusals panic.
func TestZeroValues(t *testing.T) {
	t.Chdir(t.TempDir()) // some write files
	calls := map[string]func() reflect.Value{}
	for _, f := range functions {
		calls[functionName(f)] = func() reflect.Value { return reflect.ValueOf(f) }
	}
	for _, zero := range slices.Concat(zeroTypes, builtIn(calls)) {
		pointer := reflect.TypeOf(zero)
		for i := range pointer.NumMethod() {
			calls[typeName(pointer.Elem())+"."+pointer.Method(i).Name] = func() reflect.Value { return reflect.New(pointer.Elem()).Method(i) }
		}
	}
	refused := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(calls)) {
		for what, argument := range map[string]func(*testing.T, reflect.Type) reflect.Value{"zero": zeroArgument, "small": smallArgument} {
			f := calls[name]()
			switch said := panics(t, f, argument); {
			case said == "":
			case refusals[name] == "" || !strings.Contains(said, refusals[name]) || returnsError(f.Type()):
				t.Errorf("%s, called with %s values, panics: %s", name, what, said)
			default:
				refused[name] = true
			}
		}
	}
	for name := range refusals {
		check.Equal(t, name+" panics, or else is no refusal", refused[name], true)
	}
}

// builtIn adds Default and New of each built-in method, and returns its empty Config.
func builtIn(calls map[string]func() reflect.Value) (configs []any) {
	var cat suite.Catalogue
	for _, name := range cat.Algorithms() {
		config := reflect.TypeOf(cat.Settings(name)).Elem()
		folder := strings.TrimSuffix(typeName(config), config.Name())
		configs = append(configs, reflect.New(config).Interface())
		calls[folder+"Default"] = func() reflect.Value { return reflect.ValueOf(func() any { return cat.Settings(name) }) }
		calls[folder+"New"] = func() reflect.Value {
			return reflect.ValueOf(func(s algorithms.Setup) error { return check.Err(cat.New(name, s, reflect.New(config).Interface())) })
		}
	}
	return configs
}

// panics calls f and returns what it says if it panics.
func panics(t *testing.T, f reflect.Value, argument func(*testing.T, reflect.Type) reflect.Value) (said string) {
	arguments := make([]reflect.Value, f.Type().NumIn())
	for i := range arguments {
		arguments[i] = argument(t, f.Type().In(i))
	}
	defer func() {
		if p := recover(); p != nil {
			said = fmt.Sprint(p)
		}
	}()
	if f.Type().IsVariadic() {
		f.CallSlice(arguments)
	} else {
		f.Call(arguments)
	}
	return ""
}

// returnsError reports whether the last result of a function is an error.
func returnsError(f reflect.Type) bool {
	n := f.NumOut()
	return n > 0 && f.Out(n-1) == reflect.TypeFor[error]()
}

// zeroArgument returns the zero value of a type; a context is never nil.
func zeroArgument(t *testing.T, of reflect.Type) reflect.Value {
	if of == reflect.TypeFor[context.Context]() {
		return reflect.ValueOf(t.Context())
	}
	return reflect.Zero(of)
}

// smallArgument returns a value that a caller may give: numbers are 1, slices have one element.
func smallArgument(t *testing.T, of reflect.Type) reflect.Value {
	switch {
	case of == reflect.TypeFor[*rand.Rand]():
		return reflect.ValueOf(rand.New(rand.NewPCG(1, 2)))
	case of.Kind() == reflect.Slice:
		return reflect.Append(reflect.Zero(of), smallArgument(t, of.Elem()))
	case of.Kind() == reflect.Pointer:
		return reflect.New(of.Elem())
	case of.Kind() == reflect.String:
		return reflect.ValueOf("x").Convert(of)
	case reflect.ValueOf(1).CanConvert(of):
		return reflect.ValueOf(1).Convert(of)
	}
	return zeroArgument(t, of)
}

// The lists above are complete.
func TestZeroValuesAreComplete(t *testing.T) {
	var listed []string
	for _, zero := range zeroTypes {
		listed = append(listed, typeName(reflect.TypeOf(zero).Elem()))
	}
	for _, f := range functions {
		listed = append(listed, functionName(f))
	}
	calls := map[string]func() reflect.Value{}
	for _, config := range builtIn(calls) {
		listed = append(listed, typeName(reflect.TypeOf(config).Elem()))
	}
	listed = slices.AppendSeq(append(listed, "bench.Main"), maps.Keys(calls)) // Main has the arguments of the process
	var exported []string
	for _, p := range public(t) {
		if p.Name() != "algotest" { // its functions need a test
			exported = append(exported, callable(p)...)
		}
	}
	for _, name := range exported {
		check.That(t, slices.Contains(listed, name), "%s is not in zero_test.go; add it to zeroTypes or functions", name)
	}
	for _, name := range listed {
		check.That(t, slices.Contains(exported, name), "%s is in zero_test.go and not exported", name)
	}
}

// callable returns the exported types and functions of a package, without interfaces and aliases.
func callable(p *types.Package) []string {
	var names []string
	for _, name := range p.Scope().Names() {
		obj := p.Scope().Lookup(name)
		t, isType := obj.(*types.TypeName)
		_, isFunc := obj.(*types.Func)
		if obj.Exported() && (isFunc || isType && !t.IsAlias() && !types.IsInterface(t.Type())) {
			names = append(names, strings.TrimPrefix(p.Path(), module)+"."+name)
		}
	}
	return names
}

// functionName is the name of an exported function, as callable returns it.
func functionName(f any) string {
	name, _, _ := strings.Cut(runtime.FuncForPC(reflect.ValueOf(f).Pointer()).Name(), "[")
	return strings.TrimPrefix(name, module)
}

// typeName is the name of an exported type, as callable returns it.
func typeName(t reflect.Type) string { return strings.TrimPrefix(t.PkgPath(), module) + "." + t.Name() }
