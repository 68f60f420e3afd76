package config

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Oracle describes how the oracle answers. A file may give the model alone.
type Oracle struct {
	Model     string      `json:"model" enum:"logistic,probit,flip,noiseless" doc:"Probability that a point wins whose utility is larger by d. logistic: 1/(1+exp(-d/scale)), Bradley-Terry-Luce; probit: the normal distribution function of d/scale; flip: the better wins with probability 1 - error_rate; noiseless: the better always wins. Queries of more than two points need logistic (exp(f/scale), normalised) or noiseless, without jnd."`
	Scale     OracleScale `json:"scale,omitzero" doc:"Scale of the noise on the difference, in units of scaled utility; 1 by default. A number, or {lo, hi} for another in each repetition, log-uniform."`
	ErrorRate *float64    `json:"error_rate,omitempty" min:"0" max:"0.5" doc:"flip: probability that the worse point wins. logistic and probit: in place of scale, which is computed so that this share of the pairs of the points under on is misjudged, without regard to jnd."`
	On        string      `json:"on,omitempty" doc:"With a computed scale: the best points whose pairs are meant, as top-P%; top-1% by default."`
	Points    int         `json:"points,omitempty" min:"2" max:"100000000" doc:"With a computed scale: number of random points among which the best are found; 1,000,000 by default. External problems are evaluated at each; they need this key. Finite sets of arms use all arms."`
	JND       float64     `json:"jnd,omitempty" min:"0" max:"1e100" doc:"Just-noticeable difference, in units of scaled utility: within it the answer is a tie. 0: no ties."`
	Ties      string      `json:"ties,omitempty" enum:"latent,hard" doc:"What jnd is compared with. latent (the default of logistic and probit): the difference with its noise; hard (the default of flip and noiseless): the difference itself."`
}

// OracleScale is the scale of the noise: Value, or a range from which each repetition draws one.
type OracleScale struct {
	Value float64 `json:"value,omitempty" min:"1e-100" max:"1e100" doc:"The scale of every repetition."`
	Lo    float64 `json:"lo,omitempty" min:"1e-100" max:"1e100" doc:"The smallest scale of a repetition."`
	Hi    float64 `json:"hi,omitempty" min:"1e-100" max:"1e100" doc:"The largest scale of a repetition."`
}

// The models of oracles.
const (
	OracleLogistic = "logistic"
	OracleProbit   = "probit"
	OracleFlip     = "flip"
)

// What a just-noticeable difference is compared with.
const (
	TiesLatent = "latent"
	TiesHard   = "hard"
)

func (o *Oracle) setDefaults() { o.Model = OracleLogistic }

// alone returns the key that a text instead of a mapping sets.
func (Oracle) alone() string { return "model" }

// alone returns the key that a number instead of a mapping sets.
func (OracleScale) alone() string { return "value" }

// latent reports whether the model has noise with a scale.
func (o *Oracle) latent() bool { return o.Model == OracleLogistic || o.Model == OracleProbit }

// Calibrated reports whether the scale is computed from an error rate.
func (o *Oracle) Calibrated() bool { return o.ErrorRate != nil && o.latent() }

// Drawn reports whether each repetition has its own scale.
func (o *Oracle) Drawn() bool { return o.Scale.Hi > 0 }

// batches reports whether the oracle answers queries of more than two points; see problems.Model.
func (o *Oracle) batches() bool {
	return o.JND == 0 && o.Model != OracleProbit && o.Model != OracleFlip
}

// unit reports whether this is the oracle of suites without the key.
func (o *Oracle) unit() bool {
	return o.Model == OracleLogistic && o.Scale == OracleScale{Value: 1} && !o.Calibrated() && o.JND == 0
}

// Percent returns the number in On.
func (o *Oracle) Percent() float64 {
	p, _ := parsePercent(o.On)
	return p
}

// parsePercent reads the share of best points, such as top-1%.
func parsePercent(text string) (float64, error) {
	digits, isTop := strings.CutPrefix(text, "top-")
	digits, isShare := strings.CutSuffix(digits, "%")
	p, err := strconv.ParseFloat(digits, 64)
	if err != nil || !isTop || !isShare || !(p > 0 && p <= 100) {
		return 0, errors.New("is not a share of the best points; give top-P% with P above 0 and up to 100, e.g. top-1%")
	}
	return p, nil
}

// OracleFor returns how the oracle answers on a problem, defaults included; nil for the Bradley-Terry-Luce model with
// scale 1.
func (s *Suite) OracleFor(p Problem) *Oracle {
	o := s.Oracle
	if p.Oracle != nil {
		o = p.Oracle
	}
	if o == nil || o.unit() {
		return nil
	}
	return o
}

