package report

import (
	_ "embed"
	"html/template"
	"io"

	"popbench/internal/analysis/document"
)

//go:embed document.tmpl
var documentSource string

var documentTemplate = template.Must(template.Must(pageTemplate.Clone()).New("document").Parse(documentSource))

// WriteDocumentHTML writes a document that has no figures as a page of its own,
// with links above it.
func WriteDocumentHTML(w io.Writer, d *document.Document, links []Link) error {
	var sheets []pageSheet
	for i := range d.Sheets {
		sheets = append(sheets, pageSheet{Sheet: &d.Sheets[i]})
	}
	return documentTemplate.Execute(w, struct {
		*document.Document
		CSS    template.CSS
		Links  []Link
		Sheets []pageSheet
	}{d, template.CSS(pageCSS), links, sheets})
}
