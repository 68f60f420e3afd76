package bad

import (
	"testing"
	"time"
)

func TestBad(t *testing.T) { t.Error("the reason") }

func TestSlow(t *testing.T) {
	t.Run("all of it", func(*testing.T) { time.Sleep(300 * time.Millisecond) })
}
