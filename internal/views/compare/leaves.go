package compare

import (
	"encoding/json"
	"fmt"
	"slices"

	"popbench/record"
)

func encode(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		panic("compare: a record that was read cannot be written: " + err.Error())
	}
	return data
}

// leaf is a value in a JSON text, with its path.
type leaf struct{ path, value string }

// leaves returns the values in a JSON text, in order.
func leaves(text []byte) (all []leaf) {
	for _, l := range record.Leaves(text, true) {
		var s string
		switch {
		case l.Value == "{}" || l.Value == "[]":
			l.Value = "empty"
		case json.Unmarshal([]byte(l.Value), &s) == nil && l.Value != "null":
			l.Value = fmt.Sprintf("%q", s)
		}
		all = append(all, leaf{l.Path, l.Value})
	}
	return all
}

// unequal is a path at which two JSON texts differ.
type unequal struct {
	path   string
	values [2]string
}

// differences returns the leaves of a that differ in b, and then those that only b has.
func differences(a, b []leaf) (all []unequal) {
	value := func(in []leaf) map[string]string {
		m := make(map[string]string, len(in))
		for _, l := range in {
			m[l.path] = l.value
		}
		return m
	}
	va, vb := value(a), value(b)
	only := slices.DeleteFunc(slices.Clone(b), func(l leaf) bool { _, ok := va[l.path]; return ok })
	for _, l := range slices.Concat(a, only) {
		pair := [2]string{absent, absent}
		if v, ok := va[l.path]; ok {
			pair[0] = v
		}
		if v, ok := vb[l.path]; ok {
			pair[1] = v
		}
		if pair[0] != pair[1] {
			all = append(all, unequal{l.path, pair})
		}
	}
	return all
}

// absent stands for a value that one side does not have.
const absent = "absent"
