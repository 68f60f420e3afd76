package bench

import (
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"popbench/internal/check"
	"popbench/internal/math/stats"
	"popbench/internal/views/report/reporttest"
)

// TestTooFewRuns checks every page that says whether two things differ: with one run fewer than stats.MinRuns none of them
// does, however much the runs differ. Comparisons of folders have a test of the same name, and those of costs
// TestTooFewRepetitions.
func TestTooFewRuns(t *testing.T) {
	check.Sequential(t)
	t.Parallel()
	outputs := []struct {
		name  string
		write func(t *testing.T, runs int) string
		words []string // each appears with enough runs and does not with fewer; regular expressions
	}{
		{"report", func(t *testing.T, runs int) string {
			return reportOf(t, worseThan(runs, "test-functions", "beale", "branin"))
		}, []string{
			`Against the paper's DTS: (better|worse)`, `Against a random point: (better|worse)`, `Against the best of 5 random points: (better|worse)`, // the summary
			`(?m)^Beale.*(better|worse), p`,                                                                      // the verdicts
			`(?i)(lowest on \d of 2|higher than the lowest)`, `(?i)(better than|not better than) a random point`, // the headline
			`\| \*\*\d`, `(?m)^Beale.*\d \*`, // the marks of the best
			`,(lower|higher|equal),(lower|higher|equal),(lower|higher|equal),`, // the table as data
			`: the best of its row`, // the marks
		}},
		{"report on one problem", func(t *testing.T, runs int) string { return reportOf(t, worseThan(runs, "test-functions", "beale")) }, []string{`The lowest`, `Higher than POP-BO|No clear difference from POP-BO`}},
		{"growth", func(t *testing.T, runs int) string { return reportOf(t, worseThan(runs, "gp-1d", "gp1")) }, []string{`(?m)^POP-BO +(yes|no:).*over 1–50`, `(?m)^POP-BO.*(above|below|no clear difference) over`}},
		{"profile", func(t *testing.T, runs int) string {
			return succeed(t, "report", "--sheet", "profile", putFolder(t, worseThan(runs, "none", "beale", "branin", "bukin6", "cross_in_tray", "eggholder", "holder_table", "levy13")))
		}, []string{`Ranks differ at level`, `(?m)^DTS +2\.00 +none$`}},
		{"verify", func(t *testing.T, runs int) string {
			dir := t.TempDir()
			ackley(t, dir, runs)
			stdout, _, _ := bench(t, "verify", dir)
			return regexp.MustCompile(`(?m)^.* ack-\d.*$`).FindString(stdout)
		}, []string{`holds|does not hold`}},
	}
	for _, o := range outputs {
		t.Run(o.name, func(t *testing.T) {
			few, enough := o.write(t, stats.MinRuns-1), o.write(t, stats.MinRuns)
			for _, words := range o.words {
				re := regexp.MustCompile(words)
				found := re.FindString(few)
				check.That(t, found == "", "of %d runs it says %q", stats.MinRuns-1, found)
				check.That(t, re.MatchString(enough), "of %d runs nothing matches %s:\n%s", stats.MinRuns, words, enough)
			}
			if o.name == "report" || o.name == "profile" {
				check.Contains(t, "a note", few, "too few for intervals")
			}
		})
	}
}

// worseThan returns runs in which DTS recommends a far worse point than POP-BO in every
// repetition.
func worseThan(runs int, paper string, problems ...string) *reporttest.Folder {
	steps := 4
	if paper == "gp-1d" {
		steps = 50
	}
	in := reporttest.Results(reporttest.Options{Problems: problems, Algorithms: []string{"popbo", "dts"}, Runs: runs, Steps: steps, Paper: paper})
	for _, r := range in.Records {
		for i := range r.Steps {
			for k := range r.Steps[i].Recommendations {
				if r.Header.Algorithm.Name == "dts" {
					r.Steps[i].Recommendations[k].Utility -= 5
				}
			}
		}
	}
	return in
}

// putFolder writes the records to a folder.
func putFolder(t *testing.T, in *reporttest.Folder) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "results")
	check.OK(t, in.Write(dir))
	return dir
}

// reportOf returns all that bench report writes, file by file.
func reportOf(t *testing.T, in *reporttest.Folder) string {
	t.Helper()
	dir := putFolder(t, in)
	done(t, "report", dir)
	files := check.Files(t, filepath.Join(dir, "report"))
	var text strings.Builder
	for _, name := range slices.Sorted(maps.Keys(files)) {
		text.WriteString(files[name])
	}
	return text.String()
}
