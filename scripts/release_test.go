package scripts

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"popbench/internal/check"
)

// releaseStandIn replaces bench: it prints a version in the form of bench --version.
const releaseStandIn = `package main

import (
	"os"
	"m/internal/run/program"
)

var source = "0123456789abcdef"

func main() {
	os.Stdout.WriteString("popbench 0.1.0+1a2b (commit 1a2b; source " + source + "), go1, linux/amd64/v1\n" + program.Known())
}
`

func newRelease(t *testing.T) *commits {
	c := newCommits(t)
	c.Write("scripts/release", "umask 077\n"+check.Text(t, filepath.Join(root, "scripts/release")))
	for _, name := range []string{"LICENSE", "README.md", "CHANGELOG.md", "CITATION.cff", "configs/gate.yaml", "configs/examples/arms.yaml",
		"scripts/archive/main.go", "scripts/sbom/main.go", "clients/python/popbench.py", "clients/python/pyproject.toml", "clients/python/README.md"} {
		c.Write(name, check.Text(t, filepath.Join(root, name)))
		check.OK(t, os.Chmod(filepath.Join(c.Dir, name), 0o600))
	}
	c.Write("configs/configs.go", "package configs\n")
	c.Write("cmd/bench/main.go", releaseStandIn)
	c.Write("cmd/bench/tagged.go", "//go:build other\n\npackage main\n\nfunc init() { source = \"1\" }\n")
	c.Write("internal/run/program/program.go", "package program\n\nvar known = \"\"\n\nfunc Known() string { return known }\n")
	c.Commit("a release")
	c.Write("cmd/bench/ignored.go", "package main\n\nfunc init() { source = \"2\" }\n")
	c.Write(".git/info/exclude", "ignored.go\n")
	return c
}

