package strict

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"popbench/internal/words"
)

// maxAliased limits the number of values that the aliases of a file expand to, so that a few nested
// aliases cannot expand to billions.
const maxAliased = 10_000

// maxDepth is the maximum depth of a document. A suite has eight levels.
const maxDepth = 100

const tooDeep = "nested more than %d deep; is it the right file?"

// document parses a file with exactly one YAML document, and refuses what the YAML library would
// accept silently. It returns nil after an issue.
func (d *Decoder) document(data []byte) *yaml.Node {
	data = bytes.TrimPrefix(data, []byte("\uFEFF"))
	if !utf8.Valid(data) {
		at := 0
		for r, size := utf8.DecodeRune(data); r != utf8.RuneError || size != 1; r, size = utf8.DecodeRune(data[at:]) {
			at += size
		}
		line := 1 + bytes.Count(data[:at], []byte("\n"))
		d.Fail(line, "", "byte 0x%02x is not UTF-8; save the file as UTF-8 text", data[at])
		return nil
	}

	dec := yaml.NewDecoder(bytes.NewReader(data))
	var doc, second yaml.Node
	switch err := dec.Decode(&doc); {
	case errors.Is(err, io.EOF), err == nil && isNull(doc.Content[0]):
		d.Fail(0, "", "the file is empty; give it one YAML or JSON document")
		return nil
	case err != nil:
		d.syntax(err, data)
		return nil
	}
	switch err := dec.Decode(&second); {
	case err == nil:
		d.Fail(max(second.Line, 1), "", "a second document begins here; keep one per file")
		return nil
	case !errors.Is(err, io.EOF):
		d.syntax(err, data)
		return nil
	}
	root := doc.Content[0]
	aliased := 0
	if !d.vet(root, map[*yaml.Node]bool{}, 1, false, &aliased) {
		return nil
	}
	return root
}

var (
	syntaxLine    = words.Pattern(`^line (\d+): `)
	unknownAnchor = words.Pattern(`^unknown anchor '(.*)' referenced`)
	// The library counts lines from 0 in these errors.
	parserError = words.Pattern(`^did not find expected (<|node content|'-' indicator|key|',' or)`)
)

// syntax reports an error of the YAML library.
func (d *Decoder) syntax(err error, data []byte) {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	line := 1
	if m := syntaxLine().FindStringSubmatch(text); m != nil {
		line, _ = strconv.Atoi(m[1])
		text = text[len(m[0]):]
		if parserError().MatchString(text) {
			line++
		}
	}
	if strings.HasPrefix(text, "exceeded max depth") {
		d.Fail(line, "", tooDeep, maxDepth)
		return
	}
	if m := unknownAnchor().FindStringSubmatch(text); m != nil {
		before, _, _ := bytes.Cut(data, []byte("*"+m[1]))
		d.Fail(1+bytes.Count(before, []byte("\n")), "", "alias *%s has no anchor &%s before it; write the value out", m[1], m[1])
		return
	}
	for i, l := range strings.Split(string(data), "\n") {
		if indent := l[:len(l)-len(strings.TrimLeft(l, " \t"))]; strings.Contains(indent, "\t") && i+1 >= line {
			d.Fail(i+1, "", "the line is indented with a tab; use spaces")
			return
		}
	}
	d.Fail(line, "", "not valid YAML or JSON from this line on: %s; check indentation, colons, quotes and brackets", text)
}

// vet walks the document, follows aliases, and reports whether it is finite, small, flat enough and
// without explicit tags. A list in the root has depth 2.
func (d *Decoder) vet(n *yaml.Node, open map[*yaml.Node]bool, depth int, inAlias bool, aliased *int) bool {
	if depth > maxDepth && n.Kind != yaml.ScalarNode {
		d.Fail(n.Line, "", tooDeep, maxDepth)
		return false
	}
	if inAlias {
		if *aliased++; *aliased > maxAliased {
			d.Fail(n.Line, "", "the aliases of the file expand to more than %d values; write them out", maxAliased)
			return false
		}
	}
	if open[n] {
		d.Fail(n.Line, "", "anchor &%s contains itself", n.Anchor)
		return false
	}
	if n.Style&yaml.TaggedStyle != 0 {
		d.Fail(n.Line, "", "tag %s is not supported; remove it", n.Tag)
		return false
	}
	open[n] = true
	defer delete(open, n)
	if n.Kind == yaml.AliasNode {
		return d.vet(n.Alias, open, depth, true, aliased)
	}
	for _, c := range n.Content {
		if !d.vet(c, open, depth+1, inAlias, aliased) {
			return false
		}
	}
	return true
}

// pair is one key of a mapping and its value.
type pair struct {
	key   string
	line  int
	value *yaml.Node
}

// pairs lists the pairs of a mapping: first its own keys, then those added by merge keys (<<). It
// reports repeated keys.
func (d *Decoder) pairs(n *yaml.Node, path string) []pair {
	var own []pair
	var merged []*yaml.Node
	at := map[string]int{}
	for i := 0; i < len(n.Content); i += 2 {
		k, v := deref(n.Content[i]), n.Content[i+1]
		switch {
		case k.Kind != yaml.ScalarNode:
			d.Fail(k.Line, path, "a key must be text, not %s", describe(k))
		case k.Tag == "!!merge":
			if v = deref(v); v.Kind == yaml.SequenceNode { // the first takes precedence
				merged = append(merged, v.Content...)
			} else {
				merged = append(merged, v)
			}
		case at[k.Value] > 0:
			d.Fail(k.Line, path, "key %q is given twice, first on line %d; keep one", k.Value, at[k.Value])
		default:
			at[k.Value] = k.Line
			own = append(own, pair{k.Value, k.Line, v})
		}
	}
	for _, m := range merged {
		if m = deref(m); m.Kind != yaml.MappingNode {
			d.Fail(m.Line, path, "<< merges mappings, not %s", describe(m))
			continue
		}
		for _, p := range d.pairs(m, path) {
			if at[p.key] == 0 {
				at[p.key] = p.line
				own = append(own, p)
			}
		}
	}
	return own
}
