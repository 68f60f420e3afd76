package stats

// MinRuns is the smallest number of runs from which a difference is reported. With fewer runs, all
// may agree on a sign by chance in more than 5 % of all cases: the two-sided signed-rank test of n
// pairs has no P value below 2^(1−n), which is 0.031 for six and 0.063 for five. A bootstrap
// interval of fewer values is also far too short, because it contains no value beyond the largest
// observed.
const MinRuns = 6
