package compare

import (
	"fmt"
	"slices"

	"popbench/internal/outcome"
	"popbench/record"
)

// matched holds the runs of two folders that can be compared.
type matched struct {
	base, head *digest
	known      []string // metrics of both sides
	missing    []string // groups and cells that HEAD lacks
	samples    []sample
	failures   []record.Failure
	warnings   []string
	notes      []note
}

// note is a sentence about some groups, or about all if keys is nil.
type note struct {
	text string
	keys []string
}

func (n note) String() string {
	if n.keys == nil {
		return n.text
	}
	return several(n.keys) + ": " + n.text
}

// note adds a note on everything unless the note is there already.
func (m *matched) note(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if !slices.ContainsFunc(m.notes, func(n note) bool { return n.text == text }) {
		m.notes = append(m.notes, note{text: text})
	}
}

// noteOn adds a note on a group. If several groups have the same note, it appears once.
func (m *matched) noteOn(g *group, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	i := slices.IndexFunc(m.notes, func(n note) bool { return n.keys != nil && n.text == text })
	if i < 0 {
		i = len(m.notes)
		m.notes = append(m.notes, note{text: text})
	}
	m.notes[i].keys = append(m.notes[i].keys, g.key)
}

// foundNote says what the regret on a problem is measured against.
func foundNote(title string, found *outcome.BestFound) string {
	return fmt.Sprintf("%s: %s", title, found.Note())
}

// several names the first entries of a list, and counts the rest.
func several(list []string) string {
	switch n := len(list); n {
	case 1:
		return list[0]
	case 2:
		return list[0] + " and " + list[1]
	default:
		return fmt.Sprintf("%s and %d more", list[0], n-1)
	}
}
