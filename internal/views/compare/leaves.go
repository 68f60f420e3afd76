package compare

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"popbench/internal/words"
	"popbench/record"
)

func encode(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		panic("compare: a record that was read cannot be written: " + err.Error())
	}
	return data
}

// leaves returns the values in a JSON text, in order; of no text an empty one.
func leaves(text []byte) []record.Leaf {
	all := record.Leaves(text, true)
	for i := range all {
		var s string
		switch v := all[i].Value; {
		case v == "{}" || v == "[]":
			all[i].Value = "empty"
		case json.Unmarshal([]byte(v), &s) == nil && v != "null":
			all[i].Value = fmt.Sprintf("%q", s)
		}
	}
	return all
}

// unequal is a path at which two JSON texts differ.
type unequal struct {
	path   string
	values [2]string
}

// differences returns the leaves of a that differ in b, and then the leaves that only b has.
func differences(a, b []record.Leaf) (all []unequal) {
	value := func(in []record.Leaf) map[string]string {
		m := make(map[string]string, len(in))
		for _, l := range in {
			m[l.Path] = l.Value
		}
		return m
	}
	va, vb := value(a), value(b)
	only := words.Only(b, func(l record.Leaf) bool { return va[l.Path] == "" })
	for _, l := range slices.Concat(a, only) {
		pair := [2]string{cmp.Or(va[l.Path], absent), cmp.Or(vb[l.Path], absent)}
		if pair[0] != pair[1] {
			all = append(all, unequal{l.Path, pair})
		}
	}
	return all
}

// absent stands for a value that one side does not have.
const absent = "absent"
