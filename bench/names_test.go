package bench

import (
	"flag"
	"fmt"
	"go/scanner"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"popbench/internal/check"
	"popbench/internal/words"
)

// ordinary are words that follow "bench" in a sentence. Verbs end in s.
const ordinary = "and at before binary by c can one for has in is itself may never of path program python so started that then to unchanged will with without would"

var (
	// invoked is bench with the word that follows: as a name, as a path, in quotes, or in a list.
	invoked  = regexp.MustCompile(`(?:^|[\s"'` + "`" + `(\[/;|{])(?:bench|bench-[A-Z]+|[a-z]+\.bin|\$\{BENCH:-\./bin/bench\})["'}]?(?:,? +|", ")((?:--)?[a-z][a-z-]*)([^\n` + "`" + `;|>&#)]*)`)
	flagged  = regexp.MustCompile(`(?:^|[\s"\[` + "`" + `])(--?[a-z][a-z-]*)`)
	lone     = regexp.MustCompile("(?:^|[\\s(])`(--[a-z][a-z-]*)[ `=]")
	spoken   = regexp.MustCompile(`(?:^|\s)(--[a-z][a-z-]+)`)
	inQuotes = regexp.MustCompile(`'[^']*'`)
	// keyed is a key of a suite with its value, in Markdown.
	keyed = regexp.MustCompile("`\\{?([a-z_]+(?:\\.[a-z_]+)*): ?[^`]*`")
	// theirs are flags that scripts take.
	theirs = regexp.MustCompile(`(?m)^\s*(?:-h \| )?(--[a-z-]+)(?: \| (--[a-z-]+))?\)`)
)

// declared are the flags of every command, with their dashes.
func declared() map[string][]string {
	all := map[string][]string{"help": nil}
	for _, c := range commands {
		all[c.name] = nil
		flags, _ := c.flags(plain(nil, nil))
		flags.VisitAll(func(f *flag.Flag) { all[c.name] = append(all[c.name], dashes(f.Name)) })
	}
	return all
}

// misnamed returns the commands and flags in a text that do not exist, given those of bench and all flags that anything has.
func misnamed(text string, of map[string][]string, known []string) (wrong []string) {
	for _, m := range invoked.FindAllStringSubmatch(text, -1) {
		name := m[1]
		rest, _, _ := strings.Cut(inQuotes.ReplaceAllString(m[2], ""), ". ")
		flags, ok := of[name]
		switch {
		case name == "--version" || name == "--help" || name == "-h":
		case !ok && !strings.HasSuffix(name, "s") && !slices.Contains(strings.Fields(ordinary), name):
			wrong = append(wrong, "bench "+name)
		case !ok:
		case name == "check": // what follows may be the flags of another program
		default:
			for _, f := range flagged.FindAllStringSubmatch(rest, -1) {
				if f[1] == "--" || slices.Contains(flags, f[1]) || slices.Contains([]string{"-h", "--help"}, f[1]) {
					continue
				}
				wrong = append(wrong, "bench "+name+" "+f[1])
			}
		}
	}
	for _, m := range lone.FindAllStringSubmatch(text, -1) {
		if !slices.Contains(known, m[1]) {
			wrong = append(wrong, m[1])
		}
	}
	return wrong
}

