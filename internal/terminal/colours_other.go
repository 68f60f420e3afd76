//go:build !windows

package terminal

import "os"

// understandsColours reports whether the terminal says what it is; all that do so follow the sequences of a Style.
func understandsColours(*os.File) bool { return os.Getenv("TERM") != "" }
