package high

import (
	"testing"

	"toy/low"
)

func TestPercent(t *testing.T) {
	for x, want := range map[int]int{-3: 0, 50: 50, 300: 100} {
		if got := Percent(x); got != want {
			t.Errorf("%d: got %d, want %d", x, got, want)
		}
	}
}

func TestHalf(t *testing.T) {
	if low.Half(6) != 3 {
		t.Run("a subtest", func(t *testing.T) { t.Error("not 3") })
	}
}
