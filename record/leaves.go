package record

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Leaf is a value within a JSON text, such as the settings of an algorithm.
type Leaf struct {
	Path  string // e.g. kernel.family, or lengthscale[1]
	Value string // JSON: a number, a text in quotes, true, false, null, {}, [] or a list
}

// Leaves returns the values in a JSON text, in order. With intoLists it descends into lists,
// otherwise a list is one value.
func Leaves(text []byte, intoLists bool) (all []Leaf) {
	var walk func(path string, value json.RawMessage)
	walk = func(path string, value json.RawMessage) {
		if len(value) == 0 || value[0] != '{' && (value[0] != '[' || !intoLists) {
			all = append(all, Leaf{path, string(value)})
			return
		}
		d := json.NewDecoder(bytes.NewReader(value))
		_, err := d.Token()
		n := 0
		for ; err == nil && d.More(); n++ {
			at := fmt.Sprintf("%s[%d]", path, n)
			if value[0] == '{' {
				key, _ := d.Token() // an error returns again
				if at = fmt.Sprint(key); path != "" {
					at = path + "." + at
				}
			}
			var inner json.RawMessage
			if err = d.Decode(&inner); err == nil {
				walk(at, inner)
			}
		}
		if n == 0 && path != "" {
			all = append(all, Leaf{path, string(value)})
		}
	}
	walk("", bytes.TrimSpace(text))
	return all
}
