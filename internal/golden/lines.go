package golden

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Lines checks testdata/name, in which each line is followed by what `of` makes of it, indented: nothing, a line or several.
func Lines(t testing.TB, name string, of func(line string) string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "\t") {
			continue
		}
		b.WriteString(line)
		if made := of(strings.TrimSuffix(line, "\n")); made != "" {
			b.WriteString("\t" + strings.ReplaceAll(made, "\n", "\n\t") + "\n")
		}
	}
	Check(t, name, b.String())
}
