package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/token"
	"io"
	"os"
	"slices"
	"strings"

	"popbench/internal/harness/process"
)

// tree is the module with its packages.
type tree struct {
	root, module string
	packages     []*source // of the module, in order
}

// open type-checks the module in a folder.
func open(ctx context.Context, root string) (*tree, error) {
	out, err := process.Output(ctx, process.Options{
		Command: []string{"go", "list", "-deps", "-export", "-json=ImportPath,Dir,Export,GoFiles,TestGoFiles,XTestGoFiles,Module", "./..."}, Dir: root,
	})
	if err != nil {
		return nil, err
	}
	var all []listed
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := dec.Decode(&p); err == io.EOF {
			break
		} else if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	t := &tree{root: root}
	fset := token.NewFileSet()
	from := importFrom(fset, all)
	for _, p := range all {
		if p.Module == nil || !p.Module.Main {
			continue
		}
		t.module = p.Module.Path
		p.name = strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, t.module), "/")
		if p.name == "" {
			p.name = "."
		}
		s, err := load(p, from, fset)
		if err != nil {
			return nil, err
		}
		t.packages = append(t.packages, s)
	}
	slices.SortFunc(t.packages, func(a, b *source) int { return cmp.Compare(a.name, b.name) })
	return t, nil
}

// drawTo writes the list of faults. The plants of the present list stay, if they still can be planted.
func (t *tree) drawTo(name string, seed uint64, n int) error {
	old, err := readFaults(name)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	text := heading
	for _, f := range old {
		if f.kind != plant {
			continue
		}
		s := t.source(f.pkg)
		if s == nil {
			return fmt.Errorf("%s: there is no package %s; correct the plant", name, f.pkg)
		}
		if x, ok := s.find(f, nil); !ok || !s.compiles(x) {
			return fmt.Errorf("%s: the plant %q in %s/%s has no place, or does not compile; correct it", name, f.to, f.pkg, f.file)
		}
		text += f.write()
	}
	var from []*source
	for _, s := range t.packages {
		if isProgram(s.name) && len(s.sites()) > 0 {
			from = append(from, s)
		}
	}
	counts := share(from, n)
	for _, s := range from {
		for _, x := range s.draw(seed, counts[s.name]) {
			text += x.write()
		}
	}
	return os.WriteFile(name, []byte(text), 0o666)
}

// locate finds the site of each fault by its id. A fault whose place is gone has none.
func (t *tree) locate(faults []fault) map[string]site {
	found := map[string]site{}
	for _, s := range t.packages {
		var sites []site
		for _, f := range faults {
			if f.pkg != s.name {
				continue
			}
			if sites == nil {
				sites = s.sites()
			}
			if x, ok := s.find(f, sites); ok {
				found[f.id()] = x
			}
		}
	}
	return found
}

func (t *tree) source(name string) *source {
	for _, s := range t.packages {
		if s.name == name {
			return s
		}
	}
	return nil
}
