package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/token"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"popbench/internal/harness/process"
)

// tree is the module with its packages.
type tree struct {
	root, module string
	packages     []*source // those of the module, in order
}

// listed is what go list says of a package.
type listed struct {
	ImportPath, Dir, Export            string
	GoFiles, TestGoFiles, XTestGoFiles []string
	Module                             *struct {
		Path string
		Main bool
	}
	name string // folder from the root
}

// open type-checks the module in a folder.
func open(ctx context.Context, root string) (*tree, error) {
	out, err := process.Output(ctx, process.Options{
		Command: []string{"go", "list", "-deps", "-export", "-json=ImportPath,Dir,Export,GoFiles,TestGoFiles,XTestGoFiles,Module", "./..."}, Dir: root,
	})
	if err != nil {
		return nil, err
	}
	var all []listed
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := dec.Decode(&p); err == io.EOF {
			break
		} else if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	t := &tree{root: root}
	fset := token.NewFileSet()
	from := importFrom(fset, all)
	for _, p := range all {
		if p.Module == nil || !p.Module.Main {
			continue
		}
		t.module = p.Module.Path
		p.name = strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, t.module), "/")
		if p.name == "" {
			p.name = "."
		}
		s, err := load(p, from, fset)
		if err != nil {
			return nil, err
		}
		t.packages = append(t.packages, s)
	}
	slices.SortFunc(t.packages, func(a, b *source) int { return cmp.Compare(a.name, b.name) })
	return t, nil
}

// drawTo writes the list of faults. The plants of the present list stay, if they still can be planted.
func (t *tree) drawTo(name string, seed uint64, n int) error {
	old, err := readFaults(name)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	text := heading
	for _, f := range old {
		if f.kind != plant {
			continue
		}
		s := t.source(f.pkg)
		if s == nil {
			return fmt.Errorf("%s: there is no package %s; correct the plant", name, f.pkg)
		}
		if x, ok := s.find(f, nil); !ok || !s.compiles(x) {
			return fmt.Errorf("%s: the plant %q in %s/%s has no place, or does not compile; correct it", name, f.to, f.pkg, f.file)
		}
		text += f.write()
	}
	var from []*source
	for _, s := range t.packages {
		if isProgram(s.name) && len(s.sites()) > 0 {
			from = append(from, s)
		}
	}
	counts := share(from, n)
	for _, s := range from {
		for _, x := range s.draw(seed, counts[s.name]) {
			text += x.write()
		}
	}
	return os.WriteFile(name, []byte(text), 0o666)
}

// locate finds each fault's site; the place of what is missing is gone.
func (t *tree) locate(faults []fault) map[string]site {
	found := map[string]site{}
	for _, s := range t.packages {
		var sites []site
		for _, f := range faults {
			if f.pkg != s.name {
				continue
			}
			if sites == nil {
				sites = s.sites()
			}
			if x, ok := s.find(f, sites); ok {
				found[f.id()] = x
			}
		}
	}
	return found
}

func (t *tree) source(name string) *source {
	i := slices.IndexFunc(t.packages, func(s *source) bool { return s.name == name })
	if i < 0 {
		return nil
	}
	return t.packages[i]
}

// runner plants faults.
type runner struct {
	*tree
	faults []fault
	out    string
	jobs   int
	budget float64
	slack  float64 // seconds that tests get in addition

	sites map[string]site
	tests []testRow
	mu    sync.Mutex // of the files that are written
}

// Times. What a fault makes slower is slower by far, and what other processes take away must not count: the limit is one of
// processor time.
const (
	quick     = 5.0 // seconds of tests up to which all are run, though one has failed
	buildCost = 5.0 // what the budget pays for building the tests of another package
	slower    = 5.0 // times the time of the tests without the fault
)

