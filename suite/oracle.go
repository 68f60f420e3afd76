package suite

import (
	"fmt"

	"popbench/internal/strict"
	"popbench/problems"
)

// checkOracle checks the keys of an oracle that depend on each other, and sets their defaults.
func (d *checker) checkOracle(o *Oracle, path string) {
	if o == nil {
		return
	}
	given := func(key string) bool { return d.Given(path + "." + key) }
	refuse := func(why string, keys ...string) {
		for _, key := range keys {
			if given(key) {
				d.FailAt(path+"."+key, "is given, but %s; remove it", why)
			}
		}
	}
	switch {
	case d.Failed(path + ".model"):
		return
	case !o.latent():
		refuse("the model "+o.Model+" has no scale", "scale", "on", "points")
		if o.link() != problems.Flip {
			refuse("the model "+o.Model+" makes no errors", "error_rate")
		} else if o.ErrorRate == nil && !d.Failed(path+".error_rate") {
			d.FailAt(path+".error_rate", "is missing; the model flip needs the probability that the worse point wins")
		}
	case o.calibrated():
		refuse("error_rate is given too", "scale")
		if r := *o.ErrorRate; (r == 0 || r == 0.5) && !d.Failed(path+".error_rate") {
			d.FailAt(path+".error_rate", "is %g, which no scale has; give a rate between 0 and 0.5, or model: noiseless", r)
		}
		if o.On == "" {
			o.On = defaultOn
		}
		if _, err := parsePercent(o.On); err != nil {
			d.FailAt(path+".on", "%q %v", strict.Shorten(o.On), err)
		}
	default:
		refuse("there is no error_rate", "on", "points")
		switch v := o.Scale; {
		case d.Failed(path+".scale") || d.Failed(path+".scale.lo") || d.Failed(path+".scale.hi") || d.Failed(path+".scale.value"):
		case v == OracleScale{}:
			o.Scale.Value = 1
		case v.Value != 0 && (v.Lo != 0 || v.Hi != 0) || v.Value == 0 && (v.Lo == 0 || v.Hi == 0):
			d.FailAt(path+".scale", "needs a number, or lo and hi")
		case v.Value == 0 && v.Lo >= v.Hi:
			d.FailAt(path+".scale", "has lo = %g and hi = %g; give the smaller as lo", v.Lo, v.Hi)
		}
	}
	switch {
	case o.JND == 0:
		refuse("there is no jnd", "ties")
	case o.Ties == "" && !d.Failed(path+".ties"):
		o.Ties = TiesHard
		if o.latent() {
			o.Ties = TiesLatent
		}
	case o.Ties == TiesLatent && !o.latent():
		d.FailAt(path+".ties", "is latent, but the model %s has no noise on the difference; give hard", o.Model)
	}
}

// checkOracles checks the oracle of each problem together with the problem and the algorithms.
func (d *checker) checkOracles(s *Suite) {
	before := d.Count()
	d.checkOracle(s.Oracle, "oracle")
	for i := range s.Problems {
		d.checkOracle(s.Problems[i].Oracle, fmt.Sprintf("problems[%d].oracle", i))
	}
	if d.Count() > before {
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
		if s.Paper != "" && !d.Failed(at) {
			d.FailAt(at, "is not the paper's, which is logistic with scale 1; remove it, or the key paper")
		}
		if o.calibrated() && o.Points == 0 && p.External() {
			d.FailAt(at+".points", "is missing; %s is external and would be evaluated at every point, so say how many", p.ID())
		}
		for j := range s.Algorithms {
			a := &s.Algorithms[j]
			settings, ok := a.SettingsFor(p.ID()).(interface{ AsksBatches() bool })
			if ok && settings.AsksBatches() && !(problems.Model{Link: o.link(), JND: o.JND}).Batches() {
				d.FailAt(at, "answers duels only, but %s compares more points in a query on %s; give logistic or noiseless without jnd, or a batch of 1",
					a.Label, p.ID())
			}
			if a.Of == "" && o.drawn() && a.Pilot.Comparisons > 0 && a.Pilot.Per == PerProblem {
				d.FailAt(s.entry(j)+".pilot.per", "is problem, but each repetition on %s has its own oracle; give per: repetition", p.ID())
			}
		}
	}
	for _, p := range s.Problems {
		if o := s.OracleFor(p); o != nil && o.calibrated() && o.Points == 0 {
			o.Points = defaultPoints
		}
	}
}
