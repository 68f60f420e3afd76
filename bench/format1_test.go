package bench

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// recordsOf1 are runs of all methods on one drawn function, in format 1.
const recordsOf1 = "../internal/runlog/testdata/format1"

// format2 converts a record from format 1 to format 2. It does not use package runlog, so it is
// an independent check.
func format2(t *testing.T, data []byte) []byte {
	t.Helper()
	lines := bytes.Split(bytes.TrimSuffix(data, []byte("\n")), []byte("\n"))
	rename := strings.NewReplacer(
		`"truth":`, `"utility":`, `"truth_loglik":`, `"true_log_likelihood":`, `"reports":`, `"recommendations":`,
		`"loglik":`, `"log_likelihood":`, `"advantage":`, `"optimistic_advantage":`, `"max_gap":`, `"duality_gap":`,
		`"value":`, `"value_observation":`, `"mean":`, `"posterior_mean":`, `"deviation":`, `"posterior_sd":`,
		`"evidence":`, `"log_evidence":`, `"score":`, `"soft_copeland_score":`, `"doubt":`, `"duel_variance":`, `"fits":`, `"posteriors":`,
		`"unfinished":`, `"unfinished_climbs":`, `"refused":`, `"refused_moves":`)
	for i := 1; i < len(lines)-1; i++ {
		lines[i] = []byte(rename.Replace(string(lines[i])))
	}

	const work = " solves newton retries failures evaluations climbs moves bounces fit_evaluations fit_failures posteriors "
	more := `,"feedback":"comparisons"`
	if bytes.Contains(lines[0], []byte(`"name":"gpucb"`)) {
		more = `,"feedback":"values"`
	}
	grant := regexp.MustCompile(`"grant":("[a-z-]+"),`)
	disclosed := `"none"`
	if m := grant.FindSubmatch(lines[0]); m != nil {
		disclosed = string(m[1])
	}
	more += `,"disclosed":` + disclosed
	if m := regexp.MustCompile(`"metrics":{([^}]*)}`).FindSubmatch(lines[1]); m != nil {
		var types []string
		for _, name := range regexp.MustCompile(`"(\w+)":`).FindAllSubmatch(m[1], -1) {
			kind := "state"
			switch {
			case strings.Contains(work, " "+string(name[1])+" "):
				kind = "work"
			case string(name[1]) == "duality_gap":
				kind = "certificate"
			}
			types = append(types, fmt.Sprintf(`{"name":%q,"kind":%q}`, name[1], kind))
		}
		more += `,"metrics":[` + strings.Join(types, ",") + `]`
	}
	header := grant.ReplaceAllString(string(lines[0]), "")
	header = strings.NewReplacer(`"format":1`, `"format":2`, `"steps":`, `"budget":`, `"pilot":`, `"pilot_comparisons":`, `},"repetition"`, more+`},"repetition"`).Replace(header)
	lines[0] = []byte(header)

	last := len(lines) - 1
	body := append(bytes.Join(lines[:last], []byte("\n")), '\n')
	sum := fmt.Sprintf(`"sha256":"%x"`, sha256.Sum256(body))
	lines[last] = regexp.MustCompile(`"sha256":"[0-9a-f]+"`).ReplaceAll(lines[last], []byte(sum))
	return append(bytes.Join(lines, []byte("\n")), '\n')
}

