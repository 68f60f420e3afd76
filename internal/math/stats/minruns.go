package stats

// MinRuns is the least number of runs from which anything is said to differ. With fewer, all of them may agree on a sign
// by chance alone more often than in 5 % of all cases: the two-sided signed-rank test of n pairs has no P value below
// 2^(1−n), which is 0.031 of six and 0.063 of five. A bootstrap interval of so few values is far too short, too: it knows
// no value beyond the largest that it has seen.
const MinRuns = 6
