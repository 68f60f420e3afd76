package process

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// dieWithThread has the kernel kill the program when the thread that starts it ends.
func dieWithThread(attr *syscall.SysProcAttr) { attr.Pdeathsig = unix.SIGKILL }

// limitMemory has a shell set the limit and become the program. A limit set from outside would come after the program's
// first moments, in which it may have started others.
func limitMemory(cmd *exec.Cmd, bytes int64) error {
	sh, err := exec.LookPath("sh")
	if err != nil {
		return fmt.Errorf("a memory limit needs sh: %w", err)
	}
	cmd.Args = append([]string{"sh", "-c", `ulimit -v "$1" && shift && exec "$@"`, "sh", fmt.Sprint(bytes / 1024), cmd.Path}, cmd.Args[1:]...)
	cmd.Path = sh
	return nil
}

// awaitEnd waits until the program has ended, and does not reap it: until then nobody else can have its number, so its group
// can be killed.
func awaitEnd(cmd *exec.Cmd) {
	for unix.Waitid(unix.P_PID, cmd.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil) == unix.EINTR {
	}
}

// anyIn reports whether a group has a process that has not ended. Its leader has ended, and keeps the number of the group
// until it is reaped, so that the kernel's answer to a signal would say nothing.
func anyIn(leader int) bool {
	group := []byte(strconv.Itoa(leader))
	all, _ := filepath.Glob("/proc/[0-9]*") // with /stat it would list the files of every process
	for _, dir := range all {
		text, err := os.ReadFile(dir + "/stat")
		if err != nil {
			continue // it has ended meanwhile
		}
		fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:]) // state, parent, group, ...
		if len(fields) > 2 && bytes.Equal(fields[2], group) && fields[0][0] != 'Z' && fields[0][0] != 'X' {
			return true
		}
	}
	return false
}
