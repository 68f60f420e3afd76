package record

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"popbench/internal/words"
)

// A record is checked when it is written and when it is read. Errors name the field; the caller adds the file and the line.

// Check returns an error that names the first invalid field of the header.
func (h *Header) Check() error {
	p := &h.Problem
	d := len(p.Lo)
	switch {
	case h.Kind != "header":
		return fmt.Errorf("kind is %q, not \"header\"", h.Kind)
	case h.ConfigHash == "":
		return errors.New("config_hash is empty")
	case h.Repetition < 0:
		return fmt.Errorf("repetition = %d is negative", h.Repetition)
	case h.Budget < 1:
		return fmt.Errorf("budget = %d, not at least 1", h.Budget)
	case h.PilotComparisons < 0:
		return fmt.Errorf("pilot_comparisons = %d is negative", h.PilotComparisons)
	case h.PilotPer != PerProblem && h.PilotPer != PerRepetition:
		return fmt.Errorf("pilot_per is %.*q, not repetition", words.MaxLabel, h.PilotPer)
	case h.PilotPer != PerProblem && h.PilotComparisons == 0:
		return fmt.Errorf("pilot_per is %s, but there are no pilot comparisons", h.PilotPer)
	case len(p.Hi) != d || d == 0 && p.Factor != 0 && h.Imported == nil:
		return fmt.Errorf("problem has %d lower and %d upper bounds", d, len(p.Hi))
	case !finite(p.Shift) || !finite(p.Factor):
		return fmt.Errorf("problem scaling (value - %g) * %g is not usable", p.Shift, p.Factor)
	case h.FirstDuels < 0 || h.FirstDuels > 0 && h.FirstDuels >= h.Budget:
		return fmt.Errorf("first_duels is %d of %d steps; some must be the algorithm's", h.FirstDuels, h.Budget)
	case h.HeldOut != nil && (h.HeldOut.Duels < 1 || h.HeldOut.Points < 2):
		return fmt.Errorf("held_out has %d duels between %d points, not one or more between two or more", h.HeldOut.Duels, h.HeldOut.Points)
	case p.Optimum != nil && !finite(*p.Optimum):
		return fmt.Errorf("problem optimum = %g is not finite", *p.Optimum)
	case p.Optimum == nil && (p.OptimumX != nil || p.OptimumHow != "" || p.GridOptimum != nil):
		return errors.New("problem has optimum_x, optimum_how or grid_optimum, but no optimum")
	case p.Norm != nil && !(*p.Norm >= 0 && finite(*p.Norm)):
		return fmt.Errorf("problem norm = %g is not a norm", *p.Norm)
	case p.Uniform != nil && !(finite(p.Uniform.Mean) && finite(p.Uniform.Std) && finite(p.Uniform.BestMean) && finite(p.Uniform.BestStd)):
		return errors.New("problem uniform is not finite: the values at random points are too large; divide them")
	}
	if err := cmp.Or(
		h.checkTexts(), h.Algorithm.check(), about("program:", p.Program.check()), about("program:", h.Algorithm.Program.check()),
		h.Build.check(), about("oracle:", h.Oracle.check(p.Factor != 0)), h.Imported.check(h),
	); err != nil {
		return err
	}
	for i := range d {
		if !finite(p.Lo[i]) || !finite(p.Hi[i]) || p.Lo[i] >= p.Hi[i] {
			return fmt.Errorf("problem bounds [%g, %g] of x%d are not an interval", p.Lo[i], p.Hi[i], i+1)
		}
	}
	if want := CellID(p.Name, h.Algorithm.Label, h.Repetition); h.Cell != want {
		return fmt.Errorf("cell is %q, its problem, label and repetition make %q", h.Cell, want)
	}
	return nil
}

// check checks the fields that are not texts. For texts see checkTexts.
func (a *Algorithm) check() error {
	switch {
	case a.Feedback != "" && a.Feedback != Comparisons && a.Feedback != Values:
		return fmt.Errorf("feedback is %.*q, not comparisons or values", words.MaxLabel, a.Feedback)
	case a.Disclosed != DisclosedNone && a.Disclosed != DisclosedKernel && a.Disclosed != DisclosedKernelAndNorm:
		return fmt.Errorf("disclosed is %.*q, not none, kernel or kernel-and-norm", words.MaxLabel, a.Disclosed)
	}
	for i, m := range a.Metrics {
		if err := checkTexts(words.CheckLabel, text{fmt.Sprintf("metrics[%d].name", i), m.Name}); err != nil {
			return err
		}
		if m.Kind != Work && m.Kind != Certificate && m.Kind != State {
			return fmt.Errorf("metric %q is of kind %.*q, not work, certificate or state", m.Name, words.MaxLabel, m.Kind)
		}
		if slices.ContainsFunc(a.Metrics[:i], func(other MetricType) bool { return other.Name == m.Name }) {
			return fmt.Errorf("metric %q is declared twice", m.Name)
		}
	}
	return a.InForce.check()
}

