package report

import (
	"fmt"
	"math"
	"strings"

	"popbench/internal/runlog"
)

// prior is what the runs of a group have in force at their first step.
type prior struct {
	known       bool     // of a run at least; records of format 1 do not tell
	families    []string // of the kernel, those that runs have
	variance    span
	lengthscale []span // by coordinate, or one for all
	norm        span
	refitted    bool
	fits        []fitted // to pilot comparisons, by coordinate, or one for all
}

func (p *prior) add(f *runlog.InForce) {
	if f == nil {
		return
	}
	p.known = true
	p.refitted = p.refitted || f.Refitted
	if f.NormBound > 0 {
		p.norm.add(f.NormBound)
	}
	k := f.Kernel
	if k == nil {
		return
	}
	family := k.Family
	if k.Nu > 0 {
		family += fmt.Sprintf(" (ν = %g)", k.Nu)
	}
	p.families = include(p.families, family)
	p.variance.add(k.Variance)
	for len(p.lengthscale) < len(k.Lengthscale) {
		p.lengthscale = append(p.lengthscale, span{})
	}
	for i, l := range k.Lengthscale {
		p.lengthscale[i].add(l)
	}
	if r := f.Range; r != nil {
		for len(p.fits) < len(r.Lo) {
			p.fits = append(p.fits, fitted{lo: r.Lo[len(p.fits)], hi: r.Hi[len(p.fits)]})
		}
		for i, l := range k.Lengthscale {
			p.fits[i].values = append(p.fits[i].values, l)
		}
	}
}

// lengthscales is one text if all coordinates have the same.
func (p *prior) lengthscales() string {
	var texts []string
	same := true
	for _, l := range p.lengthscale {
		texts = append(texts, l.String())
		same = same && texts[0] == l.String()
	}
	if same && texts != nil {
		return texts[0]
	}
	return strings.Join(texts, ", ")
}

// span is the range of some positive numbers; the zero value is of none.
type span struct{ lo, hi float64 }

func (s *span) add(v float64) {
	if *s == (span{}) {
		s.lo = v
	}
	s.lo, s.hi = math.Min(s.lo, v), math.Max(s.hi, v)
}

// String is "0.3", or "0.3 to 0.45" of numbers that differ; "" of none.
func (s span) String() string {
	lo, hi := fmt.Sprintf("%.4g", s.lo), fmt.Sprintf("%.4g", s.hi)
	switch {
	case s == span{}:
		return ""
	case lo == hi:
		return lo
	}
	return lo + " to " + hi
}

// prior is the sheet of the settings in force.
func (l *layout) prior() Sheet {
	s := l.start("prior", "Kernel and norm bound in force",
		"What the algorithms use at their first step, after disclosure and fitting; a range where the runs differ. Lengthscales are in units of x, one for each coordinate where these differ. Fitted again: lengthscales and variance change as it learns. The variance of DTS is that of a duel: twice that of f, but for its prior preference.")
	column := func(title string, text func(*Row) string) {
		l.column(&s, title, func(row *Row) Cell { return Cell{Text: text(row)} })
	}
	column("Disclosed", func(row *Row) string {
		if d := row.Algorithm.Disclosed; d != runlog.DisclosedNone {
			return string(d)
		}
		return ""
	})
	column("Kernel", func(row *Row) string { return strings.Join(row.prior.families, "; ") })
	column("Variance", func(row *Row) string { return row.prior.variance.String() })
	column("Lengthscales", func(row *Row) string { return row.prior.lengthscales() })
	column("Norm bound", func(row *Row) string { return row.prior.norm.String() })
	column("Fitted again", func(row *Row) string {
		if row.prior.refitted {
			return "yes"
		}
		return ""
	})
	return s
}

// unknownPrior is about records of format 1.
const unknownPrior = "The records are of format 1, which does not tell the kernel and the norm bound in force: after disclosure and fitting they may be others than in the settings."
