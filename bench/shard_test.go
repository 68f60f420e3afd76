package bench

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"popbench/internal/benchtest"
	"popbench/internal/check"
	"popbench/internal/console"
	"popbench/internal/harness/program"
	"popbench/internal/harness/shard"
	"popbench/internal/views/report/reporttest"
	"popbench/record"
)

// Merged shards equal a single run, byte for byte.
func TestMerge(t *testing.T) {
	check.Sequential(t)
	t.Parallel()
	demo := demoSuite(t, "5")
	dir := t.TempDir()
	one, out := filepath.Join(dir, "one"), filepath.Join(dir, "out [1]")
	done(t, "run", demo, "--out", one)

	refuse := func(want string, args ...string) {
		t.Helper()
		_, _, err := bench(t, append([]string{"merge"}, args...)...)
		if console.ExitCode(err) != console.ExitRefused || !strings.Contains(err.Error(), want) {
			t.Errorf("merge %v: got %v, should say %q", args, err, want)
		}
		if _, err := os.Stat(out); err == nil {
			t.Fatalf("merge %v left something", args)
		}
	}
	refuse("there is no "+out+".shard-i-of-n", out)
	for _, i := range []string{"1", "3"} {
		done(t, "run", demo, "--out", out, "--shard", i+"/3")
	}
	refuse("run part 2/3 first", out)
	if said := done(t, "run", demo, "--out", out, "--shard", "2/3"); !strings.Contains(said, "merge '"+out+"'") {
		t.Errorf("a shard ends with %q", said)
	}
	second := (shard.Shard{I: 2, N: 3}).Folder(out)
	refuse("is in "+second+" and in "+second, out, second, second)
	refuse("no cells.json", out, dir)

	// A shard that was killed lacks records.
	var lost string
	for name := range check.Files(t, filepath.Join(second, "records")) {
		lost = filepath.Join(second, "records", name)
	}
	kept, err := os.ReadFile(lost)
	if err != nil {
		t.Fatal(err)
	}
	check.OK(t, os.Remove(lost))
	refuse("is incomplete", out)
	check.OK(t, os.WriteFile(lost, kept[:len(kept)/2], 0o666))
	refuse(filepath.Base(lost), out)
	done(t, "run", demo, "--out", out, "--shard", "2/3")

	for range 2 { // again is nothing new
		done(t, "merge", out)
		have, want := check.Files(t, out), check.Files(t, one)
		if len(have) != len(want) {
			t.Errorf("%d files, one run makes %d", len(have), len(want))
		}
		for name, data := range want {
			switch _, there := have[name]; {
			case strings.HasPrefix(name, "timing") || name == "run.json": // vary
				if !there {
					t.Errorf("%s is missing", name)
				}
			case have[name] != data:
				t.Errorf("%s differs from that of one run", name)
			}
		}
	}
	if run, err := record.ReadRun(out); err != nil || run.Build != program.This() {
		t.Errorf("%+v, %v", run, err)
	}

	reseeded := writeFile(t, "demo2.yaml", strings.Replace(string(mustRead(t, demo)), "seed: 3", "seed: 4", 1))
	// Nothing is put beside runs of another suite. Other repetitions of the same suite stay: TestRunRepetitions.
	other := filepath.Join(dir, "other")
	done(t, "run", reseeded, "--out", other, "--seeds", "6", "--only", "beale/Random*/005")
	_, _, err = bench(t, append([]string{"merge", other}, second)...)
	if console.ExitCode(err) != console.ExitRefused || !strings.Contains(err.Error(), "not of these shards") {
		t.Errorf("merged into other records: %v", err)
	}
	// Nor are shards of different suites mixed.
	done(t, "run", reseeded, "--out", filepath.Join(dir, "more"), "--shard", "1/3")
	_, _, err = bench(t, "merge", filepath.Join(dir, "mix"), filepath.Join(dir, "more.shard-001-of-003"), second)
	if console.ExitCode(err) != console.ExitRefused || !strings.Contains(err.Error(), "have different suite files") {
		t.Errorf("merged two suites: %v", err)
	}
}

