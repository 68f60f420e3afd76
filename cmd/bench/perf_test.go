package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"popbench/internal/perf"
)

// perfSuite is quick to run.
func perfSuite(t *testing.T) string {
	t.Helper()
	return writeFile(t, "small.yaml", `
name: small
steps: 6
repetitions: 1
problems: [{name: branin}]
algorithms:
  - {name: popbo, settings: {kernel: {lengthscale: [5]}}}
  - {name: random}
`)
}

// A measurement against itself passes; against one with less work, or a fraction
// of the time, it fails; against another suite's there is no answer.
func TestPerf(t *testing.T) {
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	save := func(name, text string) string {
		if err := os.WriteFile(file(name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return file(name)
	}
	first, _, err := bench(t, "perf", perfSuite(t), "--count", "2", "--json", file("a.json"), "--history", file("h.jsonl"), "--page", file("p.html"))
	if err != nil {
		t.Fatal(err)
	}
	base := save("base.txt", first)
	m, err := perf.Read(base, []byte(first))
	if err != nil || len(m.Passes) != 2 || len(m.Passes[0]) != 2 {
		t.Fatalf("%v, measured %+v", err, m)
	}

	// Another run counts the same. How long it takes is not for a test to say.
	if _, stderr, err := bench(t, "perf", perfSuite(t), "--count", "1", "--against", base, "--tolerance", "1e9"); err != nil || !strings.Contains(stderr, "work: 4 counts are equal, 0 are not") {
		t.Errorf("the same again: %v\n%s", err, stderr)
	}

	again, _, err := bench(t, "perf", "--from", base, "--against", base, "--tolerance", "0", "--history", file("h.jsonl"), "--page", file("p.html"))
	if err != nil || again != first {
		t.Errorf("against itself: %v\n%s", err, again)
	}
	history, err := os.ReadFile(file("h.jsonl"))
	if err != nil || strings.Count(string(history), "\n") != 2 {
		t.Errorf("history after two measurements (%v):\n%s", err, history)
	}
	for name, want := range map[string]string{"p.html": "2 measurements", "a.json": `"unit": "calibrations/step"`} {
		if data, err := os.ReadFile(file(name)); err != nil || !strings.Contains(string(data), want) {
			t.Errorf("%s (%v) lacks %q:\n%s", name, err, want, data)
		}
	}

	for _, c := range []struct {
		change func(*perf.Row)
		want   string
	}{
		{func(r *perf.Row) {
			if len(r.Work) > 0 {
				r.Work[1].Value /= 2
			}
		}, "1 of 4 counts of work grew"},
		{func(r *perf.Row) { r.Calibrations /= 4 }, "1 of 2 algorithms on a problem take more than 1.5 times as long"},
	} {
		less, err := perf.Read(base, []byte(first))
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range less.Passes {
			p[0].Calibrations = 100 // so that it is not too short
			for i := range p {
				c.change(&p[i])
			}
		}
		now, err := perf.Read(base, []byte(first))
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range now.Passes {
			p[0].Calibrations = 100
		}
		var was, is strings.Builder
		if err := less.Write(&was); err != nil {
			t.Fatal(err)
		}
		if err := now.Write(&is); err != nil {
			t.Fatal(err)
		}
		_, stderr, err := bench(t, "perf", "--from", save("now.txt", is.String()), "--against", save("less.txt", was.String()))
		if exitCode(err) != exitFailed || !strings.Contains(err.Error(), c.want) || !strings.Contains(stderr, "WORSE") {
			t.Errorf("exit %d, %v, want %q\n%s", exitCode(err), err, c.want, stderr)
		}
	}

	other := save("other.txt", strings.Replace(first, "config-hash: ", "config-hash: 0", 1))
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--from", base, "--against", other}, "measure anew what to compare with"},
		{[]string{"--from", base, "--against", file("none.txt")}, "no such file"},
		{[]string{"--from", file("none.txt")}, "no such file"},
		{[]string{"--from", save("bad.txt", first+"BenchmarkStep/x 1\n"), "--against", base}, "bad.txt:"},
		{[]string{"--from", base, "--history", save("bad.jsonl", "{\n")}, "bad.jsonl:1: "},
		{[]string{"--from", base, "small.yaml"}, "one of the two"},
		{nil, "one of the two"},
		{[]string{"--from", base, "--count", "0"}, "--count 0"},
		{[]string{"--from", base, "--tolerance", "-1"}, "--tolerance -1"},
		{[]string{perfSuite(t), "--only", "nothing"}, "--only"},
	} {
		_, _, err := bench(t, append([]string{"perf"}, c.args...)...)
		if exitCode(err) != exitRefused || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: exit %d, %v, want %q", c.args, exitCode(err), err, c.want)
		}
	}
}
