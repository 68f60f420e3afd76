package conform

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"popbench/algorithms"
	"popbench/internal/contract"
	"popbench/internal/protocol/external"
	"popbench/internal/protocol/wire"
	"popbench/internal/words"
	"popbench/kernel"
	"popbench/record"
	"popbench/space"
)

var initialize = property{
	name:   "starts and answers initialize",
	remedy: `answer {"protocol": 1, "kind": "algorithm" or "problem", "name": "...", "version": "...", "capabilities": {}}`,
	owns:   record.Invalid,
	run: inOne(func(t *tester, ctx context.Context, p *external.Session) error {
		err := t.begin(ctx, p)
		t.note = strings.TrimSpace(t.info.Kind + " " + t.info.Name + " " + t.info.Version)
		return err
	}),
}

// ofAlgorithms are in the order in which a beginner should correct failures.
var ofAlgorithms = []property{
	{name: "answers start, ask, tell and recommend",
		remedy: "accept box, start, steps, seed and settings; answer start with -32001 for what the program does not do", run: begins},
	{name: "keeps 17 digits", remedy: "read and write numbers so that they come back as the same number: 17 significant digits",
		needs: cells, run: inOne(keepsDigits)},
	{name: "queries and recommends in the box", remedy: "clip points to the box; count points as new unless they are start or were in the previous query",
		needs: cells, run: inEach(contract.StaysInTheDomain), owns: record.Invalid},
	{name: "same seed, same queries", remedy: "draw all random numbers from seed or stream; forget everything at start; or declare deterministic: false",
		needs: determinism, run: repeats},
	{name: "ask and recommend change nothing", remedy: "compute a query once, and repeat it until the next tell; draw no random numbers in recommend",
		needs: cells, run: isPure},
	{name: "learns from any query", remedy: "take the points and the winner from tell, not from the last ask",
		needs: cells, run: inEach(contract.AcceptsAnyComparison)},
	{name: "accepts pilot and known", remedy: "ignore what the program cannot use, or answer start with -32001",
		needs: cells, run: inOne(acceptsPilot)},
	{name: "ignores unknown keys", remedy: "ignore the keys that the program does not know", needs: cells, run: inOne(ignoresKeys)},
	{name: "refused calls change nothing", remedy: "answer bad params with error -32602, before anything changes, and go on",
		needs: cells, run: inOne(refusesWithoutChange), owns: record.Crash},
	{name: "values", remedy: "learn from values, which tell brings instead of a winner, or do not declare values",
		needs: capability(wire.CanLearnValues), run: inOne(func(t *tester, ctx context.Context, p *external.Session) error {
			_, err := t.played(ctx, p, t.scenario(), 3)
			return err
		})},
	{name: "belief", remedy: "answer with an estimate and its bounds, finite numbers, for each point; change nothing",
		needs: capability(wire.CanBelieve), run: believes},
	{name: "state and restore", remedy: "put all that matters into the state, also that of the random generator, with name and version; compare both in restore",
		needs: capability(wire.CanSave), run: inOne(restores)},
}

// start returns the params of start.
func (t *tester) start(s algorithms.Setup) wire.Start {
	var key [32]byte
	for i := range 4 {
		binary.BigEndian.PutUint64(key[8*i:], s.Rand.Uint64())
	}
	if !t.piloted {
		s.Pilot = nil
	}
	start := external.StartOf(s, key)
	start.Cell, start.Settings = "check", t.Settings
	return start
}

// declared returns the scenarios that the program's capabilities cover.
func (t *tester) declared() (list []contract.Scenario) {
	for _, s := range contract.Scenarios {
		if !s.OnArms() || t.info.Capabilities.Has(wire.CanChooseArms) {
			s.Steps = t.Steps
			list = append(list, s)
		}
	}
	return list
}

// cells is what a check needs that begins cells: a scenario that the program does.
func cells(t *tester) error {
	if len(t.does) == 0 {
		return leftOut("its cells fail, or are undefined")
	}
	return nil
}

// capability is what a check of a capability needs.
func capability(name string) func(*tester) error {
	return func(t *tester) error {
		if !t.info.Capabilities.Has(name) {
			return undeclared
		}
		return cells(t)
	}
}