// After a killed merge, the folder lists what is missing, and the merge can be continued.
func TestKilledMerge(t *testing.T) {
	t.Parallel()
	exe, demo := benchtest.Program(t), demoSuite(t, "60")
	dir := t.TempDir()
	out := filepath.Join(dir, "out")
	for _, part := range []string{"1/2", "2/2"} {
		done(t, "run", demo, "--out", out, "--shard", part, "--only", "beale")
	}
	midway := 0
	for try := 0; midway < check.Few(1, 3); try++ {
		into := filepath.Join(dir, strconv.Itoa(try))
		cmd := exec.Command(exe, "merge", into, out+".shard-001-of-002", out+".shard-002-of-002")
		check.OK(t, cmd.Start())
		for range 10_000 { // wait for its first record, at most ten seconds
			if some, _ := filepath.Glob(filepath.Join(into, "records", "*", "*", "*.jsonl")); len(some) > 0 {
				break
			}
			time.Sleep(time.Millisecond)
		}
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		reader := check.Must(record.Open(into))(t)
		found := check.Must(reader.Each(func(*record.Record, *record.Timing) error { return nil }))(t)
		missing := record.Count(found.Missing())
		if found.Records+missing != 120 {
			t.Errorf("%d records, and %d that are said to be missing of 120", found.Records, missing)
		}
		if missing > 0 {
			midway++
			if text, _, err := bench(t, "report", "--format", "text", into); err != nil || !strings.Contains(text, fmt.Sprintf("of the 120 cells that cells.json lists %d ha", missing)) {
				t.Errorf("%v: the report does not say so:\n%.300s", err, text)
			}
			done(t, "merge", into, out+".shard-001-of-002", out+".shard-002-of-002")
			if text := done(t, "report", "--format", "text", into); strings.Contains(text, "Not complete") {
				t.Errorf("complete, and the report says\n%.300s", text)
			}
		}
		if try == 50 {
			t.Fatal("no kill hit a merge midway: the test shows nothing")
		}
	}
}

// A merge of only some shards looks complete, so a note says that others are missing.
func TestMergeOfSomeShards(t *testing.T) {
	demo := demoSuite(t, "2")
	out := filepath.Join(t.TempDir(), "out")
	for i := range 3 {
		done(t, "run", demo, "--out", out, "--shard", (shard.Shard{I: i + 1, N: 3}).String())
	}
	first, second, third := (shard.Shard{I: 1, N: 3}).Folder(out), (shard.Shard{I: 2, N: 3}).Folder(out), (shard.Shard{I: 3, N: 3}).Folder(out)
	if _, log, err := bench(t, "merge", out+"-1", first, third); err != nil || !strings.Contains(log, "note: these are 2 of 3 shards") {
		t.Errorf("%v: %q", err, log)
	}
	if _, log, err := bench(t, "merge", out+"-2", first, second, third); err != nil || log != "" {
		t.Errorf("all of them: %v: %q", err, log)
	}
}

