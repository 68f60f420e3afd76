package algorithms

import (
	"errors"
	"fmt"
)

// Proof says whether a maximum over a box is proved to be the greatest.
type Proof struct {
	Proved     bool   `json:"proved"`        // the gap is at most the aim
	Why        string `json:"why,omitempty"` // if not
	*Enclosure        // nil if no proof was tried
}

// Enclosure bounds a maximum over a box from above.
type Enclosure struct {
	Upper float64 `json:"upper"` // no point of the box has more
	Gap   float64 `json:"gap"`   // Upper less the maximum
	Aim   float64 `json:"aim"`
	Cells int     `json:"cells"` // of the subdivision of the box
}

// ErrUnproved is wrapped by an error of Solve if a maximum was to be proved and is not,
// which is no fault of the data. Solve returns all results beside it.
var ErrUnproved = errors.New("not proved")

// Enclosed returns the proof that an enclosure is.
func Enclosed(e Enclosure) Proof { return Proof{Proved: e.Gap <= e.Aim, Enclosure: &e} }

// Err returns an error if a proof was tried and did not succeed; what names the maximum.
func (p Proof) Err(what string) error {
	if p.Proved || p.Enclosure == nil {
		return nil
	}
	return fmt.Errorf("%w: %s is at least %.6g and at most %.6g, a gap of %.3g where %.3g is the aim: %s", ErrUnproved, what, p.Upper-p.Gap, p.Upper, p.Gap, p.Aim, p.Why)
}

// Unproved returns the proof that was not tried, and says why: the box has too many
// dimensions, or none was wanted.
func Unproved(why string) Proof { return Proof{Why: why} }
