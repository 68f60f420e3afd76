// Package words has what texts for people have in common: counts and lists in English, the name that a misspelt one
// means, and the rules for text on one line. Names, labels and titles appear in tables, pages, file names and terminals,
// where a control character would change what the reader sees. Suite files and records are checked by these rules. All
// other external text, such as a file name, is quoted where it is shown.
package words
