// Package report puts the outcome of a results folder into sheets and pages.
// It reads records and nothing else.
//
//	record → outcome → chart → figure
//	                 → document
//
// Nothing is left out silently: what a record lacks is a footnote.
package report
