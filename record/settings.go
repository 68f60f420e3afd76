package record

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// earlierNames has, by algorithm, the settings that were renamed: the earliest name and the present one. Records of that
// time have the earliest names, and hashes of cells are computed from them, so that a hash never changes. No name occurs
// twice in the settings of an algorithm, at any depth.
var earlierNames = map[string][]string{
	"popbo": {`"report":`, `"recommendation":`, `"starts":`, `"restarts":`},
	"gpucb": {`"report":`, `"recommendation":`, `"starts":`, `"restarts":`},
	"qeubo": {`"report":`, `"recommendation":`, `"climbs":`, `"restarts":`, `"initial":`, `"initial_duels":`, `"model":`, `"inference":`},
	// 0 was the method's own number of duels, which is -1 now. There was no value for no duels; hashes have -1 for it.
	"sgp": {
		`"initial":0`, `"initial_duels":-1`, `"initial":-1`, `"initial_duels":0`, `"initial":`, `"initial_duels":`,
		`"report":`, `"recommendation":`, `"climbs":`, `"restarts":`, `"starts":`, `"candidates_per_coordinate":`,
		`"noise":`, `"noise_std":`, `"every":`, `"refit_every":`,
	},
	"dts": {`"initial":`, `"initial_duels":`, `"refit":`, `"refit_every":`},
}

// removed is a setting that is gone: its key with the value of today, and the key before which hashes have it.
type removed struct{ setting, before string }

// removedSettings has the settings that are gone, by algorithm. A record with the value given here is read without the
// setting, so that it equals a record of today; another value stays, since it was run. Hashes are computed with the setting.
var removedSettings = map[string][]removed{
	"popbo":      {{`"cover_radius":0.01`, `"delta":`}},
	"exactkg":    {{`"fantasy":"exact"`, `"inference":`}},
	"challenger": {{`"ucb_factor":1.959963984540054`, `"champion":`}},
	"sgp":        {{`"ucb_factor":2`, `"sampler":`}, {`"start":0.3`, `"lo":`}},
	"gpucb":      {{`"mean":"constant"`, `"fit":`}, {`"delta":0.1`, `"factor":`}, {`"points":1000`, `"factor":`}, {`"a":1`, `"factor":`}, {`"b":1`, `"factor":`}},
	"ginop":      {{`"schedule":"sqrt(t)"`, `"beta0":`}, {`"delta":0.1`, `"beta0":`}, {`"log_covering":0`, `"beta0":`}},
	"maxminlcb":  {{`"delta":0.1`, `"factor":`}},
	"mrlpf":      {{`"delta":0.1`, `"factor":`}},
	"pfts":       {{`"delta":0.05`, `"scale":`}, {`"beta":1`, `"scale":`}},
}

// presentNames returns settings, a JSON object without spaces, with the present names of its keys in the same order.
func presentNames(algorithm string, settings json.RawMessage) json.RawMessage {
	text := strings.NewReplacer(earlierNames[algorithm]...).Replace(string(settings))
	for _, r := range removedSettings[algorithm] {
		text = strings.NewReplacer(","+r.setting+",", ",", ","+r.setting+"}", "}", "{"+r.setting+",", "{").Replace(text)
	}
	return json.RawMessage(text)
}

// EarliestNames returns settings of today, a JSON object without spaces, with the earliest names of its keys and with the
// settings that are gone, as hashes need them. The order of the keys may be another.
func EarliestNames(algorithm string, settings json.RawMessage) json.RawMessage {
	pairs := slices.Clone(earlierNames[algorithm])
	for i := 0; i < len(pairs); i += 2 {
		pairs[i], pairs[i+1] = pairs[i+1], pairs[i]
	}
	text := strings.NewReplacer(pairs...).Replace(string(settings))
	for _, r := range removedSettings[algorithm] {
		text = strings.Replace(text, r.before, r.setting+","+r.before, 1)
	}
	return json.RawMessage(text)
}

// Leaf is a value within a JSON text, such as the settings of an algorithm.
type Leaf struct {
	Path  string // e.g. kernel.family, or lengthscale[1]
	Value string // JSON: a number, a text in quotes, true, false, null, {}, [] or a list
}

// Leaves returns the values in a JSON text, in order. With intoLists it descends into lists; otherwise one is a value.
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
