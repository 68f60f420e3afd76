package verify

import "popbench/internal/page/document"

// texts is a column of words, or of numbers that are words.
func texts[R any](title document.Text, of func(R) string) document.Column[R] {
	return document.Column[R]{Title: title, Words: true, Of: func(r R) document.Cell { return document.Words(of(r)) }}
}

// prose is a column of words with formulas.
func prose[R any](title document.Text, of func(R) document.Text) document.Column[R] {
	return document.Column[R]{Title: title, Words: true, Of: func(r R) document.Cell { return document.Prose(of(r)) }}
}

// numbers is a column of numbers.
func numbers[R any](title document.Text, of func(R) document.Cell) document.Column[R] {
	return document.Column[R]{Title: title, Of: of}
}
