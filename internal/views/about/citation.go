package about

import (
	"fmt"
	"strings"

	"popbench"
	"popbench/internal/page/document"
)

// project is what CITATION.cff says of this project.
type project struct {
	title, abstract, version string
	authors                  []string
	repository               string // URL of the source; "" if it is not published
}

var popbenchProject = readCitation(popbench.Citation)

// readCitation reads the top-level keys of a file in the Citation File Format, whose values here are plain text on one line,
// and the names of the authors.
func readCitation(cff string) (p project) {
	top := map[string]string{}
	block := "" // key of the list that a line belongs to
	for line := range strings.Lines(cff) {
		key, value, _ := strings.Cut(strings.TrimRight(line, "\n"), ":")
		value = strings.Trim(strings.TrimSpace(value), `"'`)
		if !strings.HasPrefix(line, " ") {
			block, top[key] = key, value
		} else if block == "authors" && strings.TrimLeft(key, " -") == "name" {
			p.authors = append(p.authors, value)
		}
	}
	p.title, p.abstract, p.version, p.repository = top["title"], top["abstract"], top["version"], strings.TrimRight(top["repository-code"], "/")
	return p
}

// text is the citation in a line.
func (p *project) text() string {
	return fmt.Sprintf("%s: %s %s. Version %s.", strings.Join(p.authors, ", "), p.title, strings.TrimSuffix("— "+p.abstract, "."), p.version)
}

// bibTeX is the citation for LaTeX.
func (p *project) bibTeX() string {
	b := fmt.Sprintf("@software{%s,\n  title   = {{%s: %s}},\n  author  = {{%s}},\n  version = {%s},\n",
		p.title, p.title, strings.TrimSuffix(p.abstract, "."), strings.Join(p.authors, "} and {"), p.version)
	if p.repository != "" {
		b += fmt.Sprintf("  url     = {%s},\n", p.repository)
	}
	return b + "}"
}

// file is a link to a file of the source, or its path if the source is not published.
func (p *project) file(path string) document.Link {
	if p.repository == "" {
		return document.Link{Text: path}
	}
	return document.Link{Text: path, Href: p.repository + "/blob/main/" + path}
}
