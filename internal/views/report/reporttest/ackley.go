package reporttest

import "popbench/record"

// Ackley returns runs of the paper's 6-D suite. qEUBO has half of POP-BO's regret, as the paper claims (claim ack-1), and a
// far better recommendation, which contradicts it (ack-2).
func Ackley(runs int) *Folder {
	return Plan{
		Suite: "paper-ackley-6d", Paper: "ackley-6d",
		Problems: []string{"ackley6"}, Labels: []string{"POP-BO", "qEUBO"}, Runs: runs, Steps: 3, Rules: []string{"max-mle"}, Random: 1,
		Regret: func(_, label string, i, t int) float64 {
			return map[string]float64{"POP-BO": 2, "qEUBO": 1}[label] + 0.01*float64(i)
		},
		Suboptimality: func(_, label, _ string, i, t int) float64 {
			return map[string]float64{"POP-BO": 0.9, "qEUBO": 0.1}[label] + 0.01*float64(i%3)
		},
		Seconds: func(string, int) float64 { return 0.01 },
	}.Results()
}

// Write writes the records and measurements to a results folder.
func (f *Folder) Write(dir string) error {
	folder, err := record.Create(dir)
	if err != nil {
		return err
	}
	defer folder.Close()
	for _, r := range f.Records {
		if err := folder.Put(r, f.Timings[r.Header.Cell]); err != nil {
			return err
		}
	}
	return nil
}
