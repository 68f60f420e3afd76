package bench

import (
	"context"
	"errors"
	"flag"
	"io"
)

// voice is how much a command prints.
type voice struct{ quiet, verbose bool }

// declare declares the flags; whole is the help of --verbose.
func (v *voice) declare(flags *flag.FlagSet, whole string) {
	flags.BoolVar(&v.quiet, "quiet", false, "print only errors and one line with the result")
	flags.BoolVar(&v.verbose, "verbose", false, whole)
	flags.BoolVar(&v.verbose, "v", false, "the same as --verbose")
}

// of returns an action that prints no progress and no notes if the voice is quiet.
func (v *voice) of(act action) action {
	return func(ctx context.Context, stdout, stderr io.Writer, args []string) error {
		switch {
		case v.quiet && v.verbose:
			return errors.New("--quiet and --verbose exclude each other; give one of them")
		case v.quiet:
			stderr = io.Discard
		}
		return act(ctx, stdout, stderr, args)
	}
}
