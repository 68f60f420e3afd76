package program

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"popbench/internal/check"
	"popbench/record"
)

// command runs a command in a folder and returns its output.
func command(t *testing.T, dir string, env []string, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), env...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		if strings.Contains(stderr.String(), "microarchitecture support") {
			t.Skip(stderr.String())
		}
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, &stderr)
	}
	return strings.TrimSpace(string(out))
}

// says builds testdata/print with flags in the module at dir and returns its output.
func says(t *testing.T, dir string, env []string, flags ...string) (b record.Build) {
	t.Helper()
	out := command(t, dir, env, "go", append(append([]string{"run"}, flags...), "./internal/run/program/testdata/print")...)
	check.Must(fmt.Sscanf(out, "%s %s %q %t", &b.Fingerprint, &b.Platform, &b.Commit, &b.Dirty))(t)
	return b
}

// The same source has the same fingerprint, however and wherever it was built.
func TestFingerprintOfBuilds(t *testing.T) {
	check.OnlyLong(t) // compiles the program five times
	here := This()    // by go test
	bench := filepath.Join(t.TempDir(), "bench.exe")
	command(t, root, nil, "go", "build", "-trimpath", "-buildvcs=false", "-o", bench, "./cmd/bench")
	want := fmt.Sprintf("popbench %s (source %s), %s, %s", here.Version, here.Fingerprint, here.Go, here.Platform)
	check.Equal(t, "bench with modules", command(t, t.TempDir(), nil, bench, "--version"), want)
	dir := t.TempDir()
	copyModule(t, dir)
	check.Equal(t, "build in another folder", says(t, dir, nil), record.Build{Fingerprint: here.Fingerprint, Platform: here.Platform})
	const known = "0123456789abcdef"
	check.Equal(t, "a build that knows it", says(t, root, nil, "-ldflags=-X "+module+"/internal/run/program.known="+known).Fingerprint, known)
	check.Equal(t, "a build without assembly has the same fingerprint", says(t, root, nil, "-tags=noasm").Fingerprint == here.Fingerprint, false)
	if runtime.GOARCH == "amd64" { // last, as some machines cannot run it
		got := says(t, root, []string{"GOAMD64=v3"})
		check.Equal(t, "fingerprint and platform of another level", [2]string{got.Fingerprint, got.Platform}, [2]string{here.Fingerprint, runtime.GOOS + "/amd64/v3"})
	}
}

// copyModule copies the compiled files of the module, without the repository.
func copyModule(t *testing.T, dir string) {
	t.Helper()
	from := os.DirFS(root)
	check.OK(t, fs.WalkDir(from, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir():
			return os.MkdirAll(filepath.Join(dir, name), 0o777)
		case !d.Type().IsRegular() || !slices.Contains([]string{".go", ".s"}, filepath.Ext(name)) &&
			!slices.Contains([]string{"go.mod", "go.sum", "CITATION.cff", "method.json"}, filepath.Base(name)):
			return nil
		}
		data, err := fs.ReadFile(from, name)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(dir, name), data, 0o666)
	}))
}

// A build that does not stamp the commit, as of go run and go test, finds that of its source tree.
func TestCommitOfTheTree(t *testing.T) {
	check.Needs(t, "git")
	if err := exec.Command("git", "-C", root, "rev-parse", "HEAD:./source.go").Run(); err != nil {
		t.Skip("this is not a checkout of a commit")
	}
	head := command(t, root, nil, "git", "rev-parse", "HEAD")
	wantDirty := command(t, root, nil, "git", "status", "--porcelain", "--", ".") != ""
	t.Setenv("GIT_DIR", t.TempDir()) // the variables of a git hook name another repository
	// On a busy machine git takes its time.
	slow := "#!/bin/sh\nsleep 0.6\nexec '" + check.Must(exec.LookPath("git"))(t) + "' \"$@\"\n"
	dir := t.TempDir()
	check.OK(t, os.WriteFile(filepath.Join(dir, "git"), []byte(slow), 0o777))
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	commit, dirty := checkout()
	if _, file, _, _ := runtime.Caller(0); !filepath.IsAbs(file) {
		head, wantDirty = "", false // -trimpath
	}
	check.Equal(t, "commit", commit, head)
	check.Equal(t, "dirty", dirty, wantDirty)
}