func (f *InForce) check() error {
	if f == nil {
		return nil
	}
	if !(f.NormBound >= 0 && finite(f.NormBound)) {
		return fmt.Errorf("in_force.norm_bound = %g is not a norm", f.NormBound)
	}
	k := f.Kernel
	if k == nil {
		if f.Range != nil {
			return errors.New("in_force has a lengthscale_range, but no kernel")
		}
		return nil
	}
	if r := f.Range; r != nil {
		if n := len(k.Lengthscale); len(r.Lo) != n || len(r.Hi) != n {
			return fmt.Errorf("in_force.lengthscale_range has %d lower and %d upper ends for %d lengthscales", len(r.Lo), len(r.Hi), n)
		}
		for i := range r.Lo {
			if !(r.Lo[i] > 0 && r.Lo[i] < r.Hi[i] && finite(r.Hi[i])) {
				return fmt.Errorf("in_force.lengthscale_range [%g, %g] is not a range of lengthscales", r.Lo[i], r.Hi[i])
			}
		}
	}
	if err := checkTexts(words.CheckLabel, text{"in_force.kernel.family", k.Family}); err != nil {
		return err
	}
	for _, v := range append([]float64{k.Variance}, k.Lengthscale...) {
		if !(v > 0 && finite(v)) {
			return fmt.Errorf("in_force.kernel has a variance or lengthscale of %g, which is not positive and finite", v)
		}
	}
	return nil
}

// check checks the form of a program. Its texts may appear on a page.
func (p *Program) check() error {
	if p == nil {
		return nil
	}
	if len(p.Command) == 0 {
		return errors.New("command is empty")
	}
	if p.Threads < 1 {
		return fmt.Errorf("threads = %d, not at least 1", p.Threads)
	}
	texts := append(slices.Clone(p.Command), p.Version)
	for _, f := range p.Files {
		if !isHex(f.SHA256, 64, 64) {
			return fmt.Errorf("the sha256 of %.40q is not 64 hexadecimal digits", f.Path)
		}
		texts = append(texts, f.Path)
	}
	for _, text := range texts {
		if err := words.CheckText(text); err != nil {
			return fmt.Errorf("%.40q %w", text, err)
		}
	}
	var provenance map[string]any
	if len(p.Provenance) > 0 && json.Unmarshal(p.Provenance, &provenance) != nil {
		return errors.New("provenance is not an object")
	}
	return checkTexts(words.CheckLabel, text{"name", cmp.Or(p.Name, "-")})
}

// outcomes are all the values of Footer.Outcome but the empty one.
var outcomes = []Outcome{ProgramError, Crash, TimedOut, ProtocolBroken, Invalid}

func (b *Build) check() error {
	switch {
	case b.Commit != "" && !isHex(b.Commit, 40, 64):
		return fmt.Errorf("commit is %q, not 40 to 64 hexadecimal digits", b.Commit)
	case b.Dirty && b.Commit == "":
		return errors.New("dirty is true, but there is no commit")
	case b.Fingerprint != "" && !isHex(b.Fingerprint, 16, 16):
		return fmt.Errorf("fingerprint is %q, not 16 hexadecimal digits", b.Fingerprint)
	}
	return about("extension", words.CheckText(b.Extension))
}

// about puts what an error is about before it.
func about(name string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s %w", name, err)
}

// check checks what an imported record's header may say. A nil i is not imported.
func (i *Imported) check(h *Header) error {
	if i == nil {
		return nil
	}
	p := &h.Problem
	switch {
	case i.File == "":
		return errors.New("imported.file is empty")
	case !isHex(i.SHA256, 64, 64):
		return fmt.Errorf("imported.sha256 is %.*q, not 64 hexadecimal digits", words.MaxLabel, i.SHA256)
	case i.Dimension < 0:
		return fmt.Errorf("imported.dimension = %d is negative", i.Dimension)
	case len(p.Lo) > 0 || p.Optimum != nil && *p.Optimum != 0 || p.Norm != nil || p.Uniform != nil || p.GridOptimum != nil || h.Algorithm.InForce != nil:
		return errors.New("imported, but with a box, an optimum other than 0, a norm, uniform points or a prior")
	}
	return about("imported.file", words.CheckText(i.File))
}

// isHex reports whether s consists of lo to hi hexadecimal digits in lower case.
func isHex(s string, lo, hi int) bool {
	return lo <= len(s) && len(s) <= hi && strings.Trim(s, "0123456789abcdef") == ""
}

