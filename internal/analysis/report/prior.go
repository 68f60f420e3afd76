package report

import (
	"strings"

	"popbench/internal/analysis/document"
	"popbench/record"
)

// prior is the sheet of the settings in force.
func (l *layout) prior() document.Sheet {
	words := func(title, about document.Text, of func(line) string) column {
		return column{Title: title, About: about, Of: func(v line) document.Cell { return document.Words(of(v)) }}
	}
	return l.sheet(document.Sheet{ID: "prior", Title: "Kernel and norm bound in force",
		Caption: "What the algorithms use at their first step, after disclosure and fitting; a range where the runs differ."},
		words("Disclosed", "", func(v line) string {
			if d := v.Algorithm.Disclosed; d != record.DisclosedNone {
				return string(d)
			}
			return ""
		}),
		words("Kernel", "", func(v line) string { return strings.Join(v.Prior.Families, "; ") }),
		words("Variance", "The variance of DTS is that of a duel: twice that of $f$, but for its prior preference.", func(v line) string { return v.Prior.Variance.String() }),
		words("Lengthscales", "Lengthscales are in units of $x$, one for each coordinate where these differ.", func(v line) string { return v.Prior.Lengthscales() }),
		words("Norm bound", "", func(v line) string { return v.Prior.Norm.String() }),
		words("Refitted", "Refitted: lengthscales and variance change during the run.", func(v line) string {
			if v.Prior.Refitted {
				return "yes"
			}
			return ""
		}))
}
