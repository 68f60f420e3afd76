package record

import "testing"

// A cell whose program failed before it said what it is belongs to no other program, nor to a problem with another box.
func TestNoMixtureOfFailures(t *testing.T) {
	m := newMixtures()
	good, early := example(t).Header, example(t).Header
	good.Algorithm.Program = &Program{Command: []string{"a"}, Name: "A", Version: "1"}
	good.Problem.Program = &Program{Command: []string{"p"}, Name: "P"}
	early.Algorithm.Program, early.Problem.Program = &Program{Command: []string{"a"}}, &Program{Command: []string{"p"}}
	early.Problem.Lo, early.Problem.Hi = nil, nil
	m.add(&good)
	m.add(&early)
	if all := m.issues("d"); len(all) != 0 {
		t.Errorf("issues %+v", all)
	}
	other := good
	other.Algorithm.Program = &Program{Command: []string{"a"}, Name: "A", Version: "2"}
	m.add(&other)
	if all := m.issues("d"); len(all) != 1 || all[0].Mixture != "external program" {
		t.Errorf("issues %+v", all)
	}
}
