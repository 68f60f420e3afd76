// Package keys knows the earlier names of the settings of algorithms, which occur in suite files
// and records. Readers convert them to the present names. The hash of a cell is computed from the
// earliest names, so that it never changes.
package keys

import (
	"bytes"
	"encoding/json"
)

// Key is a renamed setting.
type Key struct {
	Algorithm string
	In        string // the enclosing keys, each with a dot: "fit."
	Old, New  string
	// ZeroWasDefault means that under the old name 0 was the method's default, which is -1 now.
	// There was no value for 0 itself; the hash represents it as -1.
	ZeroWasDefault bool
}

var all = []Key{
	{Algorithm: "popbo", Old: "report", New: "recommendation"},
	{Algorithm: "popbo", Old: "starts", New: "restarts"},
	{Algorithm: "gpucb", Old: "report", New: "recommendation"},
	{Algorithm: "gpucb", Old: "starts", New: "restarts"},
	{Algorithm: "qeubo", Old: "report", New: "recommendation"},
	{Algorithm: "qeubo", Old: "climbs", New: "restarts"},
	{Algorithm: "qeubo", Old: "initial", New: "initial_duels"},
	{Algorithm: "qeubo", Old: "model", New: "inference"},
	{Algorithm: "sgp", Old: "noise", New: "noise_std"},
	{Algorithm: "sgp", Old: "report", New: "recommendation"},
	{Algorithm: "sgp", Old: "climbs", New: "restarts"},
	{Algorithm: "sgp", Old: "starts", New: "candidates_per_coordinate"},
	{Algorithm: "sgp", Old: "initial", New: "initial_duels", ZeroWasDefault: true},
	{Algorithm: "sgp", In: "fit.", Old: "every", New: "refit_every"},
	{Algorithm: "dts", Old: "initial", New: "initial_duels"},
	{Algorithm: "dts", Old: "refit", New: "refit_every"},
}

// Renamed returns the renamed settings of an algorithm.
func Renamed(algorithm string) []Key {
	var its []Key
	for _, k := range all {
		if k.Algorithm == algorithm {
			its = append(its, k)
		}
	}
	return its
}

// Present returns settings, a JSON object, with the present names of its keys in the same order.
// Settings without an earlier name are returned unchanged.
func Present(algorithm string, settings json.RawMessage) json.RawMessage {
	changes := map[string]change{}
	for _, k := range Renamed(algorithm) {
		changes[k.In+k.Old] = change{k.Old, k.New, k.ZeroWasDefault}
	}
	return rename(settings, "", changes)
}

// Earliest returns settings with the earliest names of their keys, from which hashes are computed.
// It is the inverse of [Present].
func Earliest(algorithm string, settings json.RawMessage) json.RawMessage {
	changes := map[string]change{}
	for _, k := range Renamed(algorithm) {
		changes[k.In+k.New] = change{k.New, k.Old, k.ZeroWasDefault}
	}
	return rename(settings, "", changes)
}

// change is another name of a key. swap says that 0 and -1 change places.
type change struct {
	from, to string
	swap     bool
}

// rename changes the keys of an object and those in it, whose paths begin with prefix.
func rename(object json.RawMessage, prefix string, changes map[string]change) json.RawMessage {
	d := json.NewDecoder(bytes.NewReader(object))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return object
	}
	out, changed := []byte{'{'}, false
	for from := int(d.InputOffset()); d.More(); from = int(d.InputOffset()) {
		key, err := d.Token()
		var value json.RawMessage
		if name := int(d.InputOffset()); err == nil {
			out = append(out, object[from:name]...)
			err = d.Decode(&value)
		}
		if err != nil {
			return object
		}
		path := prefix + key.(string)
		if c, ok := changes[path]; ok && bytes.HasSuffix(out, quoted(c.from)) {
			changed = true
			out = append(bytes.TrimSuffix(out, quoted(c.from)), quoted(c.to)...)
			if c.swap {
				value = swap(value)
			}
		}
		inner := rename(value, path+".", changes)
		changed = changed || !bytes.Equal(inner, value)
		out = append(append(out, ':'), inner...)
	}
	if _, err := d.Token(); err != nil || !changed {
		return object
	}
	return append(out, '}')
}

func quoted(name string) []byte { return []byte(`"` + name + `"`) }

func swap(value json.RawMessage) json.RawMessage {
	switch string(value) {
	case "0":
		return json.RawMessage("-1")
	case "-1":
		return json.RawMessage("0")
	}
	return value
}
