package paper

import (
	"embed"
	"encoding/json"
)

//go:embed *.json
var files embed.FS

// read decodes a file here with what papers print.
func read[T any](name string) (v T) {
	data, err := files.ReadFile(name)
	if err == nil {
		err = json.Unmarshal(data, &v)
	}
	if err != nil {
		panic("paper: " + name + ": " + err.Error()) // it is part of the program
	}
	return v
}
