package algorithms

import (
	"errors"
	"fmt"
)

// Proof says whether a computed maximum over a box is proved to be the global one.
type Proof struct {
	Proved     bool   `json:"proved"`        // if the gap is at most the aim
	Why        string `json:"why,omitempty"` // the reason if it is not proved
	*Enclosure        // nil if no proof was tried
}

// Enclosure bounds a maximum over a box from above.
type Enclosure struct {
	Upper float64 `json:"upper"` // no point of the box has a larger value
	Gap   float64 `json:"gap"`   // Upper minus the computed maximum
	Aim   float64 `json:"aim"`
	Cells int     `json:"cells"` // number of cells in the subdivision of the box
}

// ErrUnproved is wrapped by an error of Solve if a proof of a maximum was tried and failed. That is no fault of
// the data. Solve returns all its results together with the error.
var ErrUnproved = errors.New("not proved")

// Enclosed returns the proof that an enclosure gives.
func Enclosed(e Enclosure) Proof { return Proof{Proved: e.Gap <= e.Aim, Enclosure: &e} }

// Err returns an error if a proof was tried and failed. what names the maximum.
func (p Proof) Err(what string) error {
	if p.Proved || p.Enclosure == nil {
		return nil
	}
	return fmt.Errorf("%w: %s is at least %.6g and at most %.6g, a gap of %.3g where %.3g is the aim: %s",
		ErrUnproved, what, p.Upper-p.Gap, p.Upper, p.Gap, p.Aim, p.Why)
}

// Unproved returns a proof that was not tried, and the reason: the box has too many dimensions, or no proof was
// wanted.
func Unproved(why string) Proof { return Proof{Why: why} }
