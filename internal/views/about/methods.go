package about

import (
	"encoding/json"

	"popbench/internal/paper"
)

// method says in a sentence what a method does, and how figures draw it.
type method struct {
	name   string // as in suites and records
	title  string
	text   string
	paper  string // name of its publication; "" if it has none
	folder string // of its package, whose comment has the formulas
	styles styles
}

// styles are those of the lines of a method, by its setting "rule"; by "" if it has no such setting. Numbers with the same
// remainder by chart.Colours have the same colour: those of methods that stand in the figures of one paper differ.
type styles map[string]int

// Methods are the built-in methods: what each does, and in which style, of which no two have the same.
var methods = []method{
	{"popbo", "POP-BO", "duels the last point with the one that could be better by most, according to any function in a confidence set around the most likely one.", "popbo-2024", "algorithms/popbo", styles{"": 0}},
	{"qeubo", "qEUBO", "asks the pair of points whose better one has the highest expected utility.", "qeubo-2023", "algorithms/baselines/qeubo", styles{"": 1}},
	{"sgp", "SGP", "takes one draw of the posterior, a skew Gaussian process, as if it were true, and duels the last winner with the point that then promises most.", "sgp-2023", "algorithms/baselines/sgp", styles{"": 2}},
	{"dts", "DTS", "is duelling Thompson sampling: it draws a model of all duels, takes the point that wins most of them, and duels it with the point where the answer is least certain.", "dts-2017", "algorithms/baselines/dts", styles{"": 3}},
	{"maxminlcb", "MaxMinLCB", "plays a game of a leader and a follower on pessimistic estimates of who wins, and duels the two.", "maxminlcb-2024", "algorithms/baselines/maxminlcb", styles{"": 9}},
	{"mrlpf", "MR-LPF", "asks the most uncertain duels in rounds, and after each strikes out the points that lose for certain.", "bohf-2025", "algorithms/baselines/mrlpf", styles{"": 10}},
	{"pfts", "PF-TS", "is Thompson sampling from preferences: it duels the best points of two independent draws.", "pf-ts-2026", "algorithms/baselines/pfts", styles{"thompson": 11, "ucb": 21}},
	{"ginop", "GINOP", "duels the two points with the largest sum of both estimates and the uncertainty of their difference, over POP-BO's confidence set.", "ginop-2026", "algorithms/baselines/ginop", styles{"": 20}},
	{"exactkg", "Exact knowledge gradient", "asks the pair whose answer is expected to raise the largest posterior mean most.", "exactkg-2026", "algorithms/baselines/exactkg", styles{"": 13}},
	{"challenger", "Champion and challenger", "duels the best point by the posterior mean with a challenger, which a rule chooses.", "fauvel-2021", "algorithms/baselines/challenger", styles{"muc": 15, "dueling-ucb": 19, "eiig": 18, "thompson": 8, "bivariate-ei": 14, "brochu-ei": 17, "self-sparring": 12}},
	{"random", "Random search", "duels random points; any method should beat it.", "", "algorithms/baselines/random", styles{"": 6}},
	{"gpucb", "GP-UCB", "observes noisy values of the function instead of comparisons, and so shows what it costs to have only comparisons.", "gpucb-2010", "algorithms/baselines/gpucb", styles{"": 4}},
}

// Names returns the names of the methods with a sentence, as suites have them.
func Names() (names []string) {
	for _, m := range methods {
		names = append(names, m.name)
	}
	return names
}

// Style returns the style in which figures draw a built-in method with these settings; false if it has none.
func Style(name string, settings json.RawMessage) (style int, ok bool) {
	var with struct {
		Rule string `json:"rule"`
	}
	_ = json.Unmarshal(settings, &with) // without settings it has no rule
	for _, m := range methods {
		if m.name == name {
			if style, ok = m.styles[""]; !ok {
				style, ok = m.styles[with.Rule]
			}
		}
	}
	return style, ok
}

// Declared reports whether the style is that of a built-in method.
func Declared(style int) bool {
	for _, m := range methods {
		for _, of := range m.styles {
			if of == style {
				return true
			}
		}
	}
	return false
}

// Method says in a sentence what a built-in method does, and of which paper it is; nil if it has none. The sentence begins
// with the title. Both are empty for a name that is not built in.
func Method(name string) (title, sentence string, of *paper.Publication) {
	for _, m := range methods {
		if m.name == name {
			return m.title, m.title + " " + m.text, paper.LookupPublication(m.paper)
		}
	}
	return "", "", nil
}
