//go:build !linux

package process

import "os/exec"

// wait waits until the program has ended. On Unix its number could belong to another program by the time the group is
// killed, but only if as many programs as there are numbers started in between.
func (p *Process) wait(cmd *exec.Cmd) {
	cmd.Wait() // its error repeats the state
	p.notice()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.end()
	p.state = cmd.ProcessState
}
