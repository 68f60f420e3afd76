// Package report turns the records of a results folder into values that can be
// looked at (runs, curves, a table, charts) and writes these as text, Markdown,
// CSV, LaTeX and HTML. It reads records and nothing else.
//
//	runlog.Results → Collect → Results → Curves → Charts → internal/analysis/figure
//	                                   → NewTable → Document → Write…
//
// Nothing is left out silently: what a record lacks is a footnote.
package report