// A release has an archive and a wheel for each platform, and a bill of materials. The same commit gives the same ones: from
// another folder, at another time, with other permissions and settings.
func TestRelease(t *testing.T) {
	c := newRelease(t)
	here := runtime.GOOS + "/" + runtime.GOARCH
	settings := filepath.Join(t.TempDir(), "env")
	check.OK(t, os.WriteFile(settings, []byte("GOFLAGS=-tags=other\n"), 0o666))
	t.Setenv("GOENV", settings)
	first := filepath.Join(t.TempDir(), "first")
	out := check.Ran(script(c.Dir, "release", "0.1.0", first, here, "windows/arm64"))(t)
	check.Contains(t, "how to verify", out, "from commit "+c.Git("rev-parse", "HEAD"), "sha256sum --check")

	base := "popbench_0.1.0_" + strings.ReplaceAll(here, "/", "_")
	var sums strings.Builder
	wheel, ok := map[string]string{"linux/amd64": "manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64",
		"linux/arm64":  "manylinux_2_17_aarch64.manylinux2014_aarch64.musllinux_1_1_aarch64",
		"darwin/amd64": "macosx_12_0_x86_64", "darwin/arm64": "macosx_12_0_arm64"}[here]
	if !ok {
		t.Skipf("there is no wheel for %s", here)
	}
	wheel = "popbench-0.1.0-py3-none-" + wheel + ".whl"
	const bill = "popbench_0.1.0.cdx.json"
	names := []string{wheel, "popbench-0.1.0-py3-none-win_arm64.whl", bill, base + ".tar.gz", "popbench_0.1.0_windows_arm64.zip"}
	for _, name := range names {
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256([]byte(check.Text(t, filepath.Join(first, name)))), name)
	}
	check.Equal(t, "SHA256SUMS", check.Text(t, filepath.Join(first, "SHA256SUMS")), sums.String())

	modified := check.Must(time.Parse(time.RFC3339, c.Git("log", "-1", "--format=%cI")))(t)
	check.Contains(t, "the bill of materials", check.Text(t, filepath.Join(first, bill)), `"bomFormat": "CycloneDX"`, `"version": "0.1.0"`,
		`"timestamp": "`+modified.UTC().Format(time.RFC3339)+`"`, `"purl": "pkg:golang/stdlib@`+strings.TrimPrefix(runtime.Version(), "go")+`"`)
	want := func(bench string) []string {
		return []string{"CHANGELOG.md", "CITATION.cff", "LICENSE", "README.md", bench, "configs/examples/arms.yaml", "configs/gate.yaml",
			"licences/README.txt", "licences/go/LICENSE"}
	}
	program := filepath.Join(t.TempDir(), "bench")
	t.Run("tar", func(t *testing.T) {
		unzipped := check.Must(gzip.NewReader(strings.NewReader(check.Text(t, filepath.Join(first, base+".tar.gz")))))(t)
		var names []string
		for r := tar.NewReader(unzipped); ; {
			h, err := r.Next()
			if err == io.EOF {
				break
			}
			check.OK(t, err)
			name := strings.TrimPrefix(h.Name, base+"/")
			names = append(names, name)
			mode := int64(0o644)
			if name == "bench" {
				mode = 0o755
				check.OK(t, os.WriteFile(program, check.Must(io.ReadAll(r))(t), 0o777))
			}
			check.Equal(t, name+": mode and owner", fmt.Sprintf("%o %d %q", h.Mode, h.Uid, h.Uname), fmt.Sprintf(`%o 0 ""`, mode))
			check.That(t, h.ModTime.Equal(modified), "%s: time %v, want %v", name, h.ModTime, modified)
		}
		check.Same(t, "names", names, want("bench"))
		check.Contains(t, "the unpacked program", string(check.Must(exec.Command(program).Output())(t)), "popbench 0.1.0", "\n0123456789abcdef")
	})
	t.Run("zip", func(t *testing.T) {
		base := "popbench_0.1.0_windows_arm64"
		var names []string
		for name := range unzip(t, filepath.Join(first, base+".zip"), modified) {
			names = append(names, strings.TrimPrefix(name, base+"/"))
		}
		check.Same(t, "names", slices.Sorted(slices.Values(names)), want("bench.exe"))
	})
	t.Run("wheel for Windows", func(t *testing.T) {
		files := unzip(t, filepath.Join(first, "popbench-0.1.0-py3-none-win_arm64.whl"), modified)
		names := slices.Sorted(maps.Keys(files))
		info := "popbench-0.1.0.dist-info/"
		check.Same(t, "names", names, []string{"popbench-0.1.0.data/scripts/bench.exe", info + "METADATA", info + "RECORD", info + "WHEEL", info + "licenses/LICENSE",
			info + "licenses/README.txt", info + "licenses/go/LICENSE", "popbench-stubs/__init__.pyi", "popbench.py"})
		var record strings.Builder
		for _, name := range names {
			if name != info+"RECORD" {
				sum := sha256.Sum256([]byte(files[name]))
				fmt.Fprintf(&record, "%s,sha256=%s,%d\n", name, base64.RawURLEncoding.EncodeToString(sum[:]), len(files[name]))
			}
		}
		check.Equal(t, "RECORD", files[info+"RECORD"], record.String()+info+"RECORD,,\n")
		check.Equal(t, "WHEEL", files[info+"WHEEL"], "Wheel-Version: 1.0\nGenerator: popbench\nRoot-Is-Purelib: false\nTag: py3-none-win_arm64\n")
		metadata := regexp.MustCompile(`\AMetadata-Version: 2\.1\nName: popbench\nVersion: 0\.1\.0\nSummary: .+\nRequires-Python: >=3\.8\n`)
		check.That(t, metadata.MatchString(files[info+"METADATA"]), "METADATA is\n%s", files[info+"METADATA"])
	})
	t.Run("again", func(t *testing.T) {
		check.OnlyLong(t)
		second := filepath.Join(t.TempDir(), "second")
		clone := filepath.Join(t.TempDir(), "clone")
		c.Git("tag", "v0.0.9")
		c.Git("clone", "--quiet", c.Dir, clone)
		past := time.Unix(1, 0)
		check.OK(t, os.Chtimes(filepath.Join(clone, "LICENSE"), past, past))
		t.Setenv("GOAMD64", "v3")
		t.Setenv("GOFLAGS", "-buildvcs=false -ldflags=-s")
		check.Ran(script(clone, "release", "0.1.0", second, here, "windows/arm64"))(t)
		for _, name := range names {
			check.That(t, check.Text(t, filepath.Join(first, name)) == check.Text(t, filepath.Join(second, name)), "%s differs", name)
		}
	})
	t.Run("installed wheel", func(t *testing.T) {
		check.OnlyLong(t)
		venv := filepath.Join(t.TempDir(), "venv")
		if out, err := exec.Command("python3", "-m", "venv", venv).CombinedOutput(); err != nil {
			t.Skipf("there is no python3, or it makes no environments: %v\n%s", err, out)
		}
		in := func(name string, args ...string) string {
			t.Helper()
			cmd := exec.Command(filepath.Join(venv, "bin", name), args...)
			cmd.Dir, cmd.Env = venv, append(os.Environ(), "PYTHONPATH=", "POPBENCH=")
			return check.Ran(cmd.CombinedOutput())(t)
		}
		in("python", "-m", "pip", "install", "--quiet", "--no-index", filepath.Join(first, wheel))
		check.Contains(t, "the installed program", in("bench", "--version"), "popbench 0.1.0")
		out := in("python", "-c", "import popbench; print(popbench.__version__, popbench.find_bench())")
		check.Equal(t, "what popbench finds", out, "0.1.0 "+filepath.Join(venv, "bin", "bench")+"\n")
		in("python", "-m", "pip", "uninstall", "--quiet", "--yes", "popbench")
		check.Error(t, "bench after pip uninstall", check.Err(os.Stat(filepath.Join(venv, "bin", "bench"))), "no such file")
	})
}

// unzip returns the files of an archive by name. All should be of one time.
func unzip(t *testing.T, path string, modified time.Time) map[string]string {
	t.Helper()
	r := check.Must(zip.OpenReader(path))(t)
	defer r.Close()
	files := map[string]string{}
	for _, f := range r.File {
		check.That(t, f.Modified.Equal(modified), "%s: %+v", f.Name, f.FileHeader)
		files[f.Name] = string(check.Must(fs.ReadFile(r, f.Name))(t))
	}
	return files
}

func TestReleaseRefuses(t *testing.T) {
	c := newRelease(t)
	full := t.TempDir()
	check.OK(t, os.WriteFile(filepath.Join(full, "something"), nil, 0o666))
	for _, x := range []struct {
		name, want string
		args       []string
		change     func()
	}{
		{"another version", "this is version 0.1.0, not 0.2.0", []string{"0.2.0"}, nil},
		{"an unknown option", "unknown option --all", []string{"--all"}, nil},
		{"a full folder", "is not empty", []string{"0.1.0", full}, nil},
		{"another client", "popbench.py is not of version 0.1.0", []string{"0.1.0"}, func() { c.Write("clients/python/popbench.py", ""); c.Commit("empty") }},
		{"changed files", "the working tree differs", []string{"0.1.0"}, func() { c.Write("new", "") }},
	} {
		if x.change != nil {
			x.change()
		}
		out, err := script(c.Dir, "release", x.args...)
		check.That(t, err != nil && strings.Contains(out, "scripts/release: ") && strings.Contains(out, x.want), "%s: %v\n%s", x.name, err, out)
		check.Error(t, x.name+": dist", check.Err(os.Stat(filepath.Join(c.Dir, "dist"))), "no such file")
	}
}
