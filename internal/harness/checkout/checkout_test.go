package checkout

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"popbench/internal/check"
	"popbench/internal/harness/process"
)

// repository returns one with a file, a commit and a folder for worktrees.
func repository(t *testing.T) (r *Repository, scratch string) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	run(t, dir, "init", "--quiet", "--initial-branch=main")
	write(t, dir, "file", "one")
	write(t, dir, ".gitignore", "ignored")
	run(t, dir, "add", "--all")
	run(t, dir, "-c", "user.name=x", "-c", "user.email=x@x", "-c", "commit.gpgsign=false", "commit", "--quiet", "--message", "first")
	r, err := Open(t.Context(), dir)
	check.Equal(t, "error", err, nil)
	return r, t.TempDir()
}

func run(t *testing.T, dir string, args ...string) string {
	t.Helper()
	out, err := git(t.Context(), dir, nil, args...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func TestSnapshot(t *testing.T) {
	r, scratch := repository(t)
	head, err := r.Commit(t.Context(), "main")
	check.Equal(t, "error", err, nil)
	same, err := r.Snapshot(t.Context(), scratch, filepath.Join(r.Top, "out"))
	check.Equal(t, "error", err, nil)
	check.Equal(t, "a clean working tree", same, head)

	write(t, r.Top, "file", "two")
	run(t, r.Top, "add", "file")
	write(t, r.Top, "file", "three")
	write(t, r.Top, "new", "")
	write(t, r.Top, "ignored", "")
	if err := os.Mkdir(filepath.Join(r.Top, "out"), 0o777); err != nil {
		t.Fatal(err)
	}
	write(t, r.Top, "out/result", "")
	before := run(t, r.Top, "status", "--porcelain")
	got, err := r.Snapshot(t.Context(), scratch, filepath.Join(r.Top, "out"))
	check.Equal(t, "error", err, nil)
	check.Equal(t, "status", run(t, r.Top, "status", "--porcelain"), before)
	check.Equal(t, "files", run(t, r.Top, "ls-tree", "-r", "--name-only", got.Hash), ".gitignore\nfile\nnew")
	check.Equal(t, "changed file", run(t, r.Top, "show", got.Hash+":file"), "three")
	check.Equal(t, "tree", run(t, r.Top, "rev-parse", got.Hash+"^{tree}"), got.Tree)
	check.Equal(t, "name", got.Name, head.Name+", with uncommitted changes")
}

// A worktree is removed from the folder and from git's list, also if git was interrupted or somebody else removed it.
func TestCheckOutIsRemoved(t *testing.T) {
	r, scratch := repository(t)
	c, err := r.Commit(t.Context(), "HEAD")
	check.Equal(t, "error", err, nil)
	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	for name, change := range map[string]func(dir string){
		"as it is":                     func(string) {},
		"locked by an interrupted git": func(dir string) { run(t, r.Top, "worktree", "lock", "--reason", "initializing", dir) },
		"removed by somebody":          func(dir string) { os.RemoveAll(dir) },
		"removed with git":             func(dir string) { run(t, r.Top, "worktree", "remove", dir) },
		"never made":                   nil,
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(scratch, "head")
			ctx := t.Context()
			if change == nil {
				ctx = stopped
			}
			remove, err := r.CheckOut(ctx, c, dir)
			check.Equal(t, "error", err, ctx.Err())
			if change != nil {
				check.Equal(t, "detached", run(t, dir, "rev-parse", "--abbrev-ref", "HEAD"), "HEAD")
				change(dir)
			}
			check.Equal(t, "error of removing", remove(), nil)
			if list := run(t, r.Top, "worktree", "list"); strings.Contains(list, "\n") {
				t.Errorf("a worktree stays: %s", list)
			}
			if _, err := os.Stat(dir); err == nil {
				t.Error("the folder stays")
			}
		})
	}
}

func TestBuild(t *testing.T) {
	dir := t.TempDir()
	check.Equal(t, "error", Build(t.Context(), dir, "echo text>made"), nil)
	if _, err := os.Stat(filepath.Join(dir, "made")); err != nil {
		t.Error(err)
	}
	failed, ok := Build(t.Context(), dir, "echo why>&2 && exit 4").(*process.Failure)
	if !ok || failed.Ending != "exit code 4" || strings.TrimSpace(string(failed.Stderr)) != "why" {
		t.Errorf("got %+v", failed)
	}
}
