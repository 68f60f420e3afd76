// Package console is what a person sees of a command: events while it works, a summary at its end, errors, and an exit code.
package console