// determinism is what a check needs that runs a cell again.
func determinism(t *tester) error {
	if t.info.Capabilities.Random() {
		return leftOut("it declares deterministic: false")
	}
	return cells(t)
}

// scenario returns one scenario that the program does.
func (t *tester) scenario() contract.Scenario { return t.does[min(1, len(t.does)-1)] }

// cell is a program at work.
type cell struct {
	*contract.Run
	*external.Session
	program *external.Algorithm
}

// on begins a cell in a process, with a setup that change may change.
func (t *tester) on(ctx context.Context, p *external.Session, s contract.Scenario, change ...func(*algorithms.Setup)) (*cell, error) {
	a := p.Algorithm(ctx)
	r, err := contract.Begin(func(setup algorithms.Setup) (algorithms.Algorithm, error) {
		for _, do := range change {
			do(&setup)
		}
		return a.Contract(), a.Begin(t.start(setup))
	}, s)
	r.Remote = true
	return &cell{r, p, a}, err
}

// played begins a cell in a process and takes n steps.
func (t *tester) played(ctx context.Context, p *external.Session, s contract.Scenario, n int) (*cell, error) {
	r, err := t.on(ctx, p, s)
	if err == nil {
		err = r.Play(n, nil)
	}
	return r, err
}

// run begins a cell in any process.
func (t *tester) run(ctx context.Context, s contract.Scenario) (*cell, error) {
	p, err := t.take(ctx)
	if err != nil {
		return nil, err
	}
	return t.on(ctx, p, s)
}

// everywhere applies a check to a cell in every scenario that the program does.
func (t *tester) everywhere(ctx context.Context, do func(*cell) error) error {
	for _, s := range t.does {
		kept := len(t.used)
		r, err := t.run(ctx, s)
		if err == nil {
			err = do(r)
		}
		if err != nil {
			return fmt.Errorf("on %s: %w", s.Name, err)
		}
		t.idle, t.used = append(t.idle, t.used[kept:]...), t.used[:kept]
	}
	return nil
}

// inEach is the run of a property that package contract checks.
func inEach(check func(*contract.Run) error) func(*tester, context.Context) error {
	return func(t *tester, ctx context.Context) error {
		return t.everywhere(ctx, func(r *cell) error { return check(r.Run) })
	}
}

func begins(t *tester, ctx context.Context) error {
	var does []contract.Scenario
	var notes []string
	why := "" // the first reason
	for i, s := range t.declared() {
		p, err := t.take(ctx)
		if err != nil {
			return err
		}
		_, err = t.on(ctx, p, s)
		if first := err; i == 0 && external.Refused(err) {
			t.piloted = true // it may need one
			if _, err = t.on(ctx, p, s); err != nil {
				t.piloted, err = false, first
			}
		}
		switch {
		case err == nil:
			does, err = append(does, s), t.step(ctx, p, s)
		case algorithms.IsUndefined(err):
			notes = append(notes, fmt.Sprintf("not %s (%s)", s.Name, err))
			why, err = cmp.Or(why, err.Error()), nil
		}
		if err != nil {
			return fmt.Errorf("on %s: %w", s.Name, err)
		}
		t.idle, t.used = append(t.idle, p), nil
	}
	if does == nil {
		return leftOut("every cell is undefined: %s", why)
	}
	t.does = does
	if t.piloted {
		notes = append(notes, "with a pilot only")
	}
	t.note = strings.Join(notes, "; ")
	return nil
}

// step takes a step, whatever the query is.
func (t *tester) step(ctx context.Context, p *external.Session, s contract.Scenario) error {
	var q wire.Query
	if err := p.Call(ctx, wire.MethodAsk, nil, &q); err != nil {
		return err
	}
	if algorithms.CheckComparison(s.Domain, algorithms.Query{Points: q.Points}, 0) != nil {
		q.Points = [][]float64{s.Start, s.Start}
	}
	if err := p.Call(ctx, wire.MethodTell, t.tell(q.Points, 1, 0), nil); err != nil {
		return err
	}
	return p.Call(ctx, wire.MethodRecommend, nil, new(wire.Recommended))
}

