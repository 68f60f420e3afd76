// Package charting makes the charts of results: which lines stand in them, in which style, beside which numbers of the paper.
package charting
