package popbench

import _ "embed"

// Citation is CITATION.cff, which says how to cite this project.
//
//go:embed CITATION.cff
var Citation string
