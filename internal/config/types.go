// Package config reads the YAML (and JSON) files of the benchmark into typed,
// validated values. It is the only importer of the YAML library.
package config

// Suite is one experiment: every algorithm on every problem, Repetitions times.
type Suite struct {
	Name        string      `json:"name" doc:"Name of the suite; also the folder of its results."`
	Title       string      `json:"title,omitempty" doc:"One line that says what the suite is for."`
	Paper       string      `json:"paper,omitempty" doc:"The paper's experiment that the suite repeats; the report puts the paper's numbers beside ours."`
	Seed        uint64      `json:"seed" doc:"Seed of every random stream of the suite."`
	Steps       int         `json:"steps" doc:"Queries per run."`
	Repetitions int         `json:"repetitions" doc:"Runs of each algorithm on each problem, each with its own start and luck."`
	Timeout     string      `json:"timeout,omitempty" doc:"Time limit of one run, e.g. 10m; none by default."`
	Problems    []Problem   `json:"problems" doc:"The problems."`
	Algorithms  []Algorithm `json:"algorithms" doc:"The algorithms and their settings."`
}

// Problem names a problem of the catalogue and how its values are scaled.
type Problem struct {
	Name  string `json:"name" doc:"A problem that bench list shows."`
	Scale string `json:"scale,omitempty" doc:"raw: as it is; std: divided by its standard deviation over the 20-per-dimension grid (the paper); standardise: also shifted by the mean there (the authors' code)."`
}

// Algorithm names an algorithm and its settings.
type Algorithm struct {
	Name      string         `json:"name" doc:"An algorithm that bench list shows."`
	Label     string         `json:"label,omitempty" doc:"How figures and tables call it; the name by default. Labels are unique in a suite."`
	Settings  any            `json:"settings,omitempty" doc:"Settings of the algorithm; bench list shows them with their defaults."` // typed by the catalogue
	Pilot     int            `json:"pilot,omitempty" doc:"Comparisons of random points answered before the first query, for hyper-parameters only; not counted as steps."`
	Overrides map[string]any `json:"overrides,omitempty" doc:"Settings that differ on a problem: problem name to settings."` // typed by the catalogue, laid over Settings
}

// Catalogue is what a suite file may name. It is passed in, so that this
// package knows no algorithm and no problem.
type Catalogue interface {
	// Problems are the known problem names.
	Problems() []string
	// Algorithms are the known algorithm names.
	Algorithms() []string
	// Settings returns a pointer to a new value of the algorithm's typed
	// settings, filled with the defaults. Its Validate() error is called after
	// decoding.
	Settings(algorithm string) any
}