// copies returns two folders with the records: unchanged, and in format 2.
func copies(t *testing.T) (old, twin string) {
	t.Helper()
	old, twin = filepath.Join(t.TempDir(), "old"), filepath.Join(t.TempDir(), "twin")
	n := 0
	err := filepath.WalkDir(recordsOf1, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		n++
		name := strings.TrimPrefix(path, recordsOf1)
		data := mustRead(t, path)
		for dir, data := range map[string][]byte{old: data, twin: format2(t, data)} {
			if err := os.MkdirAll(filepath.Dir(dir+name), 0o777); err != nil {
				return err
			}
			if err := os.WriteFile(dir+name, data, 0o666); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil || n != 12 {
		t.Fatalf("%d records, %v", n, err)
	}
	return old, twin
}

// Every command prints the same numbers for records of both formats.
func TestFormat1(t *testing.T) {
	sequential(t)
	t.Parallel()
	old, twin := copies(t)
	if got := succeed(t, "compare", "--exact", old, twin); !strings.HasPrefix(got, "12 records identical, 0 not") {
		t.Error(got)
	}
	if got := succeed(t, "compare", old, twin); !strings.Contains(got, "HEAD against BASE: the same") {
		t.Error(got)
	}
	printed := map[string]string{}
	for command, args := range map[string][]string{"report": {"report", "-v"}, "verify": {"verify", "-v"}, "profile": {"profile"}} {
		for _, dir := range []string{old, twin} {
			stdout, _, err := bench(t, append(args, dir)...)
			if err != nil {
				t.Fatal(err)
			}
			printed[command+dir] = strings.ReplaceAll(stdout, old, twin)
		}
	}
	// There is a note more in some, which shifts the numbers of the others.
	const note = "The records are of format 1, which does not tell the kernel"
	marks := regexp.MustCompile(`(\[\d+\])+|─+|\s+`)
	for _, command := range []string{"report", "verify", "profile"} {
		t.Run(command, func(t *testing.T) {
			a, b := printed[command+old], printed[command+twin]
			if has := strings.Contains(strings.Join(strings.Fields(a), " "), note); has != (command != "verify") || strings.Contains(b, "format 1") {
				t.Errorf("bench %s: the note on the settings in force is missing, or is not of format 1:\n%s", command, a)
			}
			a, _, _ = strings.Cut(a, "[1] ")
			b, _, _ = strings.Cut(b, "[1] ")
			if a, b = marks.ReplaceAllString(a, ""), marks.ReplaceAllString(b, ""); a != b || len(a) < 500 {
				t.Errorf("bench %s prints of format 1\n%s\nand of format 2\n%s", command, a, b)
			}
		})
	}
	table := func(dir string) string { return string(mustRead(t, filepath.Join(dir, "report", "table.csv"))) }
	if a, b := table(old), table(twin); a != b || strings.Count(a, "\n") < 7 {
		t.Errorf("table.csv of format 1\n%s\nand of format 2\n%s", a, b)
	}
}

// Differences between records of different formats are found.
func TestFormat1Differs(t *testing.T) {
	old, twin := copies(t)
	path := filepath.Join(twin, "records", "gp1", "DTS", "000.jsonl")
	data := mustRead(t, filepath.Join(old, "records", "gp1", "DTS", "000.jsonl"))
	changed := bytes.Replace(data, []byte(`"fits":`), []byte(`"fits":1`), 1)
	if err := os.WriteFile(path, format2(t, changed), 0o666); err != nil {
		t.Fatal(err)
	}
	_, _, err := bench(t, "compare", "--exact", old, twin)
	if exitCode(err) != exitFailed || !strings.Contains(err.Error(), "gp1/DTS/000, step 1, metrics.posteriors: ") {
		t.Error(err)
	}
}

// No command writes to a folder of format 1.
func TestFormat1IsNotContinued(t *testing.T) {
	old, _ := copies(t)
	before := mustRead(t, filepath.Join(old, "records", "gp1", "Random", "000.jsonl"))
	_, _, err := bench(t, "run", "../configs/paper/gp-1d.yaml", "--seeds", "1", "--only", "*/Random", "--out", old)
	if err == nil || strings.Contains(err.Error(), "\n") {
		t.Fatalf("continued: %v", err)
	}
	for _, want := range []string{"record format 1", "can be reported but not continued", "give another --out"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q does not say %q", err, want)
		}
	}
	if now := mustRead(t, filepath.Join(old, "records", "gp1", "Random", "000.jsonl")); !slices.Equal(now, before) {
		t.Error("the record was changed")
	}

	shard := filepath.Join(t.TempDir(), "shard")
	if _, _, err := bench(t, "run", "../configs/paper/gp-1d.yaml", "--seeds", "1", "--only", "*/Random", "--out", shard); err != nil {
		t.Fatal(err)
	}
	_, _, err = bench(t, "merge", old, shard)
	if err == nil || !strings.Contains(err.Error(), "has records of format 1 and the shards of 2; merge into another folder") {
		t.Errorf("merged: %v", err)
	}
}