// Shards by two programs are merged if a flag allows it. Every command that reads the result
// says that it is a mixture.
func TestMixture(t *testing.T) {
	check.Sequential(t)
	t.Parallel()
	demo := demoSuite(t, "4")
	out := filepath.Join(t.TempDir(), "out")
	for _, part := range []string{"1/2", "2/2"} {
		done(t, "run", demo, "--out", out, "--shard", part)
	}
	second := (shard.Shard{I: 2, N: 2}).Folder(out)
	results := check.Must(reporttest.ReadDir(second))(t)
	for _, r := range results.Records {
		r.Header.Platform, r.Header.Arithmetic = "linux/amd64/v9", ""
		check.OK(t, record.WriteFile(record.RecordPath(second, r.Header.Cell), r))
	}
	if _, _, err := bench(t, "merge", out); console.ExitCode(err) != console.ExitRefused || !strings.Contains(err.Error(), "linux/amd64/v9") || !strings.Contains(err.Error(), "--allow-mixture") {
		t.Errorf("merged two programs: %v", err)
	}
	done(t, "merge", out, "--allow-mixture")
	for _, args := range [][]string{{"report", "--format", "text", out}, {"report", "--sheet", "profile", out}} {
		if text := done(t, args...); !strings.Contains(text, "! A mixture: the records are not of one program: ") {
			t.Errorf("bench %v does not say that it is a mixture:\n%.400s", args, text)
		}
	}
	if _, _, err := bench(t, "compare", second, out, "--allow", "missing"); console.ExitCode(err) != console.ExitRefused || !strings.Contains(err.Error(), "HEAD is itself a mixture") {
		t.Errorf("compared a mixture: %v", err)
	}
	if text := done(t, "compare", "--exact", out, out); !strings.Contains(text, "16 records identical") {
		t.Errorf("record by record: %s", text)
	}
	// A run does not continue there without the flag.
	check.OK(t, os.Remove(record.RecordPath(out, results.Records[0].Header.Cell)))
	if _, _, err := bench(t, "run", demo, "--out", out); console.ExitCode(err) != console.ExitRefused || !strings.Contains(err.Error(), "7 records by popbench source") {
		t.Errorf("went on with another program's records: %v", err)
	}
	done(t, "run", demo, "--out", out, "--allow-mixture")
}

// Cells that no command chose do not count as missing.
func TestChosenCells(t *testing.T) {
	check.Sequential(t)
	t.Parallel()
	demo := demoSuite(t, "4")
	out := filepath.Join(t.TempDir(), "out")
	done(t, "run", demo, "--out", out, "--only", "beale/*/00[01]")
	if text := done(t, "report", "--format", "text", out); strings.Contains(text, "Not complete") || strings.Contains(text, "no record") {
		t.Errorf("what was not chosen is missing:\n%s", text)
	}
	done(t, "run", demo, "--out", out, "--seeds", "1")
	check.OK(t, os.Remove(record.RecordPath(out, "beale/Random%20Search/001")))
	if text := done(t, "report", "--format", "text", out); !strings.Contains(text, "! Not complete: of the 6 cells that cells.json lists 1 has no record: beale/Random%20Search 001.") {
		t.Errorf("what the first command chose and lost is not missing:\n%s", text)
	}
	// Of a folder without its list it is not known.
	check.OK(t, os.Remove(filepath.Join(out, "cells.json")))
	text := done(t, "report", "--format", "text", out)
	check.Contains(t, "without cells.json", text, "No cells.json lists the cells, so it is unknown whether runs are missing.")
	check.Lacks(t, "without cells.json", text, "Not complete")
}

// A copy of a results folder has the records and the list of cells, as results/reference does, and neither
// the suite file nor what varies between runs. All commands still know which cells are missing.
func TestMissingCellsOfACopy(t *testing.T) {
	check.Sequential(t)
	out, copied := filepath.Join(t.TempDir(), "out"), filepath.Join(t.TempDir(), "copied")
	done(t, "run", demoSuite(t, "2"), "--out", out)
	for _, name := range []string{"records", "cells.json"} {
		from := filepath.Join(out, name)
		check.OK(t, cmp.Or(os.MkdirAll(copied, 0o777), os.Rename(from, filepath.Join(copied, name))))
	}
	check.OK(t, os.Remove(record.RecordPath(copied, "beale/Random%20Search/001")))
	const missing = "Not complete: of the 8 cells that cells.json lists 1 has no record: beale/Random%20Search 001."
	check.Contains(t, "report", done(t, "report", "--format", "text", copied), "! "+missing)
	compared := strings.Join(strings.FieldsFunc(done(t, "compare", copied, copied, "--allow", "missing"), func(r rune) bool { return r == ' ' || r == '\n' || r == '!' }), " ")
	check.Contains(t, "comparison", compared, "BASE: "+missing, "HEAD: "+missing)
	check.Contains(t, "status", statusOf(t, 1, copied), "7 of 8 cells complete, 1 missing")
	compact := filepath.Join(t.TempDir(), "compact")
	done(t, "export", copied, "--format", "compact", "--out", compact)
	check.Contains(t, "report of the compact form", done(t, "report", "--format", "text", compact), "! "+missing)
}

