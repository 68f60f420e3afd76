package export

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"

	"popbench/internal/outcome"
	"popbench/record"
)

// CrateFile describes an archive in the words of RO-Crate 1.1 (https://w3id.org/ro/crate/1.1).
const CrateFile = "ro-crate-metadata.json"

// crateContext is the vocabulary of RO-Crate 1.1.
const crateContext = "https://w3id.org/ro/crate/1.1/context"

// node is an entity of a crate.
type node map[string]any

func ref(id string) node { return node{"@id": id} }

// Crate returns the description of an archive with these files and their sizes. run says who made the records; nil if
// unknown. RO-Crate requires a licence, which only the publisher of the archive can give.
func Crate(r *outcome.Results, run *record.Run, sizes map[string]int) []byte {
	root := node{"@id": "./", "@type": "Dataset", "name": "Results of " + r.Suite, "description": r.Size() + ", by popbench.", "license": ref("#licence")}
	tool := node{"@id": "#popbench", "@type": "SoftwareApplication", "name": "popbench"}
	action := node{"@id": "#run", "@type": "CreateAction", "name": "The runs", "instrument": ref("#popbench"), "result": ref("./")}
	root["datePublished"] = "1980-01-01" // a value is required; a folder of imported runs has none
	if run != nil {
		root["datePublished"] = run.Started[:min(len(run.Started), len("2006-01-02"))]
		action["startTime"] = run.Started
		tool["softwareVersion"] = run.Build.Release()
	}
	graph := []node{
		{"@id": CrateFile, "@type": "CreativeWork", "conformsTo": ref("https://w3id.org/ro/crate/1.1"), "about": ref("./")},
		root, tool, action,
		{"@id": "#licence", "@type": "CreativeWork", "name": "Not stated", "description": "Who publishes this archive states its licence."},
	}
	var parts []node
	for _, name := range slices.Sorted(maps.Keys(sizes)) {
		parts = append(parts, ref(name))
		graph = append(graph, node{"@id": name, "@type": "File", "name": name, "contentSize": strconv.Itoa(sizes[name]),
			"encodingFormat": cmp.Or(formats[path.Ext(name)], "text/plain")})
	}
	root["hasPart"] = parts
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	if err := enc.Encode(node{"@context": crateContext, "@graph": graph}); err != nil {
		panic(fmt.Sprintf("export: %v", err)) // it has texts only
	}
	return b.Bytes()
}

// formats are the media types of files: not those of the machine, so that the bytes are the same everywhere.
var formats = map[string]string{".gz": "application/gzip", ".yaml": "application/yaml", ".cff": "application/yaml", ".json": "application/json"}
