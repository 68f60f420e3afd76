// Package checkout checks out commits of somebody's git repository into folders beside it, and builds them there. It
// never changes a file of the repository's own working tree, nor its index.
//
// What git adds to the repository is the entry of each worktree, which [Repository.CheckOut]'s second result removes,
// and for [Repository.Snapshot] objects that no branch refers to, which git removes in time.
package checkout

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"popbench/internal/harness/process"
)

// Repository is a git repository with a working tree.
type Repository struct {
	Top string // absolute path of the working tree
}

// Commit is a commit of the repository.
type Commit struct {
	Hash, Tree string // full hashes
	Name       string // for people: abbreviated hash and subject
}

// inherited are the variables by which git tells its hooks which repository it works on. In a hook they would name the
// hook's repository in place of the one in the current folder.
var inherited = []string{"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR"}

// git runs git in a folder and returns what it prints, without the last line break.
func git(ctx context.Context, dir string, env []string, args ...string) (string, error) {
	out, err := process.Output(ctx, process.Options{
		// Hooks are for people who check out. Without the optional lock, git status cannot block another git.
		Command: append([]string{"git", "-c", "core.hooksPath=" + os.DevNull}, args...), Dir: dir,
		Env: append([]string{"GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0"}, env...), Unset: inherited,
	})
	return strings.TrimRight(string(out), "\r\n"), err
}

// Open returns the repository that contains a folder.
func Open(ctx context.Context, dir string) (*Repository, error) {
	top, err := git(ctx, dir, nil, "rev-parse", "--show-toplevel")
	if err != nil {
		return nil, fmt.Errorf("%s is not in the working tree of a git repository (%w)", dir, err)
	}
	return &Repository{filepath.FromSlash(top)}, nil
}

// Commit finds the commit that a branch, a tag or any other revision names.
func (r *Repository) Commit(ctx context.Context, revision string) (Commit, error) {
	hash := ""
	err := errors.New("it begins with a dash")
	if !strings.HasPrefix(revision, "-") {
		hash, err = git(ctx, r.Top, nil, "rev-parse", "--verify", "--quiet", revision+"^{commit}")
	}
	switch {
	case ctx.Err() != nil:
		return Commit{}, ctx.Err()
	case err != nil:
		return Commit{}, fmt.Errorf("there is no commit %q in %s; fetch it first (a shallow clone lacks it)", revision, r.Top)
	}
	text, err := git(ctx, r.Top, nil, "log", "-1", "--no-show-signature", "--format=%T %h (%s)", hash)
	tree, name, _ := strings.Cut(text, " ")
	return Commit{hash, tree, name}, err
}

// Changed reports whether tracked files differ from HEAD.
func (r *Repository) Changed(ctx context.Context) (bool, error) {
	changes, err := git(ctx, r.Top, nil, "status", "--porcelain", "--untracked-files=no")
	return changes != "", err
}

// Snapshot makes a commit of the working tree as it is, with untracked files that are not ignored, and without the
// folder except. No branch refers to the commit. It keeps its own index in the folder scratch.
func (r *Repository) Snapshot(ctx context.Context, scratch, except string) (Commit, error) {
	head, err := r.Commit(ctx, "HEAD")
	if err != nil {
		return Commit{}, err
	}
	env := []string{
		"GIT_INDEX_FILE=" + filepath.Join(scratch, "index"),
		"GIT_AUTHOR_NAME=bench", "GIT_AUTHOR_EMAIL=bench@localhost", "GIT_COMMITTER_NAME=bench", "GIT_COMMITTER_EMAIL=bench@localhost",
	}
	add := []string{"add", "--all", "--", "."}
	if path, err := filepath.Rel(r.Top, except); err == nil && filepath.IsLocal(path) {
		add = append(add, ":(exclude,top,literal)"+filepath.ToSlash(path))
	}
	for _, args := range [][]string{{"read-tree", "HEAD"}, add} {
		if _, err := git(ctx, r.Top, env, args...); err != nil {
			return Commit{}, err
		}
	}
	tree, err := git(ctx, r.Top, env, "write-tree")
	if err != nil || tree == head.Tree {
		return head, err
	}
	hash, err := git(ctx, r.Top, env, "commit-tree", "-p", head.Hash, "-m", "The working tree, for bench gate", tree)
	return Commit{hash, tree, head.Name + ", with uncommitted changes"}, err
}

// CheckOut checks a commit out into dir, which must not exist: a worktree, with the commit detached. The function that it
// returns removes it again; call it also after an error.
func (r *Repository) CheckOut(ctx context.Context, c Commit, dir string) (remove func() error, err error) {
	remove = func() error {
		if err := os.RemoveAll(dir); err != nil {
			return fmt.Errorf("%s cannot be removed (%w); remove it by hand", dir, err)
		}
		// Twice --force: an interrupted git leaves the entry locked. Without an entry there is nothing to remove.
		if list, err := git(context.Background(), r.Top, nil, "worktree", "list", "--porcelain"); err == nil && !strings.Contains(list, filepath.ToSlash(dir)) {
			return nil
		}
		_, err := git(context.Background(), r.Top, nil, "worktree", "remove", "--force", "--force", dir)
		return err
	}
	_, err = git(ctx, r.Top, nil, "worktree", "add", "--quiet", "--detach", dir, c.Hash)
	return remove, err
}

// Build runs a command of the system's shell in a folder.
func Build(ctx context.Context, dir, command string) error {
	shell := []string{"sh", "-c", command}
	if runtime.GOOS == "windows" {
		shell = []string{"cmd", "/c", command}
	}
	_, err := process.Output(ctx, process.Options{Command: shell, Dir: dir, Unset: inherited})
	return err
}
