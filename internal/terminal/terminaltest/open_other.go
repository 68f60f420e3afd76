//go:build !linux

package terminaltest

import (
	"errors"
	"os"
)

func open(int) (program, person *os.File, err error) { return nil, nil, errors.ErrUnsupported }
