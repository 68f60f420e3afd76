package suite

import "popbench/internal/strict"

// What the tests give names of their own, in place of a catalogue.
var (
	ParseWith     = parse
	SchemaWith    = schema
	CheckSettings = checkSettings
)

func LoadWith(path string, cat names) (*Suite, error) {
	text, err := strict.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return parse(path, text, cat)
}
