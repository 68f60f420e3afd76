package report

import (
	_ "embed"
	"html/template"
	"io"

	"popbench/internal/analysis/document"
	"popbench/internal/analysis/figure"
)

//go:embed document.tmpl
var documentSource string

var documentTemplate = template.Must(template.Must(pageTemplate.Clone()).New("document").Parse(documentSource))

// WriteDocumentHTML writes a document as a page of its own, with figures by the ID of
// their sheet, and with links above it.
func WriteDocumentHTML(w io.Writer, d *document.Document, figures map[string][]PageFigure, links []Link) error {
	var sheets []pageSheet
	for i := range d.Sheets {
		sheets = append(sheets, pageSheet{Sheet: &d.Sheets[i], Figures: figures[d.Sheets[i].ID]})
	}
	css := template.CSS(pageCSS)
	if figures != nil {
		css += figure.InlineCSS
	}
	return documentTemplate.Execute(w, struct {
		*document.Document
		CSS    template.CSS
		Links  []Link
		Sheets []pageSheet
	}{d, css, links, sheets})
}
