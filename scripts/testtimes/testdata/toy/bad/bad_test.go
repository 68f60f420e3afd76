package bad

import (
	"testing"
	"time"
)

func TestBad(t *testing.T) { t.Error("the reason") }

func TestSlow(t *testing.T) {
	for begin := time.Now(); time.Since(begin) < 300*time.Millisecond; {
	}
}
