package app

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"popbench/configs"
	"popbench/internal/harness/config"
	"popbench/internal/nearest"
	"popbench/internal/printable"
)

// ReadSuite reads the suite that a user has named: a file, or a built-in suite. A file of that name comes first, with a
// note. The path of a built-in suite is that in the repository, so that its data files are where Reproduce looks for them.
func (a *App) ReadSuite(name string) (path string, text []byte, err error) {
	s, builtIn := LookupSuite(name)
	switch info, failed := os.Stat(name); {
	case failed == nil && builtIn && info.IsDir(), failed != nil && builtIn:
		return s.Path, s.Text, nil
	case failed == nil && builtIn:
		a.tell(Note{printable.Quote(name) + " is a file here; the built-in suite of this name is another"})
	case failed != nil && os.IsNotExist(failed):
		return "", nil, fmt.Errorf("%s: there is no such file, and no built-in suite of this name; %s", name, SuiteHint(name))
	}
	text, err = config.ReadFile(name)
	return name, text, err
}

// LookupSuite returns the built-in suite of a name.
func LookupSuite(name string) (configs.Suite, bool) {
	for _, s := range configs.Suites() {
		if s.Name == name {
			return s, true
		}
	}
	return configs.Suite{}, false
}

// SuiteHint says which built-in suite is likely meant by a name, or by the path of its file in the repository.
func SuiteHint(name string) string {
	slashed := path.Clean(filepath.ToSlash(name))
	var names []string
	for _, s := range configs.Suites() {
		if s.Path == slashed {
			return "did you mean " + s.Name + "?"
		}
		names = append(names, s.Name)
	}
	return nearest.Hint(strings.TrimSuffix(path.Base(slashed), path.Ext(slashed)), names, "check the path; bench list suites shows the built-in ones")
}
