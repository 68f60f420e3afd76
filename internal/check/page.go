package check

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
)

// Elements returns the start tags of a page, in order. It ends the test if the page is not well-formed, as when an element
// is left open.
func Elements(t testing.TB, page string) (all []xml.StartElement) {
	t.Helper()
	for d := xml.NewDecoder(strings.NewReader(page)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatalf("the page is not well-formed: %v", err)
		}
		if e, ok := token.(xml.StartElement); ok {
			all = append(all, e)
		}
	}
}
