package report

import (
	"strings"

	"popbench/internal/analysis/document"
	"popbench/internal/analysis/outcome"
	"popbench/internal/runlog"
)

// prior is the sheet of the settings in force.
func (l *layout) prior() document.Sheet {
	s := l.start("prior", "Kernel and norm bound in force",
		"What the algorithms use at their first step, after disclosure and fitting; a range where the runs differ. Lengthscales are in units of x, one for each coordinate where these differ. Fitted again: lengthscales and variance change as it learns. The variance of DTS is that of a duel: twice that of f, but for its prior preference.")
	column := func(title string, text func(*outcome.Row) string) {
		l.column(&s, title, func(row *outcome.Row) document.Cell { return document.Cell{Text: text(row)} })
	}
	column("Disclosed", func(row *outcome.Row) string {
		if d := row.Algorithm.Disclosed; d != runlog.DisclosedNone {
			return string(d)
		}
		return ""
	})
	column("Kernel", func(row *outcome.Row) string { return strings.Join(row.Prior.Families, "; ") })
	column("Variance", func(row *outcome.Row) string { return row.Prior.Variance.String() })
	column("Lengthscales", func(row *outcome.Row) string { return row.Prior.Lengthscales() })
	column("Norm bound", func(row *outcome.Row) string { return row.Prior.Norm.String() })
	column("Fitted again", func(row *outcome.Row) string {
		if row.Prior.Refitted {
			return "yes"
		}
		return ""
	})
	return s
}
