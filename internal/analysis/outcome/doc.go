// Package outcome defines every number of a run and of a group of runs, once, for reports, figures, comparisons, profiles
// and verdicts on claims. It reads records and nothing else.
//
//	NewRun                     the numbers of a record: regret, suboptimality, work, certificates, seconds
//	Collect → Results, Group   the runs of a folder, and notes on what is missing
//	Curves                     after each step, over the runs of a group
//	NewTable → Row             after the last step: summaries, verdicts, standings, coverage, times
//
// Every interval is that of stats.Resampled. Of fewer runs than stats.MinRuns there is none, and nothing is said to differ.
package outcome
