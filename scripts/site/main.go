// Site writes the static site of the project: its documentation, the results in the tree, and a page for each paper, method
// and problem.
//
//	go run ./scripts/site [OUT]
//
// It runs at the top of the tree. OUT, by default site, must be empty or absent.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"popbench/bench"
	"popbench/internal/site"
)

func main() {
	out := "site"
	if len(os.Args) > 1 {
		out = os.Args[1]
	}
	if err := write(out); err != nil {
		fmt.Fprintln(os.Stderr, "scripts/site:", err)
		os.Exit(2)
	}
}

// write writes the site of the working tree to a folder.
func write(out string) error {
	catalogue, err := bench.Catalogue()
	if err != nil {
		return err
	}
	s, err := site.Build(os.DirFS("."), catalogue)
	if err != nil {
		return err
	}
	if err := s.Write(out); err != nil {
		return err
	}
	fmt.Printf("%d pages in %d files, %.1f MB: %s\n", len(s.Pages), len(s.Files), float64(s.Size())/1e6, filepath.Join(out, "index.html"))
	return nil
}