// Lists have the algorithms in the order of the suite, whichever of them a part or a command runs.
func TestListsOfParts(t *testing.T) {
	suite := writeFile(t, "m.yaml", "{name: m, steps: 1, repetitions: 1, problems: [{name: beale}], algorithms: [{name: random, label: d}, {name: random, label: b}, {name: random, label: c}, {name: random, label: a}]}")
	dir := t.TempDir()
	one, twice, three, six := filepath.Join(dir, "one"), filepath.Join(dir, "twice"), filepath.Join(dir, "three"), filepath.Join(dir, "six")
	done(t, "run", suite, "--out", one)
	for out, n := range map[string]int{three: 3, six: 6} { // two of six have no cell
		for i := range n {
			done(t, "run", suite, "--out", out, "--shard", fmt.Sprintf("%d/%d", i+1, n))
		}
		done(t, "merge", out)
		check.Contains(t, "report of "+out, done(t, "report", "--format", "text", out), "Better than d?")
	}
	done(t, "run", suite, "--out", twice, "--only", "*/a")
	done(t, "run", suite, "--out", twice)
	check.Equal(t, "labels", fmt.Sprint(listOf(t, one).Labels), "[d b c a]")
	want := readFile(t, filepath.Join(one, "cells.json"))
	for _, other := range []string{twice, three, six} {
		check.Equal(t, "the list of "+other, readFile(t, filepath.Join(other, "cells.json")), want)
	}
}

// listOf reads the list of cells of a results folder.
func listOf(t *testing.T, dir string) *record.List {
	t.Helper()
	return check.Must(record.ReadList(dir))(t)
}

// If the copy of the suite file is missing after a kill, or differs from those of the other
// shards, the same command restores it, even if there is nothing to run.
func TestSuiteFileIsMended(t *testing.T) {
	demo := demoSuite(t, "2")
	out := filepath.Join(t.TempDir(), "out")
	for _, part := range []string{"1/2", "2/2"} {
		done(t, "run", demo, "--out", out, "--shard", part)
	}
	lost := filepath.Join((shard.Shard{I: 1, N: 2}).Folder(out), "suite.yaml")
	want := mustRead(t, lost)
	for _, spoil := range []func() error{
		func() error { return os.Remove(lost) },
		func() error { return os.WriteFile(lost, append(want, "# another wording\n"...), 0o666) },
	} {
		check.OK(t, spoil())
		if _, _, err := bench(t, "merge", out); console.ExitCode(err) != console.ExitRefused || strings.Contains(err.Error(), "\n") {
			t.Errorf("merged without the suite file: %v", err)
		}
		if text := done(t, "run", demo, "--out", out, "--shard", "1/2"); !strings.Contains(text, "nothing to run") || !bytes.Equal(mustRead(t, lost), want) {
			t.Errorf("the suite file is not mended: %s", text)
		}
	}
	done(t, "merge", out)
}

// Merging a part into a folder keeps the folder's list of expected cells. A newer record
// replaces a failed one.
func TestMergeIntoBegunFolder(t *testing.T) {
	check.Sequential(t)
	t.Parallel()
	demo := demoSuite(t, "2")
	out := filepath.Join(t.TempDir(), "out")
	first := (shard.Shard{I: 1, N: 2}).Folder(out)
	for _, part := range []string{"1/1", "1/2", "2/2"} {
		done(t, "run", demo, "--out", out, "--shard", part)
	}
	check.OK(t, os.RemoveAll(filepath.Join(out, "records")))
	check.OK(t, os.Mkdir(filepath.Join(out, "records"), 0o777))
	done(t, "merge", out, first)
	if text := done(t, "report", "--format", "text", out); !strings.Contains(text, "! Not complete: of the 8 cells that cells.json lists 4 have no record") {
		t.Errorf("half of the folder is called whole:\n%s", text)
	}
	shards := check.Must(reporttest.ReadDir(first))(t)
	failed := *shards.Records[0]
	failed.Steps, failed.Footer = nil, record.Footer{Status: record.Failed, Error: "time limit"}
	path := record.RecordPath(out, failed.Header.Cell)
	check.OK(t, record.WriteFile(path, &failed))
	done(t, "merge", out)
	if !bytes.Equal(mustRead(t, path), mustRead(t, record.RecordPath(first, failed.Header.Cell))) {
		t.Error("the failed record is still there")
	}
	if text := done(t, "report", "--format", "text", out); strings.Contains(text, "Not complete") {
		t.Errorf("after the merge of all:\n%s", text)
	}
}