// No document, script, workflow, comment or message names a command or a flag that does not exist.
func TestNamesExist(t *testing.T) {
	check.Sequential(t)
	out, err := exec.Command("git", "-C", root, "ls-files", "-z").Output()
	if err != nil {
		t.Skipf("git lists no files: %v", err)
	}
	of := declared()
	known := slices.Concat(slices.Collect(maps.Values(of))...)
	files := slices.DeleteFunc(strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00"), func(name string) bool {
		_, err := os.Stat(filepath.Join(root, name))
		return err != nil
	})
	for _, name := range files {
		if strings.HasPrefix(name, "scripts/") && filepath.Ext(name) == "" || name == ".ci/run" {
			for _, m := range theirs.FindAllStringSubmatch(check.Text(t, filepath.Join(root, name)), -1) {
				known = append(known, m[1:]...)
			}
		}
	}
	// Flags of other programs that documents and messages name.
	known = append(known, strings.Fields("--break-system-packages --help --init --test --version")...)
	read := 0
	for _, name := range files {
		if strings.HasPrefix(name, "results/") && !strings.HasSuffix(name, ".md") || strings.Contains(name, "testdata/") || strings.HasSuffix(name, "_test.go") ||
			slices.Contains([]string{".gz", ".jsonl", ".svg", ".csv", ".tex", ".sum", ".s", ".json"}, filepath.Ext(name)) {
			continue
		}
		read++
		text := check.Text(t, filepath.Join(root, name))
		wrong := misnamed(text, of, known)
		if filepath.Ext(name) == ".go" {
			for _, s := range sentences(text) {
				for _, m := range spoken.FindAllStringSubmatch(s, -1) {
					if !slices.Contains(known, m[1]) {
						wrong = words.Include(wrong, fmt.Sprintf("%s in %.60q", m[1], s))
					}
				}
			}
		}
		check.That(t, wrong == nil, "%s names what does not exist: %q", name, wrong)
	}
	check.That(t, read >= 500, "only %d files were read", read)
}

// sentences are the strings of Go source that have a space.
func sentences(source string) (all []string) {
	file := token.NewFileSet().AddFile("", -1, len(source))
	var s scanner.Scanner
	s.Init(file, []byte(source), nil, 0)
	for {
		_, tok, lit := s.Scan()
		if tok == token.EOF {
			return all
		}
		if tok == token.STRING && strings.Contains(lit, " ") {
			all = append(all, strings.Trim(lit, "\"`"))
		}
	}
}

// What TestNamesExist looks for is found in every form.
func TestNamesAreFound(t *testing.T) {
	of := map[string][]string{"run": {"--out", "-v"}, "help": nil}
	for text, want := range map[string]string{
		"bench run SUITE --out x; bench runs; bench is; bench --version": "",
		"`bench profile RESULTS` shows":                                  "bench profile",
		"go run ./cmd/bench power a b":                                   "bench power",
		"\"$work/bench\" run x --outt y":                                 "bench run --outt",
		"attend \"$work/bench-HEAD\" profile x":                          "bench profile",
		"\"$work/base.bin\" power x":                                     "bench power",
		"command: [bench, profile, /suite]":                              "bench profile",
		"exec \"${BENCH:-./bin/bench}\" run x --workerz 2":               "bench run --workerz",
		"bench run x -v --verbose":                                       "bench run --verbose",
		"  bench run x   (then --verbose is ours)":                       "bench run --verbose",
		"`bench run x` and `git --bare`, then `--title` is gone":         "--title",
	} {
		check.Equal(t, text, strings.Join(misnamed(text, of, []string{"--out"}), ", "), want)
	}
}

// keys returns the keys that a JSON schema allows anywhere.
func keys(schema any) (all []string) {
	switch v := schema.(type) {
	case map[string]any:
		if properties, ok := v["properties"].(map[string]any); ok {
			all = slices.Collect(maps.Keys(properties))
		}
		for _, of := range v {
			all = append(all, keys(of)...)
		}
	case []any:
		for _, of := range v {
			all = append(all, keys(of)...)
		}
	}
	return all
}

// No document names a key of suites, such as a setting, that does not exist.
func TestKeysExist(t *testing.T) {
	var schema any
	check.Read(t, root+"/configs/schema.json", &schema)
	known := append(keys(schema), "package", "rounding", "winner") // of commits, measurements and the protocol
	found := 0
	check.OK(t, filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if name := d.Name(); d.IsDir() && (name == "testdata" || name == "paper" || len(name) > 1 && name[0] == '.' && name != "..") {
			return filepath.SkipDir
		} else if filepath.Ext(name) != ".md" {
			return err
		}
		for _, m := range keyed.FindAllStringSubmatch(check.Text(t, path), -1) {
			found++
			for key := range strings.SplitSeq(m[1], ".") {
				check.That(t, slices.Contains(known, key), "%s names the key %s, which does not exist: %s", path, key, m[0])
			}
		}
		return err
	}))
	check.That(t, found >= 30, "%d keys are named", found)
}
