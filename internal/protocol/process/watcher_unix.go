//go:build unix

package process

import (
	"fmt"
	"os"
	"os/exec"
	"sync"
	"syscall"
)

// watch is a program for sh that reads lines +N and -N and kills the process groups that remain at the end of its input. The
// input ends when bench does, whatever ended it. The signals that it ignores go to all processes of a terminal or of a user.
const watch = `trap '' HUP INT QUIT TERM
groups=' '
while read -r line; do
	n=${line#?}
	case $line in
	+*) groups="$groups$n " ;;
	-*) groups="${groups%%" $n "*} ${groups#*" $n "}" ;;
	esac
done
for n in $groups; do kill -KILL "-$n"; done`

// watched are the groups that end with bench.
type watched struct {
	mu     sync.Mutex
	groups map[int]bool
	pipe   *os.File // standard input of the watcher; nil before the first group
}

var groups = watched{groups: map[int]bool{}}

// add starts a watcher if there is none, or if somebody has killed it.
func (w *watched) add(group int) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.groups[group] = true
	if w.pipe != nil {
		if _, err := fmt.Fprintf(w.pipe, "+%d\n", group); err == nil {
			return nil
		}
		w.pipe.Close()
		w.pipe = nil
	}
	err := w.start()
	if err != nil {
		delete(w.groups, group)
	}
	return err
}

func (w *watched) remove(group int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.groups, group)
	fmt.Fprintf(w.pipe, "-%d\n", group) // add notices if this fails
}

// start starts a watcher in a session of its own, with none of bench's files open, and tells it all groups.
func (w *watched) start() error {
	sh, err := exec.LookPath("sh")
	if err != nil {
		return err
	}
	r, pipe, err := os.Pipe()
	if err != nil {
		return err
	}
	defer r.Close()
	cmd := &exec.Cmd{
		Path: sh, Args: []string{"sh", "-c", watch, "bench: ends programs if bench is killed"},
		Dir: "/", Env: []string{}, Stdin: r, SysProcAttr: &syscall.SysProcAttr{Setsid: true},
	}
	if err := cmd.Start(); err != nil {
		pipe.Close()
		return err
	}
	cmd.Process.Release()
	for group := range w.groups {
		fmt.Fprintf(pipe, "+%d\n", group)
	}
	w.pipe = pipe
	return nil
}
