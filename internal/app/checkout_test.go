package app

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"popbench/internal/check"
	"popbench/internal/protocol/process"
)

// aRepository returns one with a file, a commit and a folder for worktrees.
func aRepository(t *testing.T) (r *repository, scratch string) {
	t.Helper()
	check.Needs(t, "git")
	dir := t.TempDir()
	run(t, dir, "init", "--quiet", "--initial-branch=main")
	write(t, dir, "file", "one")
	write(t, dir, ".gitignore", "ignored")
	run(t, dir, "add", "--all")
	run(t, dir, "-c", "user.name=x", "-c", "user.email=x@x", "-c", "commit.gpgsign=false", "commit", "--quiet", "--message", "first")
	return check.Must(repositoryOf(t.Context(), dir))(t), t.TempDir()
}

func run(t *testing.T, dir string, args ...string) string {
	t.Helper()
	return check.Must(git(t.Context(), dir, nil, args...))(t)
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	check.OK(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
}

func TestSnapshot(t *testing.T) {
	r, scratch := aRepository(t)
	head := check.Must(r.commit(t.Context(), "main"))(t)
	check.Equal(t, "a clean working tree", check.Must(r.snapshot(t.Context(), scratch, filepath.Join(r.top, "out")))(t), head)
	write(t, r.top, "untracked", "")
	check.Equal(t, "changed by a file that is not tracked", check.Must(r.changed(t.Context()))(t), false)
	check.OK(t, os.Remove(filepath.Join(r.top, "untracked")))
	check.Error(t, "another commit", check.Err(r.commit(t.Context(), "none")), `there is no commit "none" in `)

	write(t, r.top, "file", "two")
	run(t, r.top, "add", "file")
	write(t, r.top, "file", "three")
	write(t, r.top, "new", "")
	write(t, r.top, "ignored", "")
	check.OK(t, os.Mkdir(filepath.Join(r.top, "out"), 0o777))
	write(t, r.top, "out/result", "")
	before := run(t, r.top, "status", "--porcelain")
	got := check.Must(r.snapshot(t.Context(), scratch, filepath.Join(r.top, "out")))(t)
	check.Equal(t, "changed", check.Must(r.changed(t.Context()))(t), true)
	check.Equal(t, "status", run(t, r.top, "status", "--porcelain"), before)
	check.Equal(t, "files", run(t, r.top, "ls-tree", "-r", "--name-only", got.hash), ".gitignore\nfile\nnew")
	check.Equal(t, "changed file", run(t, r.top, "show", got.hash+":file"), "three")
	check.Equal(t, "tree", run(t, r.top, "rev-parse", got.hash+"^{tree}"), got.tree)
	check.Equal(t, "name", got.name, head.name+", with uncommitted changes")
}

// A worktree is removed from the folder and from git's list, also if git was interrupted or somebody else removed it.
func TestCheckOutIsRemoved(t *testing.T) {
	r, scratch := aRepository(t)
	c := check.Must(r.commit(t.Context(), "HEAD"))(t)
	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	dir := filepath.Join(scratch, "head")
	for name, change := range map[string]func(){
		"as it is":                     func() {},
		"locked by an interrupted git": func() { run(t, r.top, "worktree", "lock", "--reason", "initializing", dir) },
		"removed by somebody":          func() { os.RemoveAll(dir) },
		"removed with git":             func() { run(t, r.top, "worktree", "remove", dir) },
		"never made":                   nil,
	} {
		ctx := t.Context()
		if change == nil {
			ctx = stopped
		}
		remove, err := r.checkOut(ctx, c, dir)
		check.Equal(t, name+": error", err, ctx.Err())
		if change != nil {
			check.Equal(t, "detached", run(t, dir, "rev-parse", "--abbrev-ref", "HEAD"), "HEAD")
			change()
		}
		check.Equal(t, name+": error of removing", remove(), nil)
		check.Lacks(t, name+": the list of worktrees", run(t, r.top, "worktree", "list"), "\n")
		check.That(t, errors.Is(check.Err(os.Stat(dir)), fs.ErrNotExist), "%s: the folder stays", name)
	}
	remove, err := r.checkOut(t.Context(), c, filepath.Join(scratch, "no\x00name")) // on no system
	check.That(t, err != nil, "a folder without a name is made")
	check.Error(t, "removing it", remove(), "cannot be removed (", "); remove it by hand")
}

func TestBuild(t *testing.T) {
	dir := t.TempDir()
	check.Equal(t, "error", build(t.Context(), dir, "echo text>made"), nil)
	check.Must(os.Stat(filepath.Join(dir, "made")))(t)
	failed, ok := build(t.Context(), dir, "echo why>&2 && exit 4").(*process.Failure)
	check.Equal(t, "it ends", ok, true)
	check.Equal(t, "ending and message", failed.Ending+": "+strings.TrimSpace(string(failed.Stderr)), "exit code 4: why")
}
