package suite

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"popbench/record"
)

// CellHash identifies what the runs of one algorithm on one problem compute. It is the SHA-256 of
// all values that determine the steps, defaults included, as canonical JSON. Titles, labels,
// comments, the order of the file and the number of repetitions do not enter the hash, so finished
// runs stay valid if those change. For the same reason, settings enter under the earliest names of
// their keys.
func (s *Suite) CellHash(p Problem, a Algorithm) string {
	disclose := a.DiscloseFor(p.ID())
	if disclose == record.DisclosedNone {
		disclose = "" // keeps the hashes from before the key existed
	}
	evaluates := p.Program.identity()
	p.Program = Program{}
	if p.Data != nil { // where the file is does not matter
		p.Data = &Data{SHA256: p.Data.SHA256, Features: p.Data.Features, Value: p.Data.Value}
	}
	oracle := s.OracleFor(p)
	p.Oracle = nil
	return digest(struct {
		Seed      uint64            `json:"seed"`
		Steps     int               `json:"steps"`
		Problem   Problem           `json:"problem"`
		Algorithm string            `json:"algorithm"`
		Settings  any               `json:"settings"`
		Pilot     int               `json:"pilot"`
		PilotPer  record.Per        `json:"pilot_per,omitempty"` // "" keeps the hashes of pilots for all runs, from before the key existed
		First     int               `json:"first_duels,omitempty"`
		Snapshots []int             `json:"snapshots,omitempty"`
		HeldOut   HeldOut           `json:"held_out,omitzero"`
		Disclose  record.Disclosure `json:"disclose,omitempty"`
		Oracle    *Oracle           `json:"oracle,omitempty"`

		// Of external problems and algorithms.
		Evaluates *identity `json:"evaluates,omitempty"`
		Program   *identity `json:"program,omitempty"`
	}{s.Seed, s.Steps, p, a.Name, record.EarliestNames(a.Name, encoded(a.SettingsFor(p.ID()))), a.Pilot.Comparisons, per(a.Pilot),
		s.FirstDuels, s.Snapshots, s.HeldOut, disclose, oracle, evaluates, a.Program.identity()})
}

// per returns which runs share pilot comparisons, in the words of a record.
func per(p Pilot) record.Per {
	if p.Comparisons > 0 && p.Per == PerRepetition {
		return record.PerRepetition
	}
	return record.PerProblem
}

// digest returns the SHA-256 of v as JSON without spaces and with sorted keys, so that the order of
// the Go fields does not matter. Zero fields with omitempty are omitted, so a later setting whose
// zero value means "as before" keeps old hashes.
func digest(v any) string {
	dec := json.NewDecoder(bytes.NewReader(encoded(v)))
	dec.UseNumber()
	var tree any
	if err := dec.Decode(&tree); err != nil {
		panic(err) // cannot happen: encoded has just written it
	}
	return fmt.Sprintf("%x", sha256.Sum256(encoded(tree)))
}

// encoded returns texts, numbers and settings as JSON, which they always are.
func encoded(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic("suite: a value that JSON cannot represent: " + err.Error())
	}
	return text
}

// HashFiles hashes the files that identify the suite's programs: every argument, except the first
// word, that names a file, and the files under files. Call it before CellHash is used to identify runs.
func (s *Suite) HashFiles() error {
	known := map[string]string{}
	hash := func(program *Program, at string) error {
		program.Hashes = nil
		words := program.Command[min(1, len(program.Command)):]
		for i, path := range slices.Concat(words, program.Files) {
			sum, err := hashFile(s.resolve(path), known)
			listed := i >= len(words)
			if listed && err == nil && sum == "" {
				err = errors.New("not a regular file")
			}
			switch {
			case listed && err != nil:
				return fmt.Errorf("%s: files: %q cannot be read (%w); paths begin in the suite file's folder", at, path, cause(err))
			case err == nil && sum != "":
				program.Hashes = append(program.Hashes, record.ProgramFile{Path: path, SHA256: sum})
			}
		}
		return nil
	}
	var err error // the first
	for i := range s.Problems {
		err = cmp.Or(err, hash(&s.Problems[i].Program, fmt.Sprintf("problems[%d]", i)))
	}
	for i := range s.Algorithms {
		err = cmp.Or(err, hash(&s.Algorithms[i].Program, s.entry(i)))
	}
	return err
}

// hashFile returns the SHA-256 of a regular file, or "" for anything else. It remembers results.
func hashFile(path string, known map[string]string) (string, error) {
	if sum, ok := known[path]; ok {
		return sum, nil
	}
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return "", err
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	known[path] = hex.EncodeToString(h.Sum(nil))
	return known[path], nil
}

// identity is the part of a program that belongs to the identity of a run.
type identity struct {
	Command []string             `json:"command"`
	Files   []record.ProgramFile `json:"files,omitempty"`
	Threads int                  `json:"threads"`
}

// identity returns nil for an entry that is built in.
func (p Program) identity() *identity {
	if len(p.Command) == 0 {
		return nil
	}
	return &identity{p.Command, p.Hashes, cmp.Or(p.Threads, 1)}
}

// cause returns the error without the path that package os puts before it.
func cause(err error) error {
	var p *os.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}
