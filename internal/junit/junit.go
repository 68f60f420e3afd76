// Package junit writes the part of JUnit's XML that the test reports of GitHub, GitLab and Jenkins read.
package junit

import (
	"encoding/xml"
	"fmt"
	"io"
)

// Suite is a list of tests with a name. Write counts them.
type Suite struct {
	Name     string `xml:"name,attr"`
	Tests    int    `xml:"tests,attr"`
	Failures int    `xml:"failures,attr"`
	Skipped  int    `xml:"skipped,attr"`
	Cases    []Case `xml:"testcase"`
	Output   string `xml:"system-out,omitempty"` // text for all of them
}

// Case is a test. It has passed if it is neither failed nor skipped.
type Case struct {
	Class   string   `xml:"classname,attr"`
	Name    string   `xml:"name,attr"`
	Failure *Message `xml:"failure,omitempty"`
	Skipped *Message `xml:"skipped,omitempty"`
	Output  string   `xml:"system-out,omitempty"`
}

// Message says why a test failed or was skipped.
type Message struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// Write writes a report of one suite.
func Write(w io.Writer, s Suite) error {
	s.Tests, s.Failures, s.Skipped = len(s.Cases), 0, 0
	for _, c := range s.Cases {
		if c.Failure != nil {
			s.Failures++
		}
		if c.Skipped != nil {
			s.Skipped++
		}
	}
	text, err := xml.MarshalIndent(struct {
		XMLName  xml.Name `xml:"testsuites"`
		Tests    int      `xml:"tests,attr"`
		Failures int      `xml:"failures,attr"`
		Suite    Suite    `xml:"testsuite"`
	}{Tests: s.Tests, Failures: s.Failures, Suite: s}, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s%s\n", xml.Header, text)
	return err
}
