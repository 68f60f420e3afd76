package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"popbench/internal/check"
)

func TestReadSubmission(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	folder := filepath.Join(top, "submissions", "one")
	for _, dir := range []string{folder, filepath.Join(top, "examples", "one"), filepath.Join(top, "..", "x")} {
		check.OK(t, os.MkdirAll(dir, 0o777))
	}
	const whole = "authors: A. Author\nlicence: CC0-1.0\nprogram: examples/one\nrun: make\n"
	for text, want := range map[string]string{
		whole: "",
		strings.Replace(whole, "examples/one", "https://example.org/one@v1", 1): "",
		whole + "rerun: {cells: 20, on: 2026-11-28}\n":                          "",
		submissionTemplate:                                            "submission.yaml:2: authors: is empty",
		strings.Replace(whole, "make", "' '", 1):                      "submission.yaml:4: run: is empty",
		strings.Replace(whole, "examples/one", "examples/none", 1):    "submission.yaml:3: program: is no folder of the repository",
		strings.Replace(whole, "examples/one", "../x", 1):             "submission.yaml:3: program: is no folder of the repository",
		strings.Replace(whole, "examples/one", `"javascript://x"`, 1): "submission.yaml:3: program: is no folder of the repository",
		whole + "rerun: {cells: 3, on: today}\n":                      "submission.yaml:5: rerun.on: want a date",
		whole + "rerun: {cells: 3, on: 2026-99-99}\n":                 "submission.yaml:5: rerun.on: want a date",
		whole + "rerun: {cells: 0, on: 2026-11-28}\n":                 "submission.yaml:5: rerun.cells",
		whole + "rank: 1\n":                                           "submission.yaml:5: unknown key",
		strings.Replace(whole, "licence: CC0-1.0\n", "", 1):           "licence",
	} {
		check.OK(t, os.WriteFile(filepath.Join(folder, SubmissionFile), []byte(text), 0o666))
		s, err := readSubmission(folder)
		check.That(t, (err == nil) == (want == "") && (err == nil || strings.Contains(err.Error(), want)), "%s: %v", text, err)
		check.That(t, err != nil || s.checked() == map[bool]string{true: "the authors’ figures", false: "20 cells run here, 2026-11-28"}[s.Rerun == nil], "%s: %s", text, s.checked())
	}
}
