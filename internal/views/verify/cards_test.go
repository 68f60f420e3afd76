package verify

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"popbench/internal/check"
	"popbench/internal/claims"
	"popbench/internal/claims/claimstest"
	"popbench/internal/judge"
	"popbench/internal/math/stats"
)

// element is an element of a page, with its attributes, and the text in it.
type element struct {
	name     string
	attr     map[string]string
	text     string
	children []*element
}

// quickly judges by few resamples: a page shows intervals, whatever they are.
func quickly(w claimstest.World, suites ...string) *judge.Verdicts {
	e := evidence(w, suites...)
	e.Resamples = 100
	return judge.Judge(e)
}

// page makes the page of the verdicts and reads it, which has to be well-formed. There is a file at each of the paths.
func page(t *testing.T, v *judge.Verdicts, files ...string) (root *element, source string) {
	t.Helper()
	all := check.Must(Files(v, nil, func(path string) bool { return slices.Contains(files, path) }))(t)
	source = string(all[len(all)-1].Data)
	return elements(t, source), source
}

// elements reads a page, which has to be well-formed.
func elements(t *testing.T, source string) (root *element) {
	t.Helper()
	root = &element{}
	open, begin := []*element{root}, []int{0}
	var text strings.Builder
	for d := xml.NewDecoder(strings.NewReader(source)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			root.text = text.String()
			return root
		}
		if err != nil {
			t.Fatalf("the page is not well-formed: %v", err)
		}
		last := len(open) - 1
		switch token := token.(type) {
		case xml.StartElement:
			e := &element{name: token.Name.Local, attr: map[string]string{}}
			for _, a := range token.Attr {
				e.attr[a.Name.Local] = a.Value
			}
			open[last].children = append(open[last].children, e)
			open, begin = append(open, e), append(begin, text.Len())
		case xml.EndElement:
			open[last].text = text.String()[begin[last]:]
			open, begin = open[:last], begin[:last]
		case xml.CharData:
			text.Write(token)
		}
	}
}

// all returns the elements below e with a class, or with a name.
func (e *element) all(what string) (found []*element) {
	for _, c := range e.children {
		if c.name == what || slices.Contains(strings.Fields(c.attr["class"]), what) {
			found = append(found, c)
		}
		found = append(found, c.all(what)...)
	}
	return found
}

// words is the text of e with single spaces.
func (e *element) words() string { return strings.Join(strings.Fields(e.text), " ") }

// noSpaces is a text without spaces, which mark-up puts at other places.
func noSpaces(s string) string { return strings.ReplaceAll(s, " ", "") }

// Every claim of every study has one card, with an anchor of its own and its verdict in words, whatever the records.
func TestEveryClaimHasACard(t *testing.T) {
	check.Sequential(t)
	badges := map[judge.Verdict][2]string{ // with the class that gives it its colour
		judge.Holds: {"✓ holds", "holds"}, judge.Fails: {"✗ does not hold", "fails"}, judge.Undecided: {"? undecided", "undecided"}, judge.NotRun: {"– not run", "not-run"},
	}
	all := map[string]*judge.Verdicts{
		"as claimed": quickly(claimstest.AsClaimed, "paper-gp-1d"), "at the border": quickly(claimstest.OnBorder, "paper-gp-1d"),
		"the contrary": quickly(claimstest.Contrary, "paper-gp-1d", claimstest.Functions),
	}
	for _, s := range claims.Studies() {
		all[s.Name+" without records"] = judge.Judge(judge.NewEvidence(s))
	}
	for about, v := range all {
		t.Run(about, func(t *testing.T) {
			root, source := page(t, v)
			ids := map[string]bool{}
			for _, m := range regexp.MustCompile(`\sid="([^"]*)"`).FindAllStringSubmatch(source, -1) {
				check.That(t, !ids[m[1]], "several elements are called %s", m[1])
				ids[m[1]] = true
			}
			cards := root.all("claim")
			check.Equal(t, "cards", len(cards), len(v.Outcomes))
			for i, o := range v.Outcomes {
				c := cards[i]
				check.Equal(t, "anchor", c.attr["id"], o.Claim.ID)
				check.Equal(t, "link to it", c.all("h3")[0].all("a")[0].attr["href"], "#"+o.Claim.ID)
				check.Equal(t, "badge of "+o.Claim.ID, c.all("badge")[0].words(), badges[o.Verdict][0])
				check.Contains(t, "classes of "+o.Claim.ID, c.attr["class"], badges[o.Verdict][1])
				var parts, want []string
				for _, icon := range c.all("icon") {
					parts = append(parts, icon.attr["aria-label"])
				}
				for _, f := range o.Parts {
					want = append(want, f.Verdict.String())
				}
				check.Same(t, "verdicts of the parts of "+o.Claim.ID, parts, want)
				for k, strip := range c.all("strip") {
					said := strings.Contains(strip.all("svg")[0].attr["aria-label"], "; in the paper: ")
					check.Equal(t, "the strip says what the paper prints", said, !math.IsNaN(o.Parts[k].Printed))
				}
				check.Equal(t, "rows in the fold", len(c.all("details")[0].all("tr"))-1, len(o.Parts)+len(o.Beside))
				for _, says := range []string{o.Claim.Says.String(), o.Claim.Where} {
					if !strings.ContainsAny(says, "^_√") {
						check.Contains(t, o.Claim.ID, noSpaces(c.words()), noSpaces(says))
					}
				}
				for _, known := range o.Claim.Known {
					if !strings.ContainsAny(known.String(), "^_√") {
						check.Equal(t, "times that it says "+known.String(), strings.Count(noSpaces(root.words()), noSpaces(known.String())), 1)
					}
				}
			}
		})
	}
}