func (r *runner) run(ctx context.Context) error {
	r.sites = r.locate(r.faults)
	if err := r.measure(ctx); err != nil {
		return err
	}
	rows, err := readRows(r.out)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	last := latest(rows)
	for _, stage := range []string{own, others} {
		var todo []fault
		for _, f := range r.faults {
			row, ok := last[f.id()]
			if !ok && stage == own || ok && stage == others && row.result == survived && row.stage == own {
				todo = append(todo, f)
			}
		}
		before := maps.Clone(last)
		err := r.each(len(todo), func(i int) error {
			row, err := r.plant(ctx, todo[i], stage, before[todo[i].id()])
			if err != nil {
				return err
			}
			r.mu.Lock()
			defer r.mu.Unlock()
			last[row.id] = row
			fmt.Fprintf(os.Stderr, "%s %s of %d: %s %s %s: %s\n", stage, row.id, len(todo), row.pkg, row.kind, row.where, row.result)
			return appendTo(r.out, rowHeading, row.write())
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// each calls do with 0 to n-1, as many at a time as there are jobs, and returns the first error.
func (r *runner) each(n int, do func(int) error) error {
	next := make(chan int)
	errs := make(chan error, r.jobs)
	for range r.jobs {
		go func() {
			var first error
			for i := range next {
				if first == nil {
					first = do(i)
				}
			}
			errs <- first
		}()
	}
	for i := range n {
		next <- i
	}
	close(next)
	var all []error
	for range r.jobs {
		all = append(all, <-errs)
	}
	return errors.Join(all...)
}

// plant tries one fault against the tests of its package, or against those of the others. Time and number of tests add up.
func (r *runner) plant(ctx context.Context, f fault, stage string, before row) (row, error) {
	x, ok := r.sites[f.id()]
	out := row{id: f.id(), pkg: f.pkg, kind: f.kind, change: f.from + " → " + f.to, stage: stage, result: survived, where: f.file, ran: before.ran, seconds: before.seconds}
	if !ok {
		out.result = gone
		return out, nil
	}
	out.where = fmt.Sprintf("%s:%d", f.file, x.row)
	dir, err := os.MkdirTemp("", "f") // short: messages of tests that name it are cut
	if err != nil {
		return out, err
	}
	defer os.RemoveAll(dir)
	text, err := os.ReadFile(x.path)
	if err != nil {
		return out, err
	}
	edited, overlay := filepath.Join(dir, "edited.go"), filepath.Join(dir, "overlay.json")
	replace, err := json.Marshal(map[string]any{"Replace": map[string]string{x.path: edited}})
	if err != nil {
		return out, err
	}
	if err := errors.Join(os.WriteFile(edited, x.apply(text), 0o666), os.WriteFile(overlay, replace, 0o666)); err != nil {
		return out, err
	}
	spent := 0.0
	for _, group := range r.groups(f, x, stage) {
		if stage == others {
			group.tests = affordable(group.tests, r.budget-spent-buildCost)
		}
		if len(group.tests) == 0 {
			continue
		}
		cost := total(group.tests)
		spent += cost + buildCost
		binary := filepath.Join(dir, "tests")
		seconds, err := r.build(ctx, group.pkg, binary, dir, []string{"GOFLAGS=-overlay=" + overlay})
		out.seconds += seconds
		if errors.As(err, new(errBuild)) {
			out.result, out.by = "does not compile", group.pkg
			return out, nil
		} else if err != nil {
			return out, err
		}
		failed, seconds, err := r.try(ctx, binary, dir, group, stage == others || cost > quick, "GOFLAGS=-overlay="+overlay)
		if err != nil {
			return out, err
		}
		out.seconds += seconds
		if out.ran += len(group.tests); len(failed) > 0 {
			out.result, out.by, out.tests = caught, group.pkg, failed
			return out, nil
		}
	}
	return out, nil
}

// group is some of the tests of a package.
type group struct {
	pkg   string
	tests []testRow
}

// groups are the tests that execute a fault: those of its own package, or those of each other package, the cheapest first.
func (r *runner) groups(f fault, x site, stage string) []group {
	by := map[string]*group{}
	ofOwn := 0.0
	for _, test := range r.tests {
		if test.pkg == f.pkg {
			ofOwn += test.seconds
		}
	}
	all := len(x.at) == 0 || r.source(f.pkg).isSpawn && ofOwn < r.budget
	for _, test := range r.tests {
		if test.broken || (test.pkg == f.pkg) != (stage == own) || !slices.Contains(test.executes, f.id()) && (stage == others || !all) {
			continue
		}
		if by[test.pkg] == nil {
			by[test.pkg] = &group{pkg: test.pkg}
		}
		by[test.pkg].tests = append(by[test.pkg].tests, test)
	}
	var list []group
	for _, g := range by {
		list = append(list, *g)
	}
	slices.SortFunc(list, func(a, b group) int {
		return cmp.Or(cmp.Compare(total(a.tests), total(b.tests)), cmp.Compare(a.pkg, b.pkg))
	})
	return list
}

// affordable are the cheapest tests that take at most so many seconds together.
func affordable(tests []testRow, seconds float64) []testRow {
	tests = slices.Clone(tests)
	slices.SortFunc(tests, func(a, b testRow) int { return cmp.Or(cmp.Compare(a.seconds, b.seconds), cmp.Compare(a.name, b.name)) })
	for i := range tests {
		if seconds -= tests[i].seconds; seconds < 0 {
			return tests[:i]
		}
	}
	return tests
}

func total(tests []testRow) (seconds float64) {
	for _, t := range tests {
		seconds += t.seconds
	}
	return seconds
}

// build compiles the tests of a package and returns the processor time of it.
func (r *runner) build(ctx context.Context, pkg, binary, scratch string, env []string, flags ...string) (float64, error) {
	e, err := r.command(ctx, call{
		arguments: slices.Concat([]string{"go", "test", "-c", "-p", "1", "-ldflags=-s -w", "-o", binary}, flags, []string{"./" + pkg}),
		dir:       r.root, scratch: scratch, env: append(env, "GOMAXPROCS=1"), seconds: 3600,
	})
	if err == nil && e.ending != "exit code 0" {
		err = errBuild{e.stderr}
	}
	return e.seconds, err
}

// errBuild says that something does not compile.
type errBuild struct{ stderr []byte }

func (e errBuild) Error() string {
	return "the build fails: " + strings.Join(strings.Fields(string(e.stderr)), " ")
}

// try runs tests of a package and returns those that fail, and the processor time. A test that does not end has failed.
func (r *runner) try(ctx context.Context, binary, scratch string, g group, failFast bool, env ...string) (failed []string, seconds float64, err error) {
	var names []string
	for _, test := range g.tests {
		names = append(names, test.name)
	}
	arguments := []string{binary, "-test.v", "-test.parallel=1", "-test.run=^(" + strings.Join(names, "|") + ")$"}
	if failFast {
		arguments = append(arguments, "-test.failfast")
	}
	e, err := r.command(ctx, call{
		arguments: arguments, dir: filepath.Join(r.root, g.pkg), scratch: scratch, env: env, seconds: slower*total(g.tests) + r.slack,
	})
	running := ""
	for line := range strings.Lines(string(e.stdout)) {
		if name, ok := testName(line, "--- FAIL: "); ok {
			failed = append(failed, name)
		}
		if name, ok := testName(line, "=== RUN "); ok {
			running, _, _ = strings.Cut(name, "/")
		}
	}
	if err == nil && e.ending != "exit code 0" && len(failed) == 0 { // it panicked or was killed
		failed = []string{cmp.Or(running, e.ending)}
	}
	return failed, e.seconds, err
}

// testName is the test that a line of go test -v is about. A test may have printed before it in the line.
func testName(line, mark string) (string, bool) {
	before, after, ok := strings.Cut(line, mark)
	if !ok || strings.HasSuffix(before, " ") { // of a subtest
		return "", false
	}
	return strings.Fields(after + " ?")[0], true
}

// call is a program to run to its end, or until it has used so many seconds of processor time.
type call struct {
	arguments, env []string
	dir, scratch   string
	seconds        float64
}

// ended is how that went.
type ended struct {
	ending         string
	stdout, stderr []byte  // of stderr the last of it
	seconds        float64 // of processor time
	timed          bool    // whether that is known
}

// command runs a program. It tries again if somebody has stopped all of it for a while (signal STOP), since what a test
// waited for may have come too late, and if the shell did not come to its end, as when there are too many processes.
func (r *runner) command(ctx context.Context, c call) (e ended, err error) {
	for range 3 {
		var stopped bool
		if e, stopped, err = r.once(ctx, c); err != nil || !stopped && (e.timed || !strings.HasPrefix(e.ending, "exit code")) {
			break
		}
	}
	return e, err
}

func (r *runner) once(ctx context.Context, c call) (e ended, stopped bool, err error) {
	// The last line of what times prints is about the program.
	const script = `ulimit -t "$0"; "$@"; code=$?; times >&2; exit $code`
	p, err := process.Start(process.Options{
		Command: slices.Concat([]string{"sh", "-c", script, strconv.Itoa(int(math.Ceil(c.seconds)))}, c.arguments),
		Dir:     c.dir, Env: append([]string{"TMPDIR=" + c.scratch}, c.env...),
	})
	if err != nil {
		return e, false, err
	}
	defer p.Kill()
	p.Stdin().Close()
	defer context.AfterFunc(ctx, p.Kill)()
	watched := make(chan bool)
	go func() { watched <- watch(p, int(10*c.seconds)+60) }()
	if e.stdout, err = io.ReadAll(p.Stdout()); err != nil {
		return e, false, err
	}
	e.ending, e.stderr = p.Ending(), p.Stderr().Tail(4<<10)
	words := strings.Fields(string(e.stderr))
	for _, word := range words[max(0, len(words)-2):] { // 1m2.34s
		if d, err := time.ParseDuration(word); err == nil {
			e.seconds += d.Seconds()
			e.timed = true
		}
	}
	return e, <-watched, ctx.Err()
}

// watch kills a program that has not ended after so many seconds, since one that waits uses no processor. It reports whether
// this program was stopped meanwhile, and does not count that time.
func watch(p *process.Process, seconds int) (stopped bool) {
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	ended := false
	for last := time.Now(); seconds > 0 && !ended; seconds-- {
		select {
		case <-p.Exited():
			ended = true
		case <-ticker.C:
		}
		stopped = stopped || time.Since(last) > 20*time.Second
		last = time.Now()
	}
	if !ended { // else what it wrote may not be read yet
		p.Kill()
	}
	return stopped
}

// appendTo adds a line to a table, which gets its heading first.
func appendTo(name, heading, line string) error {
	file, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	defer file.Close()
	if info, err := file.Stat(); err == nil && info.Size() == 0 {
		line = heading + line
	}
	_, err = file.WriteString(line)
	return err
}
