// Package outcome defines every number of a run and of a group of runs, once. It
// reads records and nothing else.
package outcome
