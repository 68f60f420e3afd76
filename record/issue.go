package record

import (
	"fmt"

	"popbench/internal/words"
)

// Issue is one defect of a results folder.
type Issue struct {
	Path string // the file, or the folder
	Line int    // from 1; 0 for the whole file
	What string
	Mend string // what the user can do about it
	// Mixture is the property in which usable records differ that are for one table: suite, problem, configuration or
	// program. It is "" for a file without a usable record.
	Mixture string
}

// Error says where the defect is, what it is and how to mend it, on one line whatever the file's name.
func (i *Issue) Error() string {
	where := i.Path
	if i.Line > 0 {
		where = fmt.Sprintf("%s:%d", i.Path, i.Line)
	}
	return words.Quote(fmt.Sprintf("%s: %s; %s", where, i.What, i.Mend))
}
