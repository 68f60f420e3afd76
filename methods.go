package popbench

import "embed"

// Methods has what each built-in method says of itself to people: its title, what it
// does in a sentence, its paper, and its style in figures. The file is in the folder of
// the method's package, whose name is the method's.
//
//go:embed algorithms/*/method.json algorithms/baselines/*/method.json
var Methods embed.FS
