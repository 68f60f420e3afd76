package app

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"popbench/internal/archive"
	"popbench/internal/strict"
	"popbench/internal/words"
)

// SubmissionFile is the file of a submission with what its author states.
const SubmissionFile = "submission.yaml"

// submissionResults is the archive of a submission.
const submissionResults = "results" + archive.Ext

// submission is what an author states about results for the field's page.
type submission struct {
	Authors string `json:"authors" required:"true"`
	Licence string `json:"licence" required:"true"` // of the results
	Program string `json:"program" required:"true"` // a folder of the repository, or an address
	Run     string `json:"run" required:"true"`
	Rerun   *struct {
		Cells int    `json:"cells" min:"1" required:"true"`
		On    string `json:"on" required:"true"`
	} `json:"rerun"` // of who keeps the repository; nil if nobody but the author ran cells
}

// submissionTemplate is the file as its author gets it.
const submissionTemplate = `# Who made results.zip, and how. docs/field.md explains submissions.
authors: ""  # of the method, or who ran it
licence: ""  # of results.zip: an identifier of SPDX, such as CC-BY-4.0
program: ""  # a folder of this repository, or an address with a version
run: ""      # the command that makes the results again, in that folder
`

var date = regexp.MustCompile(`^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$`)

// readSubmission reads what is stated in the folder of a submission, which is two below the top of the repository.
func readSubmission(folder string) (*submission, error) {
	path := filepath.Join(folder, SubmissionFile)
	text, err := strict.ReadFile(path)
	if err != nil {
		return &submission{}, err
	}
	s, d := new(submission), strict.NewDecoder(path)
	d.Lazy = true // keeps the lines
	d.Decode(text, s)
	for _, one := range []struct{ key, value string }{{"authors", s.Authors}, {"licence", s.Licence}, {"program", s.Program}, {"run", s.Run}} {
		if d.Given(one.key) && strings.TrimSpace(one.value) == "" {
			d.FailAt(one.key, "is empty; fill it in")
		}
	}
	if s.Rerun != nil && !date.MatchString(s.Rerun.On) {
		d.FailAt("rerun.on", "want a date such as 2026-11-28")
	}
	if s.Program != "" && !strings.HasPrefix(s.Program, "https://") {
		at, err := os.Stat(filepath.Join(folder, "..", "..", filepath.FromSlash(s.Program)))
		if err != nil || !at.IsDir() || !filepath.IsLocal(filepath.FromSlash(s.Program)) {
			d.FailAt("program", "is no folder of the repository; write an address with https:// or a folder such as examples/random-local")
		}
	}
	return s, d.Err()
}

// checked says who ran the results of a submission.
func (s *submission) checked() string {
	if s.Rerun == nil {
		return "the authors’ figures"
	}
	return fmt.Sprintf("%s run here, %s", words.Count(s.Rerun.Cells, "cell"), s.Rerun.On)
}
