// Package export writes the records of results folders in forms that other programs read, and turns a table of another
// program into records. docs/export.md describes the forms.
//
//	Tidy    a line for every number of a run, with a data-package description
//	IOH     the files of IOHprofiler
//	Pairs   points and comparisons, as BoTorch's PairwiseGP takes them
//	Import  the tidy table, back to records
//
// Every number of a run comes from package outcome. An export reads one record at a time, so that a folder may be larger
// than memory.
package export