// A command that runs no cell does not record itself as the maker of the records.
func TestNothingToRunMadeNothing(t *testing.T) {
	demo := demoSuite(t, "2")
	out := filepath.Join(t.TempDir(), "out")
	done(t, "run", demo, "--out", out)
	file := filepath.Join(out, "run.json")
	cells := filepath.Join(out, "cells.json")
	run, list := string(mustRead(t, file)), string(mustRead(t, cells))
	check.OK(t, os.WriteFile(cells, []byte(strings.Replace(list, `"000-001"`, `"000"`, 1)), 0o666))
	done(t, "run", demo, "--out", out)
	check.Equal(t, "the list", string(mustRead(t, cells)), list)
	check.Equal(t, "run.json", string(mustRead(t, file)), run)
	check.OK(t, os.Remove(file))
	done(t, "run", demo, "--out", out)
	if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("there is a run.json: %v", err)
	}
}

// The environment of a scheduler sets the shard, unless a flag does.
func TestShardByEnvironment(t *testing.T) {
	demo := demoSuite(t, "2")
	out := filepath.Join(t.TempDir(), "out")
	t.Setenv("JOB_COMPLETION_INDEX", "1")
	t.Setenv("JOB_COMPLETIONS", "4")
	done(t, "run", demo, "--out", out)
	check.Equal(t, "cells of the part", listOf(t, (shard.Shard{I: 2, N: 4}).Folder(out)).Cells(), 2)
	done(t, "run", demo, "--out", out, "--shard", "1/1")
	check.Equal(t, "cells of all parts", listOf(t, out).Cells(), 8)
}

// The job scripts start bench with what the scheduler gives a job.
func TestJobScripts(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the scripts are for a Unix shell")
	}
	for script, c := range map[string]struct{ env, args, want string }{
		"slurm": {"SLURM_CPUS_PER_TASK=2", "quick --out x", "run quick --workers 2 --out x"},
		"lsf":   {"LSB_DJOB_NUMPROC=2", "quick --out x", "run quick --workers 2 --out x"},
		"sge":   {"NSLOTS=2", "quick --out x", "run quick --workers 2 --out x"},
		"pbs":   {"PBS_ARRAY_INDEX=3 SUITE=quick PARTS=8 NCPUS=2 FLAGS=--force", "", "run quick --shard 3/8 --workers 2 --force"},
	} {
		cmd := exec.Command("sh", append([]string{filepath.Join(root, "scripts", script, "array.sh")}, strings.Fields(c.args)...)...)
		cmd.Env = append(strings.Fields(c.env), "BENCH=echo", "PATH="+os.Getenv("PATH"))
		out, err := cmd.CombinedOutput()
		if err != nil || strings.TrimSpace(string(out)) != c.want {
			t.Errorf("%s: %v, %s; want %s", script, err, out, c.want)
		}
	}
}

// done is like succeed, but permits progress on stderr.
func done(t *testing.T, args ...string) string {
	t.Helper()
	stdout, stderr, err := bench(t, args...)
	if err != nil {
		t.Fatalf("bench %v: %v, stderr %q", args, err, stderr)
	}
	return stdout
}

func mustRead(t *testing.T, path string) []byte {
	t.Helper()
	return check.Must(os.ReadFile(path))(t)
}
