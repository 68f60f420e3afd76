// Package strict reads YAML and JSON into Go values by one set of rules: every key is known, every value has its type and is
// in its range, and an error has a line for each mistake. The tags of the Go types alone define what a file may contain:
//
//	json      the key
//	doc       what it means, for the schema and for bench list
//	required "true" if the key is mandatory, or the keys that may replace it, separated by commas
//	enum      the allowed texts, separated by commas
//	min, max  the allowed range of a number, or of the length of a list
//	itemMin, itemMax
//	          the allowed range of each number in a list
package strict
