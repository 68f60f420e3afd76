package program

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"

	"popbench"
)

// checkout returns the commit of the source tree that the program was built from, and whether files differ from it. Builds
// that the go command did not stamp need it, for example by go run. The commit is "" if the tree no longer exists, if its
// code is not that of the program, or if git does not know the commit.
func checkout() (commit string, dirty bool) {
	_, file, _, ok := runtime.Caller(0)
	if !ok || !filepath.IsAbs(file) { // built with -trimpath
		return "", false
	}
	root := filepath.Join(filepath.Dir(file), "..", "..", "..")
	if !same(os.DirFS(root), popbench.Source) {
		return "", false
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	// The second argument names a file in the commit. A repository that merely contains the tree
	// has no such file.
	out, err := git(ctx, root, "rev-parse", "HEAD", "HEAD:./source.go")
	commit, _, _ = strings.Cut(out, "\n")
	if object := regexp.MustCompile(`^[0-9a-f]{40,64}$`); err != nil || !object.MatchString(commit) {
		return "", false
	}
	changes, err := git(ctx, root, "status", "--porcelain", "--", ".")
	if err != nil {
		return "", false
	}
	return commit, changes != ""
}

// same reports whether two trees have the same files, byte for byte. To compare fingerprints takes ten times as long.
func same(a, b fs.FS) bool {
	names, err := files(a)
	others, errB := files(b)
	if err != nil || errB != nil || !slices.Equal(names, others) {
		return false
	}
	for _, name := range names {
		textA, errA := fs.ReadFile(a, name)
		textB, errB := fs.ReadFile(b, name)
		if errA != nil || errB != nil || !bytes.Equal(textA, textB) {
			return false
		}
	}
	return true
}

// git runs git in a folder and returns what it prints.
func git(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = dir
	// In a git hook, git's own variables would name another repository. Without the optional lock,
	// this call cannot block another git process.
	cmd.Env = append(slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "GIT_") }), "GIT_OPTIONAL_LOCKS=0")
	cmd.WaitDelay = 100 * time.Millisecond
	out, err := cmd.Output()
	return string(out), err
}
