package bench

import (
	"path/filepath"
	"testing"
)

func TestTuneRefuses(t *testing.T) {
	refuse(t, "field: --tune has no --quick; leave it out", "field", "--tune", "x.yaml", "--quick")
	missing := filepath.Join(t.TempDir(), "x.yaml")
	refuse(t, missing+": there is no such file, and no built-in suite of this name; check the path; bench list suites shows the built-in ones", "field", "--tune", missing)
}
