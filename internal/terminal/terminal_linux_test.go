package terminal

import (
	"fmt"
	"os"
	"testing"

	"golang.org/x/sys/unix"

	"popbench/internal/check"
)

// pseudo opens a pseudo-terminal of a width and returns the end that a program writes to.
func pseudo(t *testing.T, width uint16) *os.File {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { master.Close() })
	fd := int(master.Fd())
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		t.Skip(err)
	}
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		t.Skip(err)
	}
	slave, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { slave.Close() })
	if err := unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: width}); err != nil {
		t.Fatal(err)
	}
	return slave
}

func TestOnATerminal(t *testing.T) {
	f := pseudo(t, 97)
	for _, c := range []struct {
		name, noColor, term, columns string
		want                         Screen
	}{
		{"a terminal", "", "xterm", "", Screen{97, true, true}},
		{"NO_COLOR", "1", "xterm", "", Screen{97, true, false}},
		{"a dumb one", "", "dumb", "", Screen{97, false, false}},
		{"an unknown one", "", "", "", Screen{97, true, false}},
		{"COLUMNS", "", "xterm", "60", Screen{60, true, true}},
	} {
		t.Setenv("NO_COLOR", c.noColor)
		t.Setenv("TERM", c.term)
		t.Setenv("COLUMNS", c.columns)
		check.Equal(t, c.name, Of(f), c.want)
	}
	check.Equal(t, "one that does not know its width", Of(pseudo(t, 0)).Width, 60)
	t.Setenv("COLUMNS", "")
	check.Equal(t, "one that nobody knows the width of", Of(pseudo(t, 0)).Width, usualWidth)
}
