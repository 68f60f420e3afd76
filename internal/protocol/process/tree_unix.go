//go:build unix

package process

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// tree is a process group.
type tree struct{ group int }

// prepare arranges what has to be in force before the program runs.
func (t *tree) prepare(cmd *exec.Cmd, memory int64) error {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	dieWithThread(cmd.SysProcAttr)
	if memory == 0 {
		return nil
	}
	return limitMemory(cmd, memory)
}

func (t *tree) start(cmd *exec.Cmd) error {
	if err := cmd.Start(); err != nil {
		return err
	}
	t.group = cmd.Process.Pid
	if err := groups.add(t.group); err != nil {
		t.kill()
		cmd.Wait()
		return fmt.Errorf("cannot start sh, which ends the program if bench is killed: %w", err)
	}
	return nil
}

// kill fails if no process of the group is left, which is as good.
func (t *tree) kill() { unix.Kill(-t.group, unix.SIGKILL) }

func (t *tree) terminate() { unix.Kill(-t.group, unix.SIGTERM) }

// populated reports whether the group, whose leader has ended, has a process that has not.
func (t *tree) populated() bool { return anyIn(t.group) }

func (t *tree) release() { groups.remove(t.group) }

// ending says how a program ended.
func ending(state *os.ProcessState, stopped bool) string {
	status := state.Sys().(syscall.WaitStatus)
	if !status.Signaled() {
		return fmt.Sprintf("exit code %d", status.ExitStatus())
	}
	sig := status.Signal()
	name := strings.TrimPrefix(unix.SignalName(sig), "SIG")
	switch {
	case stopped && (sig == unix.SIGKILL || sig == unix.SIGTERM):
		return fmt.Sprintf("stopped by bench (signal %s)", name)
	case sig == unix.SIGKILL:
		return "killed by signal KILL (not by bench; the system does so when memory runs out)"
	}
	return fmt.Sprintf("killed by signal %s (%s)", name, sig)
}
