package verify

import (
	"encoding/json"
	"io"
	"math"

	"popbench/internal/claims"
	"popbench/internal/judge"
	"popbench/internal/math/stats"
	"popbench/internal/page/document"
	"popbench/internal/words"
)

// The JSON form. Missing numbers and infinite ends of a region are null.
type (
	// Written is all that is known of the verdicts.
	Written struct {
		Warnings []string       `json:"warnings,omitempty"`
		Paper    string         `json:"paper"`
		Plan     *jsonPlan      `json:"plan,omitempty"`
		Counts   map[string]int `json:"counts"`
		Level    float64        `json:"level"`
		Claims   []WrittenClaim `json:"claims"`
	}
	// WrittenClaim is a claim and what came out.
	WrittenClaim struct {
		ID      string      `json:"id"`
		Where   string      `json:"where"`
		Ours    bool        `json:"ours,omitempty"`
		Short   string      `json:"short"`
		Says    string      `json:"says"`
		Read    string      `json:"checked_as"`
		Known   []string    `json:"known"`
		Verdict string      `json:"verdict"`
		Why     string      `json:"why"`
		Fresh   int         `json:"fresh_runs,omitempty"`      // by which a plan decided it
		Earlier string      `json:"earlier_verdict,omitempty"` // by the runs before the plan
		Parts   []jsonCheck `json:"parts"`
		Beside  []jsonCheck `json:"beside"`
	}
	jsonCheck struct {
		Statistic string         `json:"statistic"`
		Note      string         `json:"note,omitempty"`
		Samples   []claims.Place `json:"samples"`
		Runs      int            `json:"runs"`
		Value     *float64       `json:"value"`
		CI        *[2]*float64   `json:"ci"`
		Joint     *[2]*float64   `json:"joint_ci"`
		Claimed   [2]*float64    `json:"claimed"`
		Paper     *float64       `json:"paper"`
		Verdict   string         `json:"verdict"`
		Missing   string         `json:"missing,omitempty"`
		Pilot     int            `json:"shared_pilot,omitempty"` // comparisons of the one draw that the intervals are conditional on
		Decided   *jsonDecided   `json:"decided,omitempty"`      // by the plan, value and ci being its estimate and repeated interval
	}
	jsonDecided struct {
		Look     int          `json:"look"`
		Reason   string       `json:"reason"`
		Estimate *float64     `json:"estimate"` // corrected for stopping
		Adjusted *[2]*float64 `json:"adjusted_ci"`
		Border   *float64     `json:"border"`
		Margin   *float64     `json:"margin"`
		Looks    []jsonLook   `json:"looks"`
	}
	jsonLook struct {
		Runs  int          `json:"runs"`
		Value *float64     `json:"value"`
		CI    *[2]*float64 `json:"repeated_ci"`
	}
	jsonPlan struct {
		SHA256   string   `json:"sha256"`
		Replaces []string `json:"replaces,omitempty"`
		Open     bool     `json:"open,omitempty"` // it asks for more runs
	}
)

// Is is the verdict, of which Verdict may say more than a badge does; "" if it is none.
func (c WrittenClaim) Is() judge.Verdict {
	for _, v := range judge.All() {
		if c.Verdict == said(v) {
			return v
		}
	}
	return ""
}

// WriteJSON writes [Written].
func WriteJSON(w io.Writer, v *judge.Verdicts) error {
	out := Written{Warnings: warnings(v), Paper: v.Study().Paper.String(), Counts: map[string]int{}, Level: judge.Level}
	if v.Plan != nil {
		out.Plan = &jsonPlan{v.Plan.Hash(), v.Plan.Replaces, v.Open}
	}
	for _, verdict := range v.Kinds() {
		out.Counts[said(verdict)] = v.Count(verdict)
	}
	for _, o := range v.Outcomes {
		c := o.Claim
		out.Claims = append(out.Claims, WrittenClaim{c.ID, c.Where, c.Ours, c.Short.String(), c.Says.String(), c.Read.String(),
			words.Each(c.Known, document.Text.String), said(o.Verdict), why(o).String(), o.Cost.Runs, said(o.Earlier),
			jsonChecks(o.Parts), jsonChecks(o.Beside)})
	}
	return words.WriteJSON(w, out, "  ")
}

// Decided reports whether a file that WriteJSON has written has the verdicts by a plan, and needs no more runs.
func Decided(p *judge.Plan, claims []byte) bool {
	var file Written
	return json.Unmarshal(claims, &file) == nil && file.Plan != nil && file.Plan.SHA256 == p.Hash() && !file.Plan.Open
}

func jsonChecks(findings []*judge.Finding) []jsonCheck {
	checks := []jsonCheck{}
	for _, f := range findings {
		j := jsonCheck{
			Statistic: f.What.String(), Note: f.Note.String(), Runs: f.Runs, Value: judge.Number(f.Value), CI: ends(f.CI), Joint: ends(f.Joint),
			Claimed: [2]*float64{judge.Number(f.Region.Lo), judge.Number(f.Region.Hi)}, Paper: judge.Number(f.Printed), Verdict: said(f.Verdict),
			Missing: f.Missing, Pilot: f.SharedPilot, Samples: words.Each(f.Samples, func(s claims.Sample) claims.Place { return s.Place }),
		}
		if d := f.Decided; d != nil {
			j.Decided = &jsonDecided{Look: len(d.Looks), Reason: d.Reason, Estimate: judge.Number(d.Estimate), Adjusted: ends(d.Adjusted),
				Border: judge.Number(d.Border), Looks: []jsonLook{}}
			if d.Margin > 0 {
				j.Decided.Margin = &d.Margin
			}
			for _, look := range d.Looks {
				j.Decided.Looks = append(j.Decided.Looks, jsonLook{look.Runs, judge.Number(look.Value), ends(look.Interval)})
			}
		}
		checks = append(checks, j)
	}
	return checks
}

func ends(ci stats.Interval) *[2]*float64 {
	if math.IsNaN(ci.Lo) {
		return nil
	}
	return &[2]*float64{judge.Number(ci.Lo), judge.Number(ci.Hi)}
}
