package record

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"popbench/internal/archive"
	"popbench/internal/check"
	"popbench/internal/words"
)

// A compact record has what a table needs: of each metric of work the sum over the steps, of each certificate the maximum,
// of states nothing. The record that it is made of stays as it is.
func TestCompact(t *testing.T) {
	r := example(t)
	r.Steps[0].Metrics[2].Value = 7e-9
	before := string(encoded(t, r))
	c := Compact(r)
	check.Equal(t, "the record it is made of", string(encoded(t, r)), before)
	check.Same(t, "metrics of the header", c.Header.Algorithm.Metrics, []MetricType{{"z", Work}, {"gap", Certificate}})
	check.Equal(t, "metrics of the first step", len(c.Steps[0].Metrics), 0)
	check.Same(t, "metrics of the last step", c.Steps[1].Metrics, Metrics{{"z", 6}, {"gap", 7e-9}})
	for i, s := range c.Steps {
		check.Same(t, "utilities", s.Utility, r.Steps[i].Utility)
		check.Same(t, "recommendations", s.Recommendations, []Recommendation{{Rule: "max-mle", Utility: 0.5}})
		check.That(t, s.Points == nil && !s.Self, "step %d: points %v, of itself: %v", s.T, s.Points, s.Self)
	}
	back := check.Must(Decode("x", encoded(t, c)))(t)
	check.Same(t, "read again", back.Steps, c.Steps)
	check.That(t, Compact(c) == c && Compact(imported(t)).Header.Compact == false, "what is compact, or imported, is made compact")
}

// archived is an archive of a folder with two cells, beside it, and its folder.
func archived(t testing.TB) (file, dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "compact")
	full := t.TempDir()
	folder := check.Must(Create(full))(t)
	for i := range 2 {
		r := example(t)
		r.Header.Repetition = i
		r.Header.Seal()
		check.OK(t, folder.Put(r, nil))
	}
	check.OK(t, folder.PutList(List{}, []byte("name: x\n")))
	check.OK(t, folder.Close())
	check.Must(WriteCompact(dir, check.Must(Open(full))(t)))(t)
	file = filepath.Join(filepath.Dir(dir), "a.zip")
	writeArchive(t, file, dir)
	return file, dir
}

func writeArchive(t testing.TB, file, dir string) {
	t.Helper()
	check.OK(t, WriteArchive(file, dir, map[string][]byte{"note.txt": []byte("a note")}, func(sizes map[string]int) (string, []byte) {
		return "about.txt", fmt.Append(nil, len(sizes), sizes["note.txt"])
	}))
}

// Records that are not all written, here because one is damaged, are not there at all. The next call begins anew, also after
// one that was killed.
func TestCompactIsWholeOrNot(t *testing.T) {
	full, dir := t.TempDir(), filepath.Join(t.TempDir(), "compact")
	folder := check.Must(Create(full))(t)
	last := ""
	for _, label := range []string{"a", "b", "c"} {
		r := example(t)
		r.Header.Algorithm.Label, r.Header.Repetition = label, 0
		r.Header.Seal()
		check.OK(t, folder.Put(r, nil))
		last = RecordPath(full, r.Header.Cell)
	}
	check.OK(t, folder.PutList(List{}, []byte("name: x\n")))
	check.OK(t, folder.Close())
	write := func() error { return check.Err(WriteCompact(dir, check.Must(Open(full))(t))) }
	there := func() string {
		return fmt.Sprint(words.Each(check.Must(os.ReadDir(dir))(t), fs.DirEntry.Name))
	}
	good := check.Must(os.ReadFile(last))(t)
	check.OK(t, os.WriteFile(last, nil, 0o666))
	check.Error(t, "a damaged record", write(), "the file is empty")
	check.Equal(t, "files of none", there(), "[]")
	check.OK(t, os.WriteFile(last, good, 0o666))
	check.OK(t, os.MkdirAll(filepath.Join(dir, "compact.tmp", recordsDir, "killed"), 0o777))
	check.OK(t, write())
	check.Equal(t, "files", there(), "[cells.json records suite.yaml]")
	found := check.Must(check.Must(Open(dir))(t).Each(func(*Record, *Timing) error { return nil }))(t)
	check.Equal(t, "records", found.Records, 3)
	check.Error(t, "a second one", write(), "compact has records or timing already; delete them")
}