// From how many points, and from which of them, a scale is computed. The number determines it to about one per cent.
const (
	defaultPoints = 1_000_000
	defaultOn     = "top-1%"
)

// checkOracle checks the keys of an oracle that depend on each other, and sets their defaults.
func (d *decoder) checkOracle(o *Oracle, path string) {
	if o == nil {
		return
	}
	given := func(key string) bool { return d.lines[path+"."+key] > 0 }
	refuse := func(why string, keys ...string) {
		for _, key := range keys {
			if given(key) {
				d.failAt(path+"."+key, "is given, but %s; remove it", why)
			}
		}
	}
	switch {
	case d.failed(path + ".model"):
		return
	case !o.latent():
		refuse("the model "+o.Model+" has no scale", "scale", "on", "points")
		if o.Model != OracleFlip {
			refuse("the model "+o.Model+" makes no errors", "error_rate")
		} else if o.ErrorRate == nil && !d.failed(path+".error_rate") {
			d.failAt(path+".error_rate", "is missing; the model flip needs the probability that the worse point wins")
		}
	case o.Calibrated():
		refuse("error_rate is given too", "scale")
		if r := *o.ErrorRate; r == 0 || r == 0.5 {
			d.failAt(path+".error_rate", "is %g, which no scale has; give a rate between 0 and 0.5, or model: noiseless", r)
		}
		if o.On == "" {
			o.On = defaultOn
		}
		if _, err := parsePercent(o.On); err != nil {
			d.failAt(path+".on", "%q %v", shorten(o.On), err)
		}
	default:
		refuse("there is no error_rate", "on", "points")
		switch v := o.Scale; {
		case d.failed(path+".scale") || d.failed(path+".scale.lo") || d.failed(path+".scale.hi") || d.failed(path+".scale.value"):
		case v == OracleScale{}:
			o.Scale.Value = 1
		case v.Value != 0 && (v.Lo != 0 || v.Hi != 0) || v.Value == 0 && (v.Lo == 0 || v.Hi == 0):
			d.failAt(path+".scale", "needs a number, or lo and hi")
		case v.Value == 0 && v.Lo >= v.Hi:
			d.failAt(path+".scale", "has lo = %g and hi = %g; give the smaller as lo", v.Lo, v.Hi)
		}
	}
	switch {
	case o.JND == 0:
		refuse("there is no jnd", "ties")
	case o.Ties == "" && !d.failed(path+".ties"):
		o.Ties = TiesHard
		if o.latent() {
			o.Ties = TiesLatent
		}
	case o.Ties == TiesLatent && !o.latent():
		d.failAt(path+".ties", "is latent, but the model %s has no noise on the difference; give hard", o.Model)
	}
}

// checkOracles checks the oracle of each problem together with the problem and the algorithms.
func (d *decoder) checkOracles(s *Suite) {
	before := len(d.issues)
	d.checkOracle(s.Oracle, "oracle")
	for i := range s.Problems {
		d.checkOracle(s.Problems[i].Oracle, fmt.Sprintf("problems[%d].oracle", i))
	}
	if len(d.issues) > before {
		return
	}
	for i := range s.Problems {
		p := &s.Problems[i]
		at := fmt.Sprintf("problems[%d].oracle", i)
		if p.Oracle == nil {
			at = "oracle"
		}
		o := s.OracleFor(*p)
		if o == nil {
			continue
		}
		if s.Paper != "" && !d.failed(at) {
			d.failAt(at, "is not the paper's, which is logistic with scale 1; remove it, or the key paper")
		}
		if o.Calibrated() && o.Points == 0 && p.External() {
			d.failAt(at+".points", "is missing; %s is external and would be evaluated at every point, so say how many", p.ID())
		}
		for j := range s.Algorithms {
			a := &s.Algorithms[j]
			settings, ok := a.SettingsFor(p.ID()).(interface{ AsksBatches() bool })
			if ok && settings.AsksBatches() && !o.batches() {
				d.failAt(at, "answers duels only, but %s compares more points in a query on %s; give logistic or noiseless without jnd, or a batch of 1", a.Label, p.ID())
			}
			if o.Drawn() && a.Pilot.Comparisons > 0 && a.Pilot.Per == PerProblem {
				d.failAt(fmt.Sprintf("algorithms[%d].pilot.per", j), "is problem, but each repetition on %s has its own oracle; give per: repetition", p.ID())
			}
		}
	}
	for _, p := range s.Problems {
		if o := s.OracleFor(p); o != nil && o.Calibrated() && o.Points == 0 {
			o.Points = defaultPoints
		}
	}
}
