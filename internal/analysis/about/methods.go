package about

import "popbench/internal/analysis/paper"

// method says in a sentence what a method does.
type method struct {
	name   string // as in suites and records
	title  string
	text   string
	paper  string // name of its publication; "" if it has none
	folder string // of its package, whose comment has the formulas
}

// Methods are the built-in methods, with what each does.
var methods = []method{
	{"popbo", "POP-BO", "duels the last point with the one that could be better by most, according to any function in a confidence set around the most likely one.", "popbo-2024", "algorithms/popbo"},
	{"qeubo", "qEUBO", "asks the pair of points whose better one has the highest expected utility.", "qeubo-2023", "algorithms/baselines/qeubo"},
	{"sgp", "SGP", "takes one draw of the posterior, a skew Gaussian process, as if it were true, and duels the last winner with the point that then promises most.", "sgp-2023", "algorithms/baselines/sgp"},
	{"dts", "DTS", "is duelling Thompson sampling: it draws a model of all duels, takes the point that wins most of them, and duels it with the point where the answer is least certain.", "dts-2017", "algorithms/baselines/dts"},
	{"maxminlcb", "MaxMinLCB", "plays a game of a leader and a follower on pessimistic estimates of who wins, and duels the two.", "maxminlcb-2024", "algorithms/baselines/maxminlcb"},
	{"mrlpf", "MR-LPF", "asks the most uncertain duels in rounds, and after each strikes out the points that lose for certain.", "bohf-2025", "algorithms/baselines/mrlpf"},
	{"pfts", "PF-TS", "is Thompson sampling from preferences: it duels the best points of two independent draws.", "pf-ts-2026", "algorithms/baselines/pfts"},
	{"ginop", "GINOP", "duels the two points with the largest sum of both estimates and the uncertainty of their difference, over POP-BO's confidence set.", "ginop-2026", "algorithms/baselines/ginop"},
	{"exactkg", "Exact knowledge gradient", "asks the pair whose answer is expected to raise the largest posterior mean most.", "exactkg-2026", "algorithms/baselines/exactkg"},
	{"challenger", "Champion and challenger", "duels the best point by the posterior mean with a challenger, which a rule chooses.", "fauvel-2021", "algorithms/baselines/challenger"},
	{"random", "Random search", "duels random points; any method should beat it.", "", "algorithms/baselines/random"},
	{"gpucb", "GP-UCB", "observes noisy values of the function instead of comparisons, and so shows what it costs to have only comparisons.", "gpucb-2010", "algorithms/baselines/gpucb"},
}

// Names returns the names of the methods with a sentence, as suites have them.
func Names() (names []string) {
	for _, m := range methods {
		names = append(names, m.name)
	}
	return names
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