// tell returns the params of tell. A program that learns from values gets 1 for the winner, if it is new, and 0 for the
// others.
func (t *tester) tell(points [][]float64, new, winner int) wire.Tell {
	if !t.info.Capabilities.Has(wire.CanLearnValues) {
		return wire.Tell{Points: points, New: new, Winner: &winner}
	}
	values := make([]float64, max(new, 0))
	if i := winner - (len(points) - new); i >= 0 && i < len(values) {
		values[i] = 1
	}
	return wire.Tell{Points: points, New: new, Values: values}
}

func isPure(t *tester, ctx context.Context) error {
	return t.everywhere(ctx, func(r *cell) error {
		if t.info.Capabilities.Random() {
			return contract.IsPureAndRepeatable(r.Run, nil)
		}
		plain, err := t.run(ctx, r.Scenario)
		if err != nil {
			return err
		}
		return contract.IsPureAndRepeatable(r.Run, plain.Run)
	})
}

// keepsDigits does not use the checks of package external, which would report an old point with other digits as new.
func keepsDigits(t *tester, ctx context.Context, p *external.Session) error {
	s := t.scenario()
	r := rand.New(rand.NewPCG(9, 10))
	s.Start = s.Domain.Sample(make([]float64, s.Domain.Dim()), r)
	if _, err := t.on(ctx, p, s); err != nil {
		return err
	}
	known := [][]float64{s.Start}
	for range t.Steps {
		points := [][]float64{s.Domain.Sample(make([]float64, s.Domain.Dim()), r), s.Domain.Sample(make([]float64, s.Domain.Dim()), r)}
		known = append(known, points...)
		var q wire.Query
		var rec wire.Recommended
		err := p.Call(ctx, wire.MethodTell, t.tell(points, 2, 1), nil)
		if err == nil {
			err = p.Call(ctx, wire.MethodRecommend, nil, &rec)
		}
		if err == nil {
			err = p.Call(ctx, wire.MethodAsk, nil, &q)
		}
		if err != nil {
			return err
		}
		for _, r := range rec.Recommendations {
			if err := rounded(known, r.X); err != nil {
				return &offence{err, t.pool.Trace.Last(p.Number(), wire.MethodRecommend)}
			}
		}
		for _, x := range q.Points {
			if err := rounded(known, x); err != nil {
				return err
			}
		}
	}
	return nil
}

// rounded returns an error if x is one of the points after a loss of digits.
func rounded(points [][]float64, x []float64) error {
	for _, y := range points {
		if !slices.EqualFunc(y, x, short) {
			continue
		}
		for i, v := range slices.Backward(y) {
			if v != x[i] {
				return fmt.Errorf("%v came back as %v", v, x[i])
			}
		}
	}
	return nil
}

// short reports whether v is w, or w with fewer digits: four at least, as R's jsonlite writes unless told otherwise.
func short(w, v float64) bool {
	for digits := 4; digits <= 17; digits++ {
		if r, err := strconv.ParseFloat(strconv.FormatFloat(w, 'g', digits, 64), 64); err == nil && r == v {
			return true
		}
	}
	return false
}

func repeats(t *tester, ctx context.Context) error {
	s := t.scenario()
	var first []contract.State
	play := func(p *external.Session, where string) error {
		r, err := t.on(ctx, p, s)
		if err != nil {
			return err
		}
		for i := 0; ; i++ {
			now := r.State()
			if now.Err != nil {
				return now.Err
			}
			if len(first) == i {
				first = append(first, now)
			}
			if err := first[i].Differs(now, "the same cell %s, after %s", where, words.Count(i, "step")); err != nil {
				return err
			}
			if i == s.Steps {
				return nil
			}
			if err := r.Play(1, nil); err != nil {
				return err
			}
		}
	}
	var last *external.Session
	for range 2 {
		p, err := t.fresh(ctx)
		if err != nil {
			return err
		}
		last = p
		if err := play(p, "in another process"); err != nil {
			return err
		}
	}
	other := t.does[0]
	if !other.OnArms() {
		other.Start = other.Domain.Bounds().Hi
	}
	if _, err := t.played(ctx, last, other, 3); err != nil {
		return err
	}
	return play(last, "after another one in the same process")
}

