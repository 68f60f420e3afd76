// Package clients has no code in Go. Its folders hold what programs in other languages need to be
// algorithms or problems of suites; its tests run their examples.
package clients
