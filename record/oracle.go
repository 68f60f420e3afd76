package record

import (
	"errors"
	"fmt"
	"slices"
)

// Oracle says how the oracle of a run answers. Without one it is the Bradley-Terry-Luce model: logistic with scale 1.
type Oracle struct {
	Model string `json:"model"` // logistic | probit | flip | noiseless
	// Scale is the scale of the noise in this run; 0 if the model has no scale, or if the cell failed before it was known.
	Scale      float64     `json:"scale,omitempty"`
	ScaleRange *ScaleRange `json:"scale_range,omitempty"` // from which each repetition draws its scale; nil if none does
	ErrorRate  *float64    `json:"error_rate,omitempty"`  // of the model flip
	JND        float64     `json:"jnd,omitempty"`         // just-noticeable difference; 0 if there are no ties
	Ties       string      `json:"ties,omitempty"`        // what JND is compared with: latent | hard
	// Calibration says how Scale was computed from an error rate; nil if it was not.
	Calibration *Calibration `json:"calibration,omitempty"`
}

// ScaleRange has the ends of a range of scales.
type ScaleRange struct {
	Lo float64 `json:"lo"`
	Hi float64 `json:"hi"`
}

// Calibration is the computation of a scale: the mean probability that the worse point of a pair wins, over pairs of
// the best points, is at most ErrorRate at the lower end of Bracket and at least ErrorRate at the upper end.
type Calibration struct {
	ErrorRate float64 `json:"error_rate"`
	On        string  `json:"on"` // the best points, e.g. top-1%
	// The rest is missing in the record of a cell that failed before the calibration.
	Status     string      `json:"status,omitempty"` // converged
	Bracket    *ScaleRange `json:"bracket,omitempty"`
	Points     int         `json:"points,omitempty"`     // sampled, or all arms
	Top        int         `json:"top,omitempty"`        // the best of the points
	Pairs      int         `json:"pairs,omitempty"`      // pairs of the best points that the mean is over
	Exact      bool        `json:"exact,omitempty"`      // all pairs of the best of all arms
	Iterations int         `json:"iterations,omitempty"` // evaluations of the mean
}

// Converged is the status of a calibration that succeeded. Any other status fails the cell.
const Converged = "converged"

// Kind is what the runs with the same oracle have in common, on one line. A nil o is the Bradley-Terry-Luce oracle.
func (o *Oracle) Kind() string {
	if o == nil {
		return "logistic with scale 1 (Bradley–Terry–Luce)"
	}
	text := o.Model
	switch {
	case o.ErrorRate != nil:
		text += fmt.Sprintf(" with error rate %g", *o.ErrorRate)
	case o.Calibration != nil:
		text += fmt.Sprintf(" with error rate %g on the pairs of %s", o.Calibration.ErrorRate, o.Calibration.On)
	case o.ScaleRange != nil:
		text += fmt.Sprintf(" with a scale from %g to %g in each repetition", o.ScaleRange.Lo, o.ScaleRange.Hi)
	case o.Scale != 0:
		text += fmt.Sprintf(" with scale %g", o.Scale)
	}
	if o.JND != 0 {
		text += fmt.Sprintf(", ties within %g (%s)", o.JND, o.Ties)
	}
	return text
}

// check returns an error that names the first invalid field. instance: the run has begun, so that the scale is known.
func (o *Oracle) check(instance bool) error {
	if o == nil {
		return nil
	}
	noisy := o.Model == "logistic" || o.Model == "probit"
	positive := func(v float64) bool { return v > 0 && finite(v) }
	switch {
	case !noisy && o.Model != "flip" && o.Model != "noiseless":
		return fmt.Errorf("model is %.40q, not logistic, probit, flip or noiseless", o.Model)
	case o.Scale != 0 && !positive(o.Scale), noisy && instance && o.Scale == 0, !noisy && (o.Scale != 0 || o.ScaleRange != nil || o.Calibration != nil):
		return fmt.Errorf("scale = %g, scale_range or calibration does not fit the model %s", o.Scale, o.Model)
	case o.ScaleRange != nil && !(positive(o.ScaleRange.Lo) && o.ScaleRange.Lo < o.ScaleRange.Hi && finite(o.ScaleRange.Hi)):
		return fmt.Errorf("scale_range [%g, %g] is not a range of scales", o.ScaleRange.Lo, o.ScaleRange.Hi)
	case (o.ErrorRate != nil) != (o.Model == "flip") || o.ErrorRate != nil && !(*o.ErrorRate >= 0 && *o.ErrorRate <= 0.5):
		return errors.New("error_rate is not that of the model flip, 0 to 0.5")
	case !(o.JND >= 0 && finite(o.JND)) || (o.JND > 0) != slices.Contains([]string{"latent", "hard"}, o.Ties) || o.JND == 0 && o.Ties != "":
		return fmt.Errorf("jnd = %g and ties = %.40q do not fit", o.JND, o.Ties)
	}
	c := o.Calibration
	if c == nil {
		return nil
	}
	var percent float64
	if n, err := fmt.Sscanf(c.On, "top-%g%%", &percent); n != 1 || err != nil || c.On != fmt.Sprintf("top-%g%%", percent) {
		return fmt.Errorf("calibration.on is %.40q, not top-P%%", c.On)
	}
	switch {
	case !(c.ErrorRate > 0 && c.ErrorRate < 0.5):
		return fmt.Errorf("calibration.error_rate = %g, not between 0 and 0.5", c.ErrorRate)
	case c.Status == "" && o.Scale == 0:
		return nil
	case c.Status != Converged:
		return fmt.Errorf("calibration.status is %.40q, not %s", c.Status, Converged)
	case c.Bracket == nil || !(c.Bracket.Lo <= o.Scale && o.Scale <= c.Bracket.Hi):
		return fmt.Errorf("calibration.bracket does not contain the scale %g", o.Scale)
	case c.Top < 2 || c.Points < c.Top || c.Pairs < 1 || c.Iterations < 1:
		return fmt.Errorf("calibration has %d points, %d top ones, %d pairs and %d iterations, which is not possible", c.Points, c.Top, c.Pairs, c.Iterations)
	}
	return nil
}
