package docs

import (
	"bytes"
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"popbench/bench"
	"popbench/configs"
	"popbench/internal/benchtest"
	"popbench/internal/check"
	"popbench/record"
)

// root is the top of the tree.
const root = ".."

// run runs a command of bench in this process, which must do well, and returns what it prints.
func run(t *testing.T, args ...string) string {
	t.Helper()
	var out, log bytes.Buffer
	code := bench.Execute(t.Context(), nil, &out, &log, args)
	check.That(t, code == 0, "bench %s: exit code %d, %s%s", strings.Join(args, " "), code, &out, &log)
	return out.String()
}

// blocks are the code blocks of the README in a language, in order.
func blocks(t *testing.T, language string) []string {
	t.Helper()
	text := check.Text(t, filepath.Join(root, "README.md"))
	var list []string
	for _, m := range regexp.MustCompile("(?ms)^```(\\w*)\n(.*?)^```$").FindAllStringSubmatch(text, -1) {
		if m[1] == language {
			list = append(list, m[2])
		}
	}
	return list
}

// goStandIn replaces the go command in the README's commands. It uses the program that was
// already built, and fewer repetitions.
const goStandIn = `#!/bin/sh
echo "go $*" >>"$SEEN"
case "$*" in
"run ./cmd/bench reproduce"*) shift 2; exec "$BENCH" "$@" --quick --only paper-test-functions-authors-code ;;
"run ./cmd/bench run "*) shift 2; exec "$BENCH" "$@" --seeds 1 ;;
"run ./cmd/bench "*) shift 2; exec "$BENCH" "$@" ;;
"test ./...") ;; # this is a part of it
*) echo "the test of the README does not know: go $*" >&2; exit 1 ;;
esac
`

// readmeShell runs shell commands in dir with the stand-in for go, and returns their output.
func readmeShell(t *testing.T, dir, script string) (stdout, seen string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the README's commands are for a Unix shell")
	}
	bin := t.TempDir()
	check.OK(t, os.WriteFile(filepath.Join(bin, "go"), []byte(goStandIn), 0o777))
	cmd := exec.Command("sh", "-e")
	cmd.Dir = dir
	cmd.Stdin = strings.NewReader(script)
	log := filepath.Join(bin, "seen")
	cmd.Env = append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"),
		"BENCH="+benchtest.Program(t), "SEEN="+log)
	cmd.Stderr = t.Output()
	return check.Ran(cmd.Output())(t), check.Text(t, log)
}

// The README's commands print what it says.
func TestReadmeCommands(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	check.OK(t, os.CopyFS(filepath.Join(dir, "configs"), os.DirFS(filepath.Join(root, "configs"))))
	out, seen := readmeShell(t, dir, strings.Join(blocks(t, "sh"), ""))
	check.Contains(t, "the commands of the README", seen, "go run ./cmd/bench reproduce\n", "go run ./cmd/bench run quick\n", "go run ./cmd/bench report ", "go test ./...\n")
	readme := check.Text(t, filepath.Join(root, "README.md"))
	claims := regexp.MustCompile(`Of the paper's \d+ claims`).FindString(readme)
	check.Contains(t, "what they print", out, cmp.Or(claims, "how many claims there are"), "Rank, suboptimality", "report/index.html")
	// The README names pages, and scripts/readme takes files from beside the second.
	pages := regexp.MustCompile("`(results/.*?)`").FindAllStringSubmatch(readme, -1)
	check.Equal(t, "pages that the README names", len(pages), 2)
	for _, m := range append(pages, []string{"", "results/reproduce/claims.json"}, []string{"", "results/reproduce/paper-test-functions-authors-code/report/table.md"}) {
		check.Must(os.Stat(filepath.Join(dir, m[1])))(t)
	}
}

// The README's optimiser in Python runs in a suite as the README names it, and keeps the rules.
func TestReadmeOptimiser(t *testing.T) {
	check.Slow(t, "it runs programs of its own")
	t.Setenv("PYTHONPATH", benchtest.PythonClient(t, root))
	programs := blocks(t, "python")
	entry := regexp.MustCompile("`({name: external, .*})`").FindStringSubmatch(check.Text(t, filepath.Join(root, "README.md")))
	check.Ensure(t, len(programs) == 1 && entry != nil, "the README has %d programs in Python, and the entry %v", len(programs), entry)
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{
		"mine.py":    programs[0],
		"suite.yaml": "{name: readme, steps: 5, repetitions: 2, problems: [{name: branin}], algorithms: [" + entry[1] + ", {name: random}]}",
	} {
		check.OK(t, os.WriteFile(name, []byte(text), 0o666))
	}
	check.Contains(t, "run", run(t, "run", "suite.yaml"), "4 cells run", "4 ok")
	check.Lacks(t, "check", run(t, "check", "python3", "mine.py"), "FAIL")
}

// The program in the template is that of the README, which a test runs.
func TestTemplateProgram(t *testing.T) {
	_, program, _ := strings.Cut(string(configs.Template().Text), "mine.py may be:\n  #\n")
	lines := strings.Split(strings.TrimSuffix(program, "\n"), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimPrefix(strings.TrimPrefix(line, "  #"), "     ")
	}
	check.Equal(t, "program", strings.Join(lines, "\n")+"\n", blocks(t, "python")[0])
}

// The claim in CONTRIBUTING.md is that of the example, which the tests run.
func TestClaimOfContributing(t *testing.T) {
	words := func(path string) string {
		return strings.Join(strings.Fields(check.Text(t, filepath.Join(root, path))), " ")
	}
	_, claim, _ := strings.Cut(words("CONTRIBUTING.md"), "```go { ID:")
	claim, _, ok := strings.Cut(claim, ", } ```")
	check.Equal(t, "there is a claim", ok, true)
	check.Contains(t, "the example", words("internal/judge/example_test.go"), "{ ID:"+claim)
}

// Links within the project have targets. That the commands that documents name exist, a test of bench finds.
func TestDocuments(t *testing.T) {
	var documents []string
	for _, pattern := range []string{"*.md", "*/*.md", "*/*/*.md", "*/*/*/*.md"} {
		documents = append(documents, check.Must(filepath.Glob(filepath.Join(root, pattern)))(t)...)
	}
	link := regexp.MustCompile(`\]\(([^)#]+)[^)]*\)`)
	links := 0
	for _, path := range documents {
		for _, m := range link.FindAllStringSubmatch(check.Text(t, path), -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			links++
			err := check.Err(os.Stat(filepath.Join(filepath.Dir(path), m[1])))
			check.That(t, err == nil, "%s links to what is not there: %v", path, err)
		}
	}
	check.That(t, len(documents) >= 80 && links >= 250, "found %d documents and %d links", len(documents), links)
}

// The changelog's newest entry, the citation and the client in Python have the program's version.
func TestVersionInDocuments(t *testing.T) {
	version := record.Built().Version
	for file, pattern := range map[string]string{
		"CHANGELOG.md":               `(?m)^## (\d+\.\d+\.\d+)`,
		"CITATION.cff":               `(?m)^version: (.+)$`,
		"clients/python/popbench.py": `(?m)^__version__ = "(.*)"$`,
	} {
		m := regexp.MustCompile(pattern).FindStringSubmatch(check.Text(t, filepath.Join(root, file)))
		check.That(t, m != nil && m[1] == version, "%s has the version %q; that of the program is %s", file, m, version)
	}
}
