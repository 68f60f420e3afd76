// Package about writes what every page says of itself: the paper behind it, what preferential optimisation is, its methods
// and metrics in a sentence each, and how to cite.
package about
