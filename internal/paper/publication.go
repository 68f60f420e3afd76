package paper

import (
	"fmt"
	"slices"
	"strings"
)

// Publication is a paper whose experiments are run again (publications.json), or whose method takes part (its method.json).
type Publication struct {
	Name    string   `json:"name"` // as in bench reproduce --paper; author or method and year for papers without suites
	Title   string   `json:"title"`
	Authors []string `json:"authors"` // initials and family name
	Venue   string   `json:"venue"`
	Year    int      `json:"year"`
	URL     string   `json:"url"`    // of the paper or, where we know of no public one, of its program
	Suites  []string `json:"suites"` // that run its experiments; POP-BO's suites name the experiment in their key `paper`
}

var publications = read[[]*Publication]("publications.json")

// LookupPublication returns the paper of a name, or nil if there is none.
func LookupPublication(name string) *Publication {
	return find(publications, func(p *Publication) bool { return p.Name == name })
}

// OfSuite returns the paper whose experiments a suite runs, or nil if that is unknown. POP-BO's experiments are known by
// [LookupExperiment] instead.
func OfSuite(suite string) *Publication {
	return find(publications, func(p *Publication) bool { return slices.Contains(p.Suites, suite) })
}

// Byline is "W. Xu, W. Wang and Y. Jiang, ICML 2024".
func (p *Publication) Byline() string {
	last := len(p.Authors) - 1
	return fmt.Sprintf("%s and %s, %s %d", strings.Join(p.Authors[:last], ", "), p.Authors[last], p.Venue, p.Year)
}

// Short is "Xu et al., ICML 2024".
func (p *Publication) Short() string {
	family := func(author string) string {
		parts := strings.Split(author, ". ")
		return parts[len(parts)-1]
	}
	who := family(p.Authors[0])
	if len(p.Authors) == 2 {
		who += " and " + family(p.Authors[1])
	} else {
		who += " et al."
	}
	return fmt.Sprintf("%s, %s %d", who, p.Venue, p.Year)
}
