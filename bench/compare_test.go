package bench

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"popbench/internal/check"
	"popbench/internal/console"
	"popbench/internal/views/report/reporttest"
	"popbench/record"
)

// gateRuns runs a small suite of POP-BO with the given seed and settings, and
// returns its results folder.
func gateRuns(t *testing.T, seed, settings string) string {
	t.Helper()
	path := writeFile(t, "gate.yaml", `
name: gate
seed: `+seed+`
steps: 8
repetitions: 14
problems: [{name: beale}, {name: branin}]
algorithms:
  - {name: popbo, settings: {`+settings+`}}
`)
	dir := filepath.Join(t.TempDir(), "results")
	if _, _, err := bench(t, "run", path, "--out", dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

// The gate passes the same code and detects a regression, with real runs. The regression is one
// from the documentation, for which 14 runs suffice.
func TestGate(t *testing.T) {
	check.Sequential(t)
	t.Parallel()
	base := gateRuns(t, "1", "kernel: {lengthscale: [6]}")
	again := gateRuns(t, "1", "kernel: {lengthscale: [6]}")
	fresh := gateRuns(t, "2", "kernel: {lengthscale: [6]}")
	planted := gateRuns(t, "1", "kernel: {lengthscale: [6]}, beta: {beta0: 3}")

	if got := succeed(t, "compare", "--exact", base, again); got != "28 records identical, 0 not; programs and checksums are ignored\n" {
		t.Errorf("the same seed: %s", got)
	}
	if got := succeed(t, "compare", base, again); !strings.HasPrefix(got, "HEAD against BASE: the same\n") {
		t.Errorf("the same seed: %s", got)
	}
	// One in thirty of such pairs is a false alarm; if a change of POP-BO makes
	// this one of them, another seed is not.
	if got := succeed(t, "compare", base, fresh); !strings.Contains(got, "the seeds are 1 and 2") || strings.Contains(got, " worse, ") {
		t.Errorf("another seed: %s", got)
	}

	stdout, _, err := bench(t, "compare", base, planted, "--allow", "settings")
	check.Equal(t, "exit code", console.ExitCode(err), console.ExitFailed)
	check.Contains(t, "the error", fmt.Sprint(err), "cumulative regret of popbo on Beale")
	if !strings.HasPrefix(stdout, "HEAD against BASE: a regression\n") {
		t.Errorf("the comparison does not begin with the regression:\n%s", stdout)
	}
	check.Contains(t, "the comparison", stdout, "settings.beta.beta0 is 1 in BASE and 3 in HEAD")
	stdout, _, err = bench(t, "compare", "--exact", base, planted)
	check.Equal(t, "exit code of --exact", console.ExitCode(err), console.ExitFailed)
	check.Contains(t, "the error of --exact", fmt.Sprint(err), "beale/popbo/000, header, algorithm.settings.beta.beta0: 1 in")
	check.Equal(t, "lines of --exact", strings.Count(stdout, "\n"), 1+10+1)
	if !strings.HasPrefix(stdout, "0 records identical, 28 not") {
		t.Errorf("--exact does not begin with the count:\n%s", stdout)
	}
	if !strings.HasSuffix(stdout, "and 18 more\n") {
		t.Errorf("--exact does not end with the number of others:\n%s", stdout)
	}
	// Not without being told so.
	stdout, _, err = bench(t, "compare", base, planted)
	if console.ExitCode(err) != console.ExitRefused || stdout != "" || !strings.Contains(err.Error(), "--allow settings") {
		t.Errorf("exit %d, %v\n%s", console.ExitCode(err), err, stdout)
	}
	if got := succeed(t, "compare", base, planted, "--allow", "settings", "--power", "12", "--metrics", "cumulative regret"); !strings.Contains(got, "12  100\u00a0%") {
		t.Errorf("power: %s", got)
	}
}

func TestCompareFormats(t *testing.T) {
	o := reporttest.Options{Problems: []string{"beale"}, Runs: 8, Steps: 3}
	base := resultsFolder(t, o)
	in := reporttest.Results(o)
	head := filepath.Join(t.TempDir(), "head")
	folder, err := record.Create(head)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range in.Records {
		r.Steps[2].Recommendations[0].Utility -= 2
		if err := folder.Put(r, in.Timings[r.Header.Cell]); err != nil {
			t.Fatal(err)
		}
	}
	folder.Close()
	text, _, _ := bench(t, "compare", base, head)
	for format, check := range map[string]func([]byte) bool{
		"text":     func(b []byte) bool { return string(b) == text && strings.Contains(text, "worse") },
		"markdown": func(b []byte) bool { return strings.Contains(string(b), "| Beale | POP-BO | suboptimality | 8 |") },
		"json":     json.Valid,
		"junit": func(b []byte) bool {
			var x struct {
				Failures int `xml:"failures,attr"`
			}
			return xml.Unmarshal(b, &x) == nil && x.Failures == 2 // at the end, and in the mean over the steps
		},
	} {
		t.Run(format, func(t *testing.T) {
			stdout, _, err := bench(t, "compare", base, head, "--format", format)
			if console.ExitCode(err) != console.ExitFailed || !check([]byte(stdout)) {
				t.Errorf("%s: %v\n%s", format, err, stdout)
			}
		})
	}
}

func TestCompareRefuses(t *testing.T) {
	dir := resultsFolder(t, reporttest.Options{Problems: []string{"beale"}, Runs: 6, Steps: 2})
	none := filepath.Join(t.TempDir(), "none")
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"compare", dir}, "too few arguments"},
		{[]string{"compare", dir, none}, "no records"},
		{[]string{"compare", none, dir}, "no records"},
		{[]string{"compare", dir, dir, "--format", "word"}, `invalid value "word" for flag -format: give text, markdown, json or junit`},
		{[]string{"compare", dir, dir, "--exact", "--format", "json"}, "--exact prints text"},
		{[]string{"compare", dir, dir, "--alpha", "2"}, `invalid value "2" for flag -alpha: give a number from 0.0001 to 0.5`},
		{[]string{"compare", dir, dir, "--metrics", "regret"}, `no metric "regret"`},
		{[]string{"compare", dir, dir, "--allow", "all"}, "give settings, missing or settings,missing"},
		{[]string{"compare", dir, dir, "--null"}, "--null needs --power"},
		{[]string{"compare", dir, dir, "--power", "few"}, "give up to 20 whole numbers"},
		{[]string{"compare", dir, dir, "--power", "7"}, "give a number from 6, the minimum for a difference, to 6"},
		{[]string{"compare", dir, dir, "--power", "6", "--format", "junit"}, "--power prints text or markdown"},
	} {
		t.Run(c.want, func(t *testing.T) {
			stdout, _, err := bench(t, c.args...)
			refused(t, stdout, err, c.want)
			check.Lacks(t, "the error", fmt.Sprint(err), "\n")
		})
	}
}