// An archive has the records of its folder, what was added, and what describes these. Its bytes depend on them only.
func TestArchive(t *testing.T) {
	file, dir := archived(t)
	want, got := check.Must(readDir(dir))(t), check.Must(readAll(check.Must(Open(file))(t)))(t)
	check.Same(t, "records", got.Records, want.Records)
	check.Equal(t, "number of records", len(got.Records), 2)
	check.Equal(t, "files", check.Must(archive.Check(file))(t), 5)
	check.Equal(t, "description", string(check.Must(ReadIn(file, "about.txt"))(t)), "4 6")
	check.Equal(t, "suite", string(check.Must(ReadIn(file, "suite.yaml"))(t)), "name: x\n")
	_, err := ReadIn(file, "other.txt")
	check.That(t, os.IsNotExist(err), "a file that it does not have: %v", err)
	check.That(t, check.Must(IsCompact(file))(t), "it is not compact")
	check.Equal(t, "folders in it", len(check.Must(Folders(file))(t)), 0)
	check.That(t, check.Must(ReadGrid(file, &want.Records[0].Header))(t) == nil, "it has a grid")
	again := filepath.Join(t.TempDir(), "b.zip")
	writeArchive(t, again, dir)
	check.Same(t, "bytes of a second one", check.Must(os.ReadFile(again))(t), check.Must(os.ReadFile(file))(t))
}

// A compact file has a largest size, and so have all those of an archive together, whatever they are compressed to.
func TestLargeArchives(t *testing.T) {
	file, dir := archived(t)
	r := check.Must(Open(dir))(t)
	r.unzipped = new(atomic.Int64)
	path := compactPath(dir, recordsDir, Group(check.Must(readDir(dir))(t).Records[0].Header.Cell))
	size := int64(len(check.Must(r.unzip(path))(t)))
	data := check.Must(os.ReadFile(path))(t)
	for i := range 3 {
		check.OK(t, os.WriteFile(fmt.Sprint(strings.TrimSuffix(path, compactExt), i, compactExt), data, 0o666))
	}
	writeArchive(t, file, dir)
	defer func(one, all int64) { maxCompact, maxAll = one, all }(maxCompact, maxAll)
	refused := func(dir string, one, all int64) (n int) {
		maxCompact, maxAll = one, all
		r := check.Must(Open(dir))(t)
		for range 2 { // each pass may read as much
			found, _ := r.Each(func(*Record, *Timing) error { return nil })
			n = len(words.Only(found.Issues, func(i Issue) bool { return strings.Contains(i.What, "all files of the archive have more than") }))
		}
		return n
	}
	check.Equal(t, "as many as are read", refused(file, size, 4*size), 0)
	check.That(t, refused(file, size, 4*size-1) > 0, "a byte more is read")
	check.Equal(t, "in a folder", refused(dir, size, 4*size-1), 0)
	check.Equal(t, "larger ones", refused(dir, size-1, 4*size), 4)
}

// What is published says which command made it, not where on its author's machine.
func TestPublishedCommand(t *testing.T) {
	run := Run{Command: []string{"/home/a/bin/bench", "run", `C:\x\y.yaml`, "--out=/tmp/b/", "--only", "*/SGP*/000", "results/c", "--out", "/"},
		Suite: "/home/a/y.yaml", Host: "h", Workers: 2}
	data := check.Must(withoutPaths("", check.Must(encodeFile(run))(t)))(t)
	var got Run
	check.OK(t, json.Unmarshal(data, &got))
	check.Equal(t, "command", strings.Join(got.Command, " "), "bench run y.yaml --out=b --only */SGP*/000 results/c --out ")
	run.Command, run.Suite = got.Command, "y.yaml"
	check.Same(t, "the rest", got, run)
	_, err := withoutPaths("dir", []byte("{"))
	check.That(t, err != nil && strings.Contains(err.Error(), "run.json"), "no JSON: %v", err)
}
