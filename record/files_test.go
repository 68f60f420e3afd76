package record

import (
	"os"
	"path/filepath"
	"testing"

	"popbench/internal/archive"
	"popbench/internal/check"
)

// Some systems replace or remove no file that is open. Here only its number of names in /proc says whether it is.
func TestReadInClosesArchives(t *testing.T) {
	const open = "/proc/self/fd"
	if check.Err(os.Stat(open)) != nil {
		t.Skip("no " + open)
	}
	file := filepath.Join(t.TempDir(), "a.zip")
	check.OK(t, os.WriteFile(file, check.Must(archive.Bytes(map[string][]byte{"note.txt": []byte("a note")}))(t), 0o666))
	check.Equal(t, "the note", string(check.Must(ReadIn(file, "note.txt"))(t)), "a note")
	check.Must(IsCompact(file))(t)
	for _, entry := range check.Must(os.ReadDir(open))(t) {
		to, _ := os.Readlink(filepath.Join(open, entry.Name()))
		check.That(t, to != file, "the archive is still open")
	}
}

func TestPathOfIssue(t *testing.T) {
	for path, want := range map[string]string{
		filepath.Join("r", "records", "Another", "0.jsonl"): "records/Another/0.jsonl",
		filepath.Join("rs", "0.jsonl"):                      filepath.Join("rs", "0.jsonl"),
	} {
		check.Equal(t, path, (&Issue{Path: path}).At("./r/"), want)
	}
}
