package low

import "testing"

func TestSum(t *testing.T) {
	if got := Sum([]float64{1, 2, 4}); got != 7 {
		t.Errorf("got %v, want 7", got)
	}
}

func TestMix(t *testing.T) { Mix(1, 2); Mix(5, 2) }

func TestCount(t *testing.T) {
	if Count(3) != 3 {
		t.Error("not 3")
	}
}

func TestSize(t *testing.T) {
	if Size(5) != 2 {
		t.Error("not 2")
	}
}