func acceptsPilot(t *tester, ctx context.Context, p *external.Session) error {
	plain := t.piloted
	defer func() { t.piloted = plain }()
	var notes []string
	for _, c := range []struct {
		what   string
		change func(*algorithms.Setup)
	}{
		{"a pilot", func(*algorithms.Setup) { t.piloted = true }},
		{"a known kernel", func(s *algorithms.Setup) {
			t.piloted = plain
			s.Known = algorithms.Known{Kernel: &kernel.Config{Family: "se-half", Variance: 1, Lengthscale: []float64{0.3}}, NormBound: 2}
		}},
	} {
		r, err := t.on(ctx, p, t.scenario(), c.change)
		if algorithms.IsUndefined(err) {
			notes = append(notes, fmt.Sprintf("not %s (%s)", c.what, err))
			continue
		}
		if err == nil {
			err = r.Play(1, nil)
		}
		if err != nil {
			return fmt.Errorf("with %s: %w", c.what, err)
		}
	}
	t.note = strings.Join(notes, "; ")
	return nil
}

func ignoresKeys(t *tester, ctx context.Context, p *external.Session) error {
	start := struct {
		wire.Start
		Unknown map[string]int `json:"unknown_key"`
	}{t.start(t.scenario().Setup()), map[string]int{"a": 1}}
	if err := p.Call(ctx, wire.MethodStart, start, nil); err != nil {
		return err
	}
	return p.Call(ctx, wire.MethodAsk, map[string]int{"unknown_key": 1}, nil)
}

// badCalls are requests that a program should refuse. Bench sends none of them.
func (t *tester) badCalls(s contract.Scenario) []badCall {
	inside := s.Start
	outside := slices.Clone(inside)
	box := s.Domain.Bounds()
	outside[0] = 2*box.Hi[0] - box.Lo[0]
	duel := func(winner int, x, y []float64) wire.Tell { return t.tell([][]float64{x, y}, 1, winner) }
	setup := t.start(s.Setup())
	setup.Box, setup.Arms = &space.Box{Lo: box.Hi, Hi: box.Lo}, nil
	list := []badCall{
		{"tell without params", wire.MethodTell, nil},
		{"a text for points", wire.MethodTell, map[string]any{"points": "none", "new": 1, "winner": 0}},
		{"a point of another dimension", wire.MethodTell, duel(0, inside, append(slices.Clone(inside), 0))},
		{"a point outside the box", wire.MethodTell, duel(0, inside, outside)},
		{"a winner that is not a point", wire.MethodTell, duel(2, inside, inside)},
		{"start with lo above hi", wire.MethodStart, setup},
		{"start without params", wire.MethodStart, nil},
	}
	if t.info.Capabilities.Has(wire.CanBelieve) {
		list = append(list, badCall{"belief at a point of another dimension",
			wire.MethodBelief, wire.Points{Points: [][]float64{append(slices.Clone(inside), 0)}}})
	}
	if t.info.Capabilities.Has(wire.CanSave) {
		list = append(list, badCall{"restore of nothing", wire.MethodRestore, map[string]any{"state": map[string]any{}}})
	}
	return list
}

type badCall struct {
	what, method string
	params       any
}

func refusesWithoutChange(t *tester, ctx context.Context, p *external.Session) error {
	s := t.scenario()
	var r *cell
	again := func() (err error) {
		r, err = t.played(ctx, p, s, 2)
		return err
	}
	if err := again(); err != nil {
		return err
	}
	var accepted []string
	for _, bad := range t.badCalls(s) {
		before := r.State()
		if before.Err != nil {
			return before.Err
		}
		err := p.Call(ctx, bad.method, bad.params, nil)
		switch {
		case err == nil:
			accepted = append(accepted, bad.what)
			err = again()
		case external.Refused(err), algorithms.IsUndefined(err):
			at := t.pool.Trace.Last(p.Number(), "")
			if err = before.Differs(r.State(), "it was refused, but changed something"); err != nil && !p.Broken() {
				err = &offence{err, at}
			}
		}
		if err != nil {
			return fmt.Errorf("%s: %w", bad.what, err)
		}
	}
	if len(accepted) > 0 {
		t.note = "it accepts " + words.List(accepted) + ", which bench never sends"
	}
	return r.Play(1, nil)
}

