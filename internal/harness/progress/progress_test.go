package progress

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestProgressLines(t *testing.T) {
	var log bytes.Buffer
	clock := time.Unix(0, 0)
	l := &lines{w: &log, total: 10_000, now: func() time.Time { return clock }, began: clock, last: clock}
	for range l.total {
		clock = clock.Add(time.Second)
		l.Add()
	}
	text := log.String()
	if n := strings.Count(text, "\n"); n < 50 || n > 200 {
		t.Errorf("%d lines for 10,000 cells in three hours", n)
	}
	if want := "5 of 10000 cells (0%), 5s elapsed, about 2h46m35s left\n"; !strings.HasPrefix(text, want) {
		t.Errorf("first line of\n%s", text)
	}
}

func TestProgressElsewhereThanOnATerminal(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for _, w := range []io.Writer{file, new(bytes.Buffer)} {
		if _, ok := New(w, 5).(*lines); !ok {
			t.Errorf("a bar on %T", w)
		}
	}
	if _, ok := New(file, 0).(silent); !ok {
		t.Error("progress of nothing")
	}
}

func TestBar(t *testing.T) {
	var screen bytes.Buffer
	b := newBar(&screen, 2)
	b.Add()
	b.Note("failed: why")
	b.Add()
	b.End()
	if !strings.Contains(screen.String(), "failed: why\n") || !strings.Contains(screen.String(), "2/2") {
		t.Errorf("screen %q", screen.String())
	}
}
