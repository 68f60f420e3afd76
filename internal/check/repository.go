package check

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Repository is a git repository. A method that fails ends the test.
type Repository struct {
	T   testing.TB
	Dir string
}

// NewRepository returns an empty repository in a folder with a blank in its name, and skips the test where there is no git.
func NewRepository(t testing.TB) *Repository {
	t.Helper()
	Needs(t, "git")
	r := &Repository{t, filepath.Join(t.TempDir(), "a repository")}
	OK(t, os.Mkdir(r.Dir, 0o777))
	r.Git("init", "--quiet", "--initial-branch=main")
	return r
}

// Write writes a file, which may be executed.
func (r *Repository) Write(path, text string) {
	r.T.Helper()
	path = filepath.Join(r.Dir, filepath.FromSlash(path))
	OK(r.T, os.MkdirAll(filepath.Dir(path), 0o777))
	OK(r.T, os.WriteFile(path, []byte(text), 0o777))
}

// Edit replaces a text in a file, which must contain it.
func (r *Repository) Edit(path, old, new string) {
	r.T.Helper()
	text := Text(r.T, filepath.Join(r.Dir, path))
	Ensure(r.T, strings.Contains(text, old) && old != new, "%s has no %q", path, old)
	r.Write(path, strings.ReplaceAll(text, old, new))
}

// Git runs git and returns what it prints.
func (r *Repository) Git(args ...string) string {
	r.T.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=x", "-c", "user.email=x@x", "-c", "commit.gpgsign=false", "-c", "maintenance.auto=false"},
		args...)...)
	cmd.Dir = r.Dir
	out, err := cmd.CombinedOutput()
	Ensure(r.T, err == nil, "git %s: %v\n%s", args, err, out)
	return strings.TrimSpace(string(out))
}

// Commit commits all files, and returns the commit's short hash and subject.
func (r *Repository) Commit(subject string) string {
	r.T.Helper()
	r.Git("add", "--all")
	r.Git("commit", "--quiet", "--message", subject)
	return r.Git("log", "-1", "--format=%h (%s)")
}

// Clean checks that no worktree stays.
func (r *Repository) Clean() {
	r.T.Helper()
	if list := r.Git("worktree", "list"); strings.Contains(list, "\n") {
		r.T.Errorf("a worktree stays:\n%s", list)
	}
}

// NewMethodRepository returns a repository of somebody's method, the Python example of the tree at root, in the folder
// "method". It becomes the working directory, and temporary files go to a folder of their own. TestMain must be
// benchtest.Main.
func NewMethodRepository(t *testing.T, root string) *Repository {
	t.Helper()
	Slow(t, "it runs git and python3")
	Needs(t, "python3")
	r := NewRepository(t)
	for _, name := range []string{"optimizer.py", "suite.yaml"} {
		r.Write("method/"+name, Text(t, filepath.Join(root, "examples", "random-local", name)))
	}
	r.Edit("method/suite.yaml", "steps: 30", "steps: 10")
	r.Write(".gitignore", "/results\n/out\n")
	r.Commit("the method")
	t.Setenv("PYTHONPATH", Must(filepath.Abs(filepath.Join(root, "clients", "python")))(t))
	t.Chdir(r.Dir)
	t.Setenv("TMPDIR", t.TempDir())
	t.Setenv("GIT_DISCOVERY_ACROSS_FILESYSTEM", "1") // so that git says the same wherever the tests write
	return r
}
