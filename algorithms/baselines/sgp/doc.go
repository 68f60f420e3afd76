// Package sgp is the skew Gaussian process.
package sgp
