// Package chart says what a figure shows: its lines, bands, baselines, marks and
// captions. A chart is a finished value: internal/page/figure draws it, and looks nothing up.
package chart
