package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"popbench/internal/analysis/document"
	"popbench/internal/analysis/outcome"
	"popbench/internal/printable"
	"popbench/record"
)

// used is an external algorithm or problem.
type used struct {
	of      string // its label
	program *record.Program
}

// programsOf are the external programs of the results: algorithms, then problems, each once.
func programsOf(r *outcome.Results) (all []used) {
	add := func(of string, p *record.Program) {
		if p == nil {
			return
		}
		i := slices.IndexFunc(all, func(u used) bool { return u.of == of && slices.Equal(u.program.Command, p.Command) })
		switch {
		case i < 0:
			all = append(all, used{of, p})
		case all[i].program.Name == "": // its runs there failed before it said anything
			all[i].program = p
		}
	}
	for i := range r.Groups {
		add(r.Groups[i].Algorithm.Label, r.Groups[i].Algorithm.Program)
	}
	for i := range r.Groups {
		add(r.Groups[i].Name(), r.Groups[i].Problem.Program)
	}
	return all
}

// random reports whether a program says that its results may differ from run to run.
func random(programs []used) bool {
	return slices.ContainsFunc(programs, func(u used) bool { return u.program.Random })
}

// programs is the sheet of the external programs; it is empty if there are none.
func (l *layout) programs() document.Sheet {
	type detail struct{ of, name, value string }
	var rows []detail
	for _, u := range programsOf(l.Results) {
		p := u.program
		row := func(name, value string) {
			if value != "" {
				rows = append(rows, detail{u.of, name, printable.Quote(value)})
			}
		}
		row("command", printable.Command(p.Command))
		if p.Name == "" {
			row("reports", "not recorded: no run got that far")
		} else {
			row("reports", strings.TrimSpace(p.Name+" "+p.Version))
		}
		var files []string
		for _, f := range p.Files {
			files = append(files, fmt.Sprintf("%s (%.12s)", f.Path, f.SHA256))
		}
		row("files", strings.Join(files, ", "))
		row("threads", strconv.Itoa(p.Threads))
		var provenance []string
		for _, leaf := range flatten(p.Provenance) {
			provenance = append(provenance, leaf.Name+" "+leaf.Value)
		}
		row("provenance", printable.Cut(strings.Join(provenance, ", "), printable.MaxText))
		if p.Random {
			row("deterministic", "no: equal seeds may give other results")
		}
	}
	return document.Tabulate(document.Sheet{ID: "programs", Title: "External programs",
		Caption: "Programs of the suite's owner. Files have the beginning of their SHA-256; name, version and provenance are as the program reports them."}, rows,
		document.Column[detail]{Title: "Program", Head: true, Of: func(d detail) document.Cell { return document.Words(d.of) }},
		document.Column[detail]{Title: "Detail", Head: true, Of: func(d detail) document.Cell { return document.Words(d.name) }},
		document.Column[detail]{Title: "As recorded", Words: true, Wrap: true, Of: func(d detail) document.Cell { return document.Words(d.value) }})
}
