package runlog

import (
	"encoding/json"
	"slices"
	"strings"
)

// earlierNames has, by algorithm, the settings that were renamed: the earliest name and the present one. The earliest
// names stand in records of that time, and hashes of cells are computed from them, so that a hash never changes. No name
// occurs twice in the settings of an algorithm, at any depth.
var earlierNames = map[string][]string{
	"popbo": {`"report":`, `"recommendation":`, `"starts":`, `"restarts":`},
	"gpucb": {`"report":`, `"recommendation":`, `"starts":`, `"restarts":`},
	"qeubo": {`"report":`, `"recommendation":`, `"climbs":`, `"restarts":`, `"initial":`, `"initial_duels":`, `"model":`, `"inference":`},
	// 0 was the method's own number of duels, which is -1 now. There was no value for none; hashes have -1 for it.
	"sgp": {
		`"initial":0`, `"initial_duels":-1`, `"initial":-1`, `"initial_duels":0`, `"initial":`, `"initial_duels":`,
		`"report":`, `"recommendation":`, `"climbs":`, `"restarts":`, `"starts":`, `"candidates_per_coordinate":`,
		`"noise":`, `"noise_std":`, `"every":`, `"refit_every":`,
	},
	"dts": {`"initial":`, `"initial_duels":`, `"refit":`, `"refit_every":`},
}

// presentNames returns settings, a JSON object without spaces, with the present names of its keys in the same order.
func presentNames(algorithm string, settings json.RawMessage) json.RawMessage {
	return json.RawMessage(strings.NewReplacer(earlierNames[algorithm]...).Replace(string(settings)))
}

// EarliestNames returns settings, a JSON object without spaces, with the earliest names of its keys, from which hashes
// are computed.
func EarliestNames(algorithm string, settings json.RawMessage) json.RawMessage {
	pairs := slices.Clone(earlierNames[algorithm])
	for i := 0; i < len(pairs); i += 2 {
		pairs[i], pairs[i+1] = pairs[i+1], pairs[i]
	}
	return json.RawMessage(strings.NewReplacer(pairs...).Replace(string(settings)))
}