type text struct{ name, value string }

// checkTexts returns an error that names the first text which breaks the rule.
func checkTexts(rule func(string) error, texts ...text) error {
	for _, t := range texts {
		if err := rule(t.value); err != nil {
			return fmt.Errorf("%s %.*q %w", t.name, words.MaxLabel, t.value, err)
		}
	}
	return nil
}

// checkTexts refuses control characters: a record may come from anywhere, and its texts appear in pages and terminals.
func (h *Header) checkTexts() error {
	p := &h.Problem
	err := cmp.Or(
		checkTexts(words.CheckName, text{"suite", h.Suite}),
		checkTexts(words.CheckLabel, text{"problem name", p.Name}, text{"algorithm name", h.Algorithm.Name},
			text{"label", h.Algorithm.Label}, text{"config_hash", h.ConfigHash}, text{"headline", cmp.Or(h.Headline, "-")}),
		checkTexts(words.CheckTitle, text{"suite_title", h.SuiteTitle}),
		checkTexts(words.CheckText, text{"paper", h.Paper}, text{"title", p.Title},
			text{"source", p.Source}, text{"scale", p.Scale}, text{"optimum_how", p.OptimumHow},
			text{"version", h.Version}, text{"go", h.Go}, text{"platform", h.Platform}, text{"arithmetic", h.Arithmetic}),
	)
	if err != nil {
		return err
	}
	if !json.Valid(h.Algorithm.Settings) {
		return errors.New("algorithm settings are not JSON")
	}
	for d := json.NewDecoder(bytes.NewReader(h.Algorithm.Settings)); ; {
		t, err := d.Token()
		if err != nil { // the end
			return nil
		}
		if s, ok := t.(string); ok {
			if err := checkTexts(words.CheckText, text{"setting", s}); err != nil {
				return err
			}
		}
	}
}

// Check returns an error if s is not valid as step t (from 1) of a record with header h.
func (s *Step) Check(h *Header, t int) error {
	switch {
	case s.Kind != "step":
		return fmt.Errorf("kind is %q, not \"step\"", s.Kind)
	case s.T != t:
		return fmt.Errorf("t = %d, but step %d is next", s.T, t)
	case h.Problem.Factor == 0:
		return errors.New("there is a step, but the header has no problem instance (factor = 0)")
	case h.Algorithm.Feedback == "":
		return errors.New("there is a step, but the header has no feedback")
	case t > h.Budget:
		return fmt.Errorf("t = %d, the header plans %d steps", t, h.Budget)
	case h.Imported != nil:
		if len(s.Points) != 0 || s.New < 0 || s.New > 1 || len(s.Utility) < s.New || len(s.Utility) > s.New+1 || s.Winner != 0 || s.Tie ||
			s.TrueLogLikelihood != 0 || s.Belief != nil || s.HeldOut != nil {
			return errors.New("an imported step has the utility of its query, that of a better point, recommendations and metrics, and nothing else")
		}
	case !h.Compact && s.Self:
		return errors.New("self is for compact records only")
	case !h.Compact && len(s.Points) < 2:
		return fmt.Errorf("points has %d, not two or more", len(s.Points))
	case !h.Compact && len(s.Utility) != len(s.Points):
		return fmt.Errorf("utility has %d values for %d points", len(s.Utility), len(s.Points))
	case s.New < 0 || s.New > len(s.Utility):
		return fmt.Errorf("new = %d, not 0 to %d", s.New, len(s.Utility))
	case s.Tie && (h.Oracle == nil || h.Oracle.JND == 0 || s.Winner != 0):
		return fmt.Errorf("it is a tie with winner = %d; winner is then 0, and the header has an oracle with ties", s.Winner)
	case s.Winner < 0 || s.Winner >= len(s.Utility):
		return fmt.Errorf("winner = %d, not 0 to %d", s.Winner, len(s.Utility)-1)
	}
	if len(s.Recommendations) == 0 {
		return errors.New("recommendations is empty")
	}
	d := len(h.Problem.Lo)
	for i, x := range s.Points {
		if err := checkPoint(x, d); err != nil {
			return fmt.Errorf("points[%d]%w", i, err)
		}
	}
	if err := checkFinite("utility", s.Utility); err != nil {
		return err
	}
	for i, r := range s.Recommendations {
		if r.Rule == "" {
			return fmt.Errorf("recommendations[%d] has no rule", i)
		}
		if err := checkTexts(words.CheckLabel, text{"", r.Rule}); err != nil {
			return fmt.Errorf("recommendations[%d].rule%w", i, err)
		}
		if err := checkPoint(r.X, d); err != nil && !h.Compact {
			return fmt.Errorf("recommendations[%d].x%w", i, err)
		}
		if !finite(r.Utility) {
			return fmt.Errorf("recommendations[%d].utility = %g is not finite", i, r.Utility)
		}
	}
	if !finite(s.TrueLogLikelihood) || s.TrueLogLikelihood > 0 {
		return fmt.Errorf("true_log_likelihood = %g is not the logarithm of a probability", s.TrueLogLikelihood)
	}
	if err := cmp.Or(s.Belief.check(d), s.HeldOut.check(h.HeldOut)); err != nil {
		return err
	}
	switch {
	case !h.Compact:
	case s.Points != nil || s.Belief != nil || s.TrueLogLikelihood != 0 || len(s.Recommendations) != 1 || s.Recommendations[0].X != nil:
		return errors.New("a compact step has no points, no belief, no true_log_likelihood and one recommendation")
	case len(s.Utility) < 2:
		return fmt.Errorf("utility has %d values, not two or more", len(s.Utility))
	case s.Metrics == nil:
		return nil
	}
	return s.Metrics.check(h.Algorithm.Metrics)
}

