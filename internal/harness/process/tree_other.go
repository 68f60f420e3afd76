//go:build !linux

package process

import "os/exec"

// awaitEnd waits until the program has ended, and reaps it. On Unix its number could belong to another program by the time
// the group is killed, but only if as many programs as there are numbers started in between.
func awaitEnd(cmd *exec.Cmd) { cmd.Wait() } // its error repeats the state
