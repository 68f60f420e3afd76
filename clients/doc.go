// Package clients has no code in Go. Its folders hold clients of the protocol in other languages; its tests run
// their examples.
package clients