func (b *Belief) check(d int) error {
	if b == nil {
		return nil
	}
	if d != 1 {
		return fmt.Errorf("belief is for 1-D problems, this one has %d dimensions", d)
	}
	for _, c := range []struct {
		name string
		v    []float64
	}{{"x", b.X}, {"utility", b.Utility}, {"estimate", b.Estimate}, {"lower", b.Lower}, {"upper", b.Upper}} {
		if len(c.v) < 2 || len(c.v) != len(b.X) {
			return fmt.Errorf("belief.%s has %d values for %d points", c.name, len(c.v), len(b.X))
		}
		if err := checkFinite("belief."+c.name, c.v); err != nil {
			return err
		}
	}
	return nil
}

func (s *HeldOut) check(plan *HeldOutPlan) error {
	switch {
	case s == nil:
		return nil
	case plan == nil:
		return errors.New("held_out is scored, but the header holds nothing out")
	case s.Duels < 0 || s.Duels > plan.Duels:
		return fmt.Errorf("held_out.duels = %d, not 0 to %d", s.Duels, plan.Duels)
	case !(s.LogLoss >= 0 && finite(s.LogLoss)) || !(s.TrueLogLoss >= 0 && finite(s.TrueLogLoss)):
		return fmt.Errorf("held_out has a log-loss of %g, and %g of the truth; they are finite and not negative", s.LogLoss, s.TrueLogLoss)
	case s.Tau != nil && !(math.Abs(*s.Tau) <= 1):
		return fmt.Errorf("held_out.tau = %g is not between -1 and 1", *s.Tau)
	}
	return nil
}

// checkPoint returns an error that follows the name of the point.
func checkPoint(x []float64, d int) error {
	if len(x) != d {
		return fmt.Errorf(" has %d coordinates, the problem has %d", len(x), d)
	}
	return checkFinite("", x)
}

func checkFinite(name string, values []float64) error {
	for i, v := range values {
		if !finite(v) {
			return fmt.Errorf("%s[%d] = %g is not finite", name, i, v)
		}
	}
	return nil
}

const maxCalls = 1000

// check checks the footer against the header and the number of steps before it.
func (f *Footer) check(h *Header, steps int) error {
	switch {
	case f.Kind != "footer":
		return fmt.Errorf("kind is %q, not \"footer\"", f.Kind)
	case f.Steps != steps:
		return fmt.Errorf("footer counts %d steps, there are %d", f.Steps, steps)
	case f.Status == OK && steps != h.Budget:
		return fmt.Errorf("status is ok after %d of %d steps", steps, h.Budget)
	case f.Outcome != "" && !slices.Contains(outcomes, f.Outcome):
		return fmt.Errorf("outcome is %.*q, not one of %q", words.MaxLabel, f.Outcome, outcomes)
	case f.Status == OK && (f.Error != "" || f.Stack != nil || f.Outcome != ""):
		return errors.New("status is ok, but there is an error")
	case f.Status == Failed && f.Error == "":
		return errors.New("status is failed, but there is no error")
	case f.Status != OK && f.Status != Failed:
		return fmt.Errorf("status is %.*q, not ok or failed", words.MaxLabel, f.Status)
	case len(f.Stack) > maxCalls:
		return fmt.Errorf("the stack has %d calls, not up to %d", len(f.Stack), maxCalls)
	}
	err := about("error", words.CheckText(f.Error))
	for i, call := range f.Stack {
		err = cmp.Or(err, about(fmt.Sprintf("stack[%d]", i), words.CheckText(call)))
	}
	return err
}