// several are the verdicts on two papers.
func several() Papers {
	return Papers{quickly(claimstest.Contrary, "paper-gp-1d"), judge.Judge(judge.NewEvidence(claims.LookupStudy("qeubo-2023")))}
}

// pageOf makes the page of verdicts on several papers.
func pageOf(t *testing.T, p Papers, files ...string) (root *element, source string) {
	t.Helper()
	all := check.Must(p.Files(func(path string) bool { return slices.Contains(files, path) }))(t)
	source = string(all[len(all)-1].Data)
	return elements(t, source), source
}

// The page of several papers has all of their claims, each with its paper, and leads into their folders.
func TestPageOfSeveralPapers(t *testing.T) {
	p := several()
	root, source := pageOf(t, p, "popbo-2024/paper-gp-1d/report/index.html", "popbo-2024/paper-gp-1d/report/figures/gp1-regret.svg")
	cards := root.all("claim")
	check.Equal(t, "cards", len(cards), len(p[0].Outcomes)+len(p[1].Outcomes))
	for i, c := range cards {
		v := p[0]
		if i >= len(v.Outcomes) {
			v = p[1]
		}
		check.Equal(t, "paper of "+c.attr["id"], c.attr["data-paper"], v.Study().Name)
		check.Equal(t, "link to the paper", c.all("where")[0].all("a")[0].attr["href"], paperLink(v.Study()).Href)
		n := strings.Count(source, ` id="`+c.attr["id"]+`"`)
		check.That(t, n == 1, "%d elements are called %s", n, c.attr["id"])
		if c.attr["id"] == "gp1d-3" {
			check.Equal(t, "link to the report", c.all("suites")[0].all("a")[0].attr["href"], "popbo-2024/paper-gp-1d/report/index.html")
			check.Equal(t, "link to the figure", c.all("thumbs")[0].all("a")[0].attr["href"], "popbo-2024/paper-gp-1d/report/index.html#gp1-regret")
			check.Equal(t, "figure", c.all("img")[0].attr["src"], "popbo-2024/paper-gp-1d/report/figures/gp1-regret.svg")
		}
	}
	check.Contains(t, "the page", root.words(), p.Counts(), "Of 34 claims about 2 papers ", "popbo-2024: R", "qeubo-2023: ")
	for _, known := range p[1].Outcomes[0].Claim.Known {
		check.Equal(t, "a note stands once", strings.Count(root.words(), known.String()), 1)
	}
	index := p.index(func(path string) bool { return path == "popbo-2024/index.html" })
	check.Equal(t, "claims on the index that do not hold", len(index.Claims.Failing), p.Count(judge.Fails))
	check.Equal(t, "page of a paper with reports", index.Papers[0].Href, "popbo-2024/index.html")
	check.Equal(t, "page of a paper without", index.Papers[1].Href, "qeubo-2023/claims.html")
}

