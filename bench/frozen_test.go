package bench

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"popbench/internal/check"
	"popbench/internal/console"
)

// frozen has files as version 0.1.0 wrote them, and below out what its commands made of them. They never change, since
// docs/upgrading.md promises that they can be read.
const frozen = "testdata/frozen/0.1.0"

// frozenCommands read the files in IN, and write to OUT what is compared with IN/out.
var frozenCommands = []struct {
	stdout string // name of the file with what is printed
	code   int
	args   string
}{
	{"status.json", 1, "status OUT/results --json"}, // one of its records is missing
	// After a default has changed on purpose, this needs --force.
	{"", 0, "run IN/suite.yaml --out OUT/results --seeds 1 --only branin/[GPS]*[OPd] --workers 1 --allow-mixture"},
	{"", 0, "export IN/results --format csv --out OUT/csv"},
	{"", 0, "export IN/results --format ioh --out OUT/ioh"},
	{"", 0, "export IN/results --format pairs --out OUT/pairs"},
	{"", 0, "export IN/results --format compact --out OUT/compact"},
	{"", 0, "import IN/out/csv/values.csv --out OUT/imported"},
	{"", 0, "check IN/ginop.zip"},
	{"", 0, "verify IN/ginop.zip --out OUT/claims"},
	{"", 0, "report IN/head.zip --out OUT/report"},
	{"compare.json", 0, "compare IN/ginop.zip IN/head.zip --allow missing --metrics suboptimality --format json"},
	{"", 0, "perf IN/perf.txt --against IN/perf.txt --json OUT/perf.json --history OUT/perf.jsonl"},
	{"suggest.json", 0, "suggest IN/experiment.json --state OUT/state"},
	{"solve.json", 0, "solve IN/problem.json"},
	{"problem.json", 0, "list beale --json"},
	{"algorithm.json", 0, "list popbo --json"},
	{"suite.json", 0, "list quick --json"},
	{"paper.json", 0, "list ginop-2026 --json"},
	{"schema.json", 0, "init --schema -"},
}

// What 0.1.0 wrote is read and continued, and no field, key of suites or column is gone or of another type.
func TestFrozen(t *testing.T) {
	check.Sequential(t)
	out := t.TempDir()
	check.OK(t, os.CopyFS(out, os.DirFS(frozen)))
	check.OK(t, os.Rename(filepath.Join(out, "out/perf.jsonl"), filepath.Join(out, "perf.jsonl"))) // a command adds a line
	check.OK(t, os.RemoveAll(filepath.Join(out, "out")))
	check.OK(t, os.Remove(filepath.Join(out, "results/records/branin/GINOP/000.jsonl")))
	for _, c := range frozenCommands {
		args := strings.Fields(c.args)
		for i := range args {
			args[i] = strings.NewReplacer("IN", frozen, "OUT", out).Replace(args[i])
		}
		stdout, stderr, err := bench(t, args...)
		check.That(t, console.ExitCode(err) == c.code, "bench %s: exit code %d, want %d: %v\n%s", c.args, console.ExitCode(err), c.code, err, stderr)
		if c.stdout != "" {
			check.OK(t, os.WriteFile(filepath.Join(out, c.stdout), []byte(stdout), 0o666))
		}
	}
	now := check.Files(t, out)
	for name, text := range check.Files(t, frozen) {
		if file, ok := strings.CutPrefix(name, "out/"); ok || strings.HasPrefix(name, "results/") {
			again, there := now[file]
			if !there {
				again, there = now[strings.TrimSuffix(file, ".gz")]
			}
			check.That(t, there, "%s is not written", file)
			keeps(t, file, formOf(t, file, text), formOf(t, strings.TrimSuffix(file, ".gz"), again))
		}
	}
}

// The requests of 0.1.0 have answers with the fields of that time, or the same code of an error.
func TestFrozenProtocol(t *testing.T) {
	check.Sequential(t)
	requests, answers := map[int]string{}, map[int][]string{}
	for line := range strings.Lines(check.Text(t, filepath.Join(frozen, "trace.jsonl"))) {
		var m struct {
			Conn      int
			Dir, Line string
		}
		check.OK(t, json.Unmarshal([]byte(line), &m))
		if m.Dir == ">" {
			requests[m.Conn] += m.Line + "\n"
		} else {
			answers[m.Conn] = append(answers[m.Conn], m.Line)
		}
	}
	for conn, args := range map[int][]string{1: {"popbo"}, 2: {"gpucb"}, 3: {"--problem", "beale"}} {
		var out bytes.Buffer
		code := Execute(t.Context(), strings.NewReader(requests[conn]), &out, nil, append([]string{"serve"}, args...))
		check.Equal(t, "exit code", code, 0)
		lines := strings.Split(strings.TrimSpace(out.String()), "\n")
		check.Equal(t, "answers", len(lines), len(answers[conn]))
		for i := range min(len(lines), len(answers[conn])) {
			what := fmt.Sprintf("answer %d of serve %s", i+1, args)
			keeps(t, what, formOf(t, "was.jsonl", answers[conn][i]), formOf(t, "is.jsonl", lines[i]))
		}
	}
}

