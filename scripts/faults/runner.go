package main

import (
	"context"
	"errors"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"popbench/internal/harness/process"
)

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

// each calls do with 0 to n-1, as many at a time as there are jobs. A job ends with its first error; they are returned.
func (r *runner) each(n int, do func(int) error) error {
	var next atomic.Int64
	var workers sync.WaitGroup
	errs := make([]error, r.jobs)
	for k := range errs {
		workers.Go(func() {
			for i := int(next.Add(1)); i <= n && errs[k] == nil; i = int(next.Add(1)) {
				errs[k] = do(i - 1)
			}
		})
	}
	workers.Wait()
	return errors.Join(errs...)
}

// build compiles the tests of a package and returns the processor time.
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

// call is a program to run to its end, or until it has used so many seconds of processor time.
type call struct {
	arguments, env []string
	dir, scratch   string
	seconds        float64
}

// ended is how a call went.
type ended struct {
	ending         string
	stdout, stderr []byte  // the end of stderr only
	seconds        float64 // of processor time
}

// command runs a program. It tries again if this program was stopped for a while (signal STOP), since a test may have waited
// in vain meanwhile.
func (r *runner) command(ctx context.Context, c call) (e ended, err error) {
	for range 3 {
		var stopped bool
		if e, stopped, err = r.once(ctx, c); err != nil || !stopped {
			break
		}
	}
	return e, err
}

func (r *runner) once(ctx context.Context, c call) (e ended, stopped bool, err error) {
	limit := strconv.Itoa(int(math.Ceil(c.seconds)))
	p, err := process.Start(process.Options{
		Command: slices.Concat([]string{"sh", "-c", `ulimit -t "$0" && exec "$@"`, limit}, c.arguments),
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
	e.ending, e.seconds, e.stderr = p.Ending(), p.Processor().Seconds(), p.Stderr().Tail(4<<10)
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
