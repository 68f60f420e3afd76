package inspect

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"popbench/internal/words"
	"popbench/suite"
)

// Overview says on one screen what there is: how many of each kind, and the names that the most built-in suites use. What
// a program adds to the built-in problems and algorithms comes first.
func Overview(cat suite.Catalogue, papers []Paper) string {
	own := BuiltIn(cat)
	specs := listProblems(cat)
	var b strings.Builder
	fmt.Fprintf(&b, "%d PROBLEMS, by dimension; bench list problems shows all\n", len(specs))
	byUse := mostUsed(cat.Problems(), suite.Catalogue{}.Problems(), own, Problems)
	for rest := specs; len(rest) > 0; { // in the order of their dimension
		d := rest[0].Dim
		n := slices.IndexFunc(append(rest, Problem{}), func(p Problem) bool { return p.Dim != d })
		names := words.Each(rest[:n], func(p Problem) string { return p.Name })
		slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(byUse[b], byUse[a]) })
		writeNames(&b, fmt.Sprintf("%d-D", d), 4, names, 1)
		rest = rest[n:]
	}

	names := cat.Algorithms()
	fmt.Fprintf(&b, "\n%d ALGORITHMS; bench list algorithms shows all with their settings\n", len(names))
	byUse = mostUsed(names, suite.Catalogue{}.Algorithms(), own, Algorithms)
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(byUse[b], byUse[a]) })
	writeNames(&b, "", 0, names, 2)

	fmt.Fprintf(&b, "\n%d SUITES, by paper; bench run NAME runs one, bench list suites shows all\n", len(own))
	width := len("no paper")
	for _, p := range papers {
		width = max(width, len(p.Name))
	}
	free := words.Only(own, func(s Suite) bool { return s.Paper == "" })
	writeNames(&b, "no paper", width, words.Each(free, Suite.name), 2)
	for _, p := range papers {
		writeNames(&b, p.Name, width, p.Suites, 4)
	}

	oracle := suite.DescribeOracle()[0]
	fmt.Fprintf(&b, "\nORACLES: %s; bench list oracle shows keys\n", words.List(oracle.Enum))
	b.WriteString("\nbench list NAME shows a problem, algorithm, suite or paper whole.\n")
	return b.String()
}

// mostUsed returns how many suites use each of the names, and more for names that are not built in.
func mostUsed(names, builtIn []string, own []Suite, part string) map[string]int {
	count := map[string]int{}
	for _, name := range names {
		count[name] = len(usedBy(own, part, name))
		if !slices.Contains(builtIn, name) {
			count[name] += len(own) + 1
		}
	}
	return count
}

// writeNames writes the names behind a key, in at most the given number of lines, and how many did not fit.
func writeNames(b *strings.Builder, key string, keyWidth int, names []string, lines int) {
	indent := 2
	if keyWidth > 0 {
		indent += keyWidth + 2
	}
	line := fmt.Sprintf("%-*s", indent, "  "+key)
	for i, name := range names {
		last := i == len(names)-1
		if !last {
			name += ","
		}
		room := thingWidth - len(line)
		if lines == 1 && !last {
			room -= len(fmt.Sprintf(" %d more", len(names)))
		}
		if len(line) > indent && len(name)+1 > room {
			if lines--; lines == 0 {
				line += fmt.Sprintf(" %d more", len(names)-i)
				break
			}
			b.WriteString(line + "\n")
			line = strings.Repeat(" ", indent)
		}
		if len(line) > indent {
			line += " "
		}
		line += name
	}
	b.WriteString(line + "\n")
}
