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
	"strings"

	"popbench/internal/outcome"
	"popbench/internal/words"
	"popbench/record"
)

// DataPackage is the name of the file that describes the tables as a Frictionless Data Package.
const DataPackage = "datapackage.json"

// dataPackage is a Frictionless Data Package, version 1: https://specs.frictionlessdata.io/data-package/.
type dataPackage struct {
	Profile     string      `json:"profile"`
	Name        string      `json:"name"`
	Title       string      `json:"title"`
	Description string      `json:"description"`
	Resources   []*resource `json:"resources"`
	Popbench    any         `json:"popbench"` // where the numbers are from: the standard allows other properties
}

// resource is a table of the package.
type resource struct {
	Profile     string `json:"profile"`
	Name        string `json:"name"`
	Path        string `json:"path"`
	Description string `json:"description"`
	Format      string `json:"format"`
	MediaType   string `json:"mediatype"`
	Encoding    string `json:"encoding"`
	Bytes       int64  `json:"bytes"`
	Hash        string `json:"hash"`
	Schema      schema `json:"schema"`
}

type schema struct {
	Fields        []field  `json:"fields"`
	MissingValues []string `json:"missingValues"`
	PrimaryKey    []string `json:"primaryKey"`
}

// field is a column of a table.
type field struct {
	Name        string `json:"name"`
	Type        string `json:"type"`
	Description string `json:"description"`
	Constraints *enum  `json:"constraints,omitempty"`
}

func (f field) name() string { return f.Name }

type enum struct {
	Enum []string `json:"enum"`
}

// Croissant is the name of the file that describes the tables in the words of Croissant 1.0
// (https://docs.mlcommons.org/croissant/docs/croissant-spec.html).
const Croissant = "croissant.json"

// croissantContext is the vocabulary of Croissant 1.0, which every file repeats.
const croissantContext = `{"@language":"en","@vocab":"https://schema.org/","citeAs":"cr:citeAs","column":"cr:column","conformsTo":"dct:conformsTo",
"cr":"http://mlcommons.org/croissant/","data":{"@id":"cr:data","@type":"@json"},"dataType":{"@id":"cr:dataType","@type":"@vocab"},
"dct":"http://purl.org/dc/terms/","examples":{"@id":"cr:examples","@type":"@json"},"extract":"cr:extract","field":"cr:field",
"fileObject":"cr:fileObject","fileProperty":"cr:fileProperty","fileSet":"cr:fileSet","format":"cr:format","includes":"cr:includes",
"isLiveDataset":"cr:isLiveDataset","jsonPath":"cr:jsonPath","key":"cr:key","md5":"cr:md5","parentField":"cr:parentField","path":"cr:path",
"rai":"http://mlcommons.org/croissant/RAI/","recordSet":"cr:recordSet","references":"cr:references","regex":"cr:regex","repeated":"cr:repeated",
"replace":"cr:replace","sc":"https://schema.org/","separator":"cr:separator","source":"cr:source","subField":"cr:subField",
"transform":"cr:transform"}`

// croissantTypes are the types of Croissant, by the type in a data package.
var croissantTypes = map[string]string{"string": "sc:Text", "integer": "sc:Integer", "number": "sc:Float", "boolean": "sc:Boolean"}

// croissant is the data package in Croissant. Who made the numbers, when, and their licence are not known, and left out.
func (p *dataPackage) croissant() node {
	var files, sets []node
	for _, r := range p.Resources {
		files = append(files, node{"@type": "cr:FileObject", "@id": r.Path, "name": r.Path, "description": r.Description, "contentUrl": r.Path,
			"contentSize": fmt.Sprintf("%d B", r.Bytes), "encodingFormat": r.MediaType, "sha256": strings.TrimPrefix(r.Hash, "sha256:")})
		id := func(column string) string { return r.Name + "/" + column }
		var fields []node
		key := words.Each(r.Schema.PrimaryKey, func(column string) node { return ref(id(column)) })
		for _, f := range r.Schema.Fields {
			fields = append(fields, node{"@type": "cr:Field", "@id": id(f.Name), "name": f.Name, "description": f.Description,
				"dataType": croissantTypes[f.Type], "source": node{"fileObject": ref(r.Path), "extract": node{"column": f.Name}}})
		}
		sets = append(sets, node{"@type": "cr:RecordSet", "@id": r.Name, "name": r.Name, "description": r.Description, "key": key, "field": fields})
	}
	return node{"@context": json.RawMessage(croissantContext), "@type": "sc:Dataset", "conformsTo": "http://mlcommons.org/croissant/1.0",
		"name": p.Name, "description": p.Title + ". " + p.Description, "distribution": files, "recordSet": sets}
}

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
	if err := words.WriteJSON(&b, node{"@context": crateContext, "@graph": graph}, " "); err != nil {
		panic(fmt.Sprintf("export: %v", err)) // it has texts only
	}
	return b.Bytes()
}

// formats are the media types of files: not those of the machine, so that the bytes are the same everywhere.
var formats = map[string]string{".gz": "application/gzip", ".yaml": "application/yaml", ".cff": "application/yaml", ".json": "application/json"}