// The options of a filter count the claims that they show, and hide the others without a script.
func TestFilters(t *testing.T) {
	check.Sequential(t)
	p := several()
	for _, about := range []Papers{p[:1], p[1:], p} {
		v := about[0]
		root, source := page(t, v)
		if len(about) > 1 {
			root, source = pageOf(t, about)
		}
		cards := root.all("claim")
		named := map[string]bool{}
		var suites []string
		for _, choice := range root.all("choice") {
			attr := choice.all("input")[0].attr
			id, name, value := attr["id"], attr["name"], attr["value"]
			if named[name] = true; name == "suite" && value != "" {
				suites = append(suites, value)
			}
			_, first := attr["checked"]
			check.Equal(t, id+" is chosen", first, value == "")
			check.Equal(t, "label", choice.all("label")[0].attr["for"], id)
			shown := 0
			for _, c := range cards {
				if value == "" || slices.Contains(strings.Fields(c.attr["data-"+name]), value) {
					shown++
				}
			}
			check.Equal(t, "count of "+id, choice.all("count")[0].words(), strconv.Itoa(shown))
			rule := fmt.Sprintf(`:root:has(#%s:checked) .claim:not([data-%s~="%s"],:target){display:none}`, id, name, value)
			check.Equal(t, "rule of "+id, strings.Contains(source, rule), value != "")
		}
		// Whose claim it is can be chosen where some are ours, the verdict where there are several.
		check.Equal(t, "paper", named["paper"], len(about) > 1)
		if len(about) == 1 {
			check.Equal(t, "whose", named["whose"], v.Study().HasOwn())
		}
		check.Equal(t, "verdict", named["verdict"], v.Count(judge.NotRun) < len(cards))
		check.That(t, len(suites) > 1 && (len(about) > 1 || slices.IsSorted(suites)), "suites %q", suites)
	}
	// No claim about the sweeps was decided: a reader who asks for one is told.
	_, source := page(t, quickly(claimstest.Contrary, "paper-gp-1d"))
	const none = ":root:has(#suite-%s:checked):has(#verdict-fails:checked) .none{display:block}"
	for suite, want := range map[string]bool{"paper-sweep-beta0": true, "paper-gp-1d": false} {
		check.Equal(t, "a rule says that no claim about "+suite+" fails", strings.Contains(source, fmt.Sprintf(none, suite)), want)
	}
}

// Where a report is beside the page, the card links to it and shows the figure of what the claim is about.
func TestCardsLinkToReports(t *testing.T) {
	v := quickly(claimstest.AsClaimed, "paper-gp-1d", claimstest.Functions)
	root, _ := page(t, v, "paper-gp-1d/report/index.html", "paper-gp-1d/report/figures/gp1-regret.svg", claimstest.Functions+"/report/index.html", claimstest.Functions+"/report/figures/overview-suboptimality.svg")
	of := func(id, class, tag, attribute string) (values []string) {
		cards := root.all("claim")
		k := slices.IndexFunc(cards, func(c *element) bool { return c.attr["id"] == id })
		for _, p := range cards[k].all(class) {
			for _, e := range p.all(tag) {
				values = append(values, e.attr[attribute])
			}
		}
		return values
	}
	for _, c := range []struct {
		id, class, tag, attribute string
		want                      []string
	}{
		{"gp1d-3", "suites", "a", "href", []string{"paper-gp-1d/report/index.html"}},
		{"gp1d-3", "thumbs", "a", "href", []string{"paper-gp-1d/report/index.html#gp1-regret"}},
		{"gp1d-3", "thumbs", "img", "src", []string{"paper-gp-1d/report/figures/gp1-regret.svg"}},
		{"gp1d-3", "where", "a", "href", []string{"https://arxiv.org/abs/2402.05367"}},
		{"gp1d-4", "thumbs", "img", "src", nil}, // its figure was not made
		{"tf-1", "thumbs", "a", "href", []string{claimstest.Functions + "/report/index.html#overview-suboptimality"}},
		{"tf-1", "suites", "a", "href", []string{claimstest.Functions + "/report/index.html"}}, // of three suites
		{"ack-1", "suites", "a", "href", nil},
	} {
		check.Same(t, fmt.Sprintf("%s of %s", c.class, c.id), of(c.id, c.class, c.tag, c.attribute), c.want)
	}
	// In a results folder itself, the report is beside the page.
	root, _ = page(t, quickly(claimstest.AsClaimed, "paper-gp-1d"), "report/index.html")
	check.Same(t, "links to", of("gp1d-3", "suites", "a", "href"), []string{"report/index.html"})
}