func believes(t *tester, ctx context.Context) error {
	return t.everywhere(ctx, func(r *cell) error {
		points := [][]float64{r.Start, r.Domain.Sample(make([]float64, r.Domain.Dim()), rand.New(rand.NewPCG(13, 14))), r.Start}
		for range 3 {
			before := r.State()
			var got, again wire.Beliefs
			if err := r.Call(ctx, wire.MethodBelief, wire.Points{Points: points}, &got); err != nil {
				return err
			}
			at := t.pool.Trace.Last(r.Number(), "")
			if err := ordered(got, len(points)); err != nil {
				return err
			}
			if err := r.Call(ctx, wire.MethodBelief, wire.Points{Points: points}, &again); err != nil {
				return err
			}
			if encoded(got) != encoded(again) {
				return errors.New("belief asked twice gives different numbers")
			}
			if err := before.Differs(r.State(), "belief changed something"); err != nil {
				return &offence{err, at}
			}
			if err := r.Play(1, nil); err != nil {
				return err
			}
		}
		return nil
	})
}

// ordered checks the beliefs at n points.
func ordered(b wire.Beliefs, n int) error {
	if len(b.Estimate) != n || len(b.Lower) != n || len(b.Upper) != n {
		return fmt.Errorf("estimate, lower and upper have %d, %d and %d numbers for %d points", len(b.Estimate), len(b.Lower), len(b.Upper), n)
	}
	for i := range n {
		if !(b.Lower[i] <= b.Estimate[i] && b.Estimate[i] <= b.Upper[i]) {
			return fmt.Errorf("estimate[%d] = %v is not between lower[%d] = %v and upper[%d] = %v", i, b.Estimate[i], i, b.Lower[i], i, b.Upper[i])
		}
	}
	return nil
}

func restores(t *tester, ctx context.Context, p *external.Session) error {
	r, err := t.played(ctx, p, t.scenario(), 3)
	if err != nil {
		return err
	}
	before := r.State()
	var saved wire.State
	if err := r.Call(ctx, wire.MethodState, nil, &saved); err != nil {
		return err
	}
	if len(saved.State) > wire.MaxState {
		return fmt.Errorf("the state has %d bytes, and up to %d are allowed", len(saved.State), wire.MaxState)
	}
	at := t.pool.Trace.Last(r.Number(), "")
	if err := before.Differs(r.State(), "state changed something"); err != nil {
		return &offence{err, at}
	}
	q, err := t.fresh(ctx)
	if err != nil {
		return err
	}
	marked := false
	for _, key := range []string{"name", "version"} {
		foreign, found := t.foreign(saved.State, key)
		if !found {
			continue
		}
		marked = true
		err := q.Call(ctx, wire.MethodRestore, wire.State{State: foreign}, nil)
		switch {
		case err == nil:
			return fmt.Errorf("it restores the state of another %s", key)
		case !external.Refused(err):
			return err
		}
	}
	a := q.Algorithm(ctx)
	if err := a.Restore(r.program, saved.State); err != nil {
		return err
	}
	if t.info.Capabilities.Random() {
		t.note = "how it continues is left out: it declares deterministic: false"
		return nil
	}
	if !marked {
		t.note = "its state has no key name or version, so it is unknown whether restore compares them"
	}
	other := r.Continue(a.Contract())
	for i := range 4 {
		if err := before.Differs(other.State(), "restored in another process, after %s", words.Count(i, "further step")); err != nil {
			return err
		}
		if err := errors.Join(r.Play(1, nil), other.Play(1, nil)); err != nil {
			return err
		}
		before = r.State()
	}
	return nil
}

// foreign returns a state with another name or version, if the state has the program's.
func (t *tester) foreign(state json.RawMessage, key string) (json.RawMessage, bool) {
	own := map[string]string{"name": t.info.Name, "version": t.info.Version}[key]
	d := json.NewDecoder(bytes.NewReader(state))
	d.UseNumber() // with all digits
	var tree any
	if d.Decode(&tree) != nil {
		return nil, false
	}
	text := encoded(tree) // with the escapes of own
	pair := regexp.MustCompile(`("(?i:` + key + `)":)` + regexp.QuoteMeta(encoded(own)))
	other := pair.ReplaceAllString(text, "${1}"+strings.ReplaceAll(encoded(own+"-other"), "$", "$$"))
	return json.RawMessage(other), other != text
}
