// Package chart says what a figure shows: its lines, bands, baselines, marks and
// captions. internal/analysis/figure draws it.
package chart