// The sentence says why, in the words of the claimed region.
func TestWhy(t *testing.T) {
	at := func(lo, hi float64) stats.Interval { return stats.Interval{Lo: lo, Hi: hi} }
	nan := math.NaN()
	part := func(v judge.Verdict, value float64, ci, joint stats.Interval, r claims.Region) judge.Finding {
		return judge.Finding{Check: claims.Check{What: "$a$ / $b$", Region: r}, Verdict: v, Value: value, CI: ci, Joint: joint, Runs: 30}
	}
	holds := part(judge.Holds, 0.5, at(0.4, 0.6), at(0.3, 0.7), claims.Below(1))
	fails := part(judge.Fails, 3, at(2, 4), at(1.5, 5), claims.AtMost(1))
	few := part(judge.Undecided, 3, at(nan, nan), at(nan, nan), claims.Below(1))
	few.Runs = 1
	gone := part(judge.NotRun, nan, at(nan, nan), at(nan, nan), claims.Below(1))
	gone.Missing = "suite: no records"
	border := part(judge.AtBorder, 1.01, at(0.98, 1.04), at(0.98, 1.04), claims.Below(1))
	border.Decided = &judge.Decision{Runs: 120, Look: 3, Looks: make([]judge.LookAt, 3), Estimate: 1.02, Adjusted: at(0.99, 1.05), Border: 1, Margin: 0.067, Reason: "the repeated interval holds the border and lies within δ of it"}
	capped := part(judge.Undecided, 1.3, at(0.9, 1.6), at(0.9, 1.6), claims.Below(1))
	capped.Decided = &judge.Decision{Runs: 480, Look: 5, Looks: make([]judge.LookAt, 5), Estimate: nan, Adjusted: at(nan, nan), Border: 1, Reason: "the largest number of runs is reached"}
	for _, c := range []struct {
		parts   []judge.Finding
		verdict judge.Verdict
		want    string
	}{
		{[]judge.Finding{holds}, judge.Holds, "a / b is 0.50 [0.40, 0.60], and the whole interval is below 1."},
		{[]judge.Finding{holds, holds}, judge.Holds, "Both parts hold; nearest to its border: a / b is 0.50 [0.40, 0.60], and the whole interval is below 1."},
		{[]judge.Finding{holds, holds, holds}, judge.Holds, "All 3 parts hold; nearest to its border: a / b is 0.50 [0.40, 0.60], and the whole interval is below 1."},
		{[]judge.Finding{holds, fails}, judge.Fails, "Of 2 parts one does not hold: a / b is 3.0 [2.0, 4.0], and no part of the interval is at most 1."},
		{[]judge.Finding{part(judge.Undecided, 1, at(0.5, 1.5), at(0.4, 1.6), claims.Above(1.2))}, judge.Undecided, "a / b is 1.00 [0.50, 1.50]: the interval reaches across 1.2."},
		{[]judge.Finding{holds, part(judge.Undecided, 3, at(1.25, 4), at(1, 4.5), claims.Between(0.5, 1.125))}, judge.Undecided, "Of 2 parts one is undecided: a / b is 3.0 [1.2, 4.0], outside, but the wider interval for 2 parts reaches across 1.12."},
		{[]judge.Finding{few}, judge.Undecided, "1 run is too few for an interval."},
		{[]judge.Finding{holds, gone}, judge.NotRun, "suite: no records."},
		{[]judge.Finding{border}, judge.AtBorder, "a / b is 1.020 [0.990, 1.050]: the repeated interval [0.98, 1.04] holds the border 1 and lies within 0.067 of it. Decided after 120 runs, look 3."},
		{[]judge.Finding{capped}, judge.Undecided, "a / b is 1.30 [0.90, 1.60]: the repeated interval [0.9, 1.6] reaches across 1. Not decided after 480 runs, look 5: the largest number of runs is reached."},
	} {
		o := judge.Outcome{Claim: &claims.Claim{}, Verdict: c.verdict, Parts: c.parts}
		check.Equal(t, string(c.verdict), why(&o).String(), c.want)
	}
}