// The test finds what is gone or of another type, and lets what is new pass.
func TestFormOf(t *testing.T) {
	for _, c := range []struct{ name, was, is, gone string }{
		{"a.json", `{"a": 1, "b": [{"c": "x"}]}`, `{"b": [{"d": true}, {"c": "y"}], "a": 2.5, "e": null}`, ""},
		{"a.json", `{"a": 1, "b": null}`, `{"a": null}`, "[.a: number]"},
		{"a.json", `{"a": 1}`, `{"a": "1"}`, "[.a: number]"},
		{"a.json", `{"enum": ["x", "y"]}`, `{"enum": ["x"]}`, "[.enum = y]"},
		{"a.json", `{"a": [{"const": "x"}, {"const": "y"}]}`, `{"a": [{"const": "y"}]}`, "[.a[].const = x]"},
		{"a.json", `{"error": {"code": -32602}}`, `{"error": {"code": -32601}}`, "[.error.code = -32602]"},
		{"a.csv", "a,b\n1,x\n,y\n", "b,c,a\nx,,2\n", ""},
		{"a.csv", "a,b\n1,x\n", "a,c\n1,x\n", "[b b: text]"},
		{"a.csv", "a\n1\n", "a\nx\n", "[a: number]"},
	} {
		check.Equal(t, c.was+" and "+c.is, fmt.Sprint(gone(formOf(t, c.name, c.was), formOf(t, c.name, c.is))), cmp.Or(c.gone, "[]"))
	}
}

// gone is what one form has and another has not.
func gone(was, is map[string]bool) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(was)), func(part string) bool { return is[part] })
}

func keeps(t *testing.T, what string, was, is map[string]bool) {
	t.Helper()
	check.That(t, len(was) > 0, "%s has nothing that can be compared", what)
	check.That(t, len(gone(was, is)) == 0, "%s no longer has %q", what, gone(was, is))
}

// formOf is what a program may rely on in a file: the fields of JSON and their types, columns of CSV and whether they are
// numbers, and of files in other formats that they are there. What only some builds know is left out.
func formOf(t *testing.T, name, text string) map[string]bool {
	t.Helper()
	if base, ok := strings.CutSuffix(name, ".gz"); ok {
		name, text = base, string(check.Must(io.ReadAll(check.Must(gzip.NewReader(strings.NewReader(text)))(t)))(t))
	} else if strings.HasPrefix(text, "\x1f\x8b") {
		return formOf(t, name+".gz", text)
	}
	form := map[string]bool{}
	switch filepath.Ext(name) {
	case ".json", ".jsonl":
		for d := json.NewDecoder(strings.NewReader(text)); d.More(); {
			var v any
			check.OK(t, d.Decode(&v))
			formJSON(form, "", v)
		}
		if form[".$schema: text"] && form[".$defs: object"] { // what may be written in a suite; limits and words may change
			maps.DeleteFunc(form, func(part string, _ bool) bool {
				return !strings.Contains(part, " = ") && !strings.HasSuffix(part, ": object")
			})
		}
	case ".csv":
		rows := check.Must(csv.NewReader(strings.NewReader(text)).ReadAll())(t)
		for i, column := range rows[0] {
			kind := ""
			for _, row := range rows[1:] {
				if _, err := strconv.ParseFloat(row[i], 64); err != nil && row[i] != "" {
					kind = ": text"
				} else if row[i] != "" && kind == "" {
					kind = ": number"
				}
			}
			form[column], form[column+kind] = true, true
		}
	default:
		form[name] = true
	}
	return form
}

func formJSON(form map[string]bool, at string, value any) {
	switch v := value.(type) {
	case map[string]any:
		form[at+": object"] = true
		for key, part := range v {
			if key != "commit" && key != "dirty" {
				formJSON(form, at+"."+key, part)
			}
		}
	case []any:
		form[at+": list"] = true
		for _, part := range v {
			if formJSON(form, at+"[]", part); strings.HasSuffix(at, ".enum") {
				form[fmt.Sprint(at, " = ", part)] = true
			}
		}
	case string:
		if form[at+": text"] = true; strings.HasSuffix(at, ".const") {
			form[at+" = "+v] = true
		}
	case float64:
		form[at+": number"] = true
		if strings.HasSuffix(at, ".error.code") {
			form[fmt.Sprint(at, " = ", v)] = true
		}
	case bool:
		form[at+": bool"] = true
	}
}
