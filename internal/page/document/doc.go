// Package document holds tables and writes them as text, Markdown, CSV, LaTeX and HTML. A column is declared once, with its
// title, its key in CSV files and a function that makes the cell of a row; the cell knows its text and its numbers. Formulas
// are marked in texts, footnotes are texts that the writers number, and numbers of a kind look the same everywhere.
//
//	rows, Columns → Tabulate → Sheet → Document → WriteText, WriteMarkdown, WriteLaTeX, WriteHTML
//	rows, Columns → WriteCSV
package document
