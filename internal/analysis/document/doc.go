// Package document holds tables, cells, footnotes and number formats, and writes
// them as text, Markdown, CSV and LaTeX.
package document
