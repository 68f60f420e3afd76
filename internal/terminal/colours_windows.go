package terminal

import (
	"os"

	"golang.org/x/sys/windows"
)

// understandsColours reports whether the console follows escape sequences. Other consoles print them as they are. It changes
// no mode of the console, which outlives the program.
func understandsColours(f *os.File) bool {
	var mode uint32
	return windows.GetConsoleMode(windows.Handle(f.Fd()), &mode) == nil && mode&windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING != 0
}
