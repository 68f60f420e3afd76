package charting

import (
	"popbench/internal/outcome"
	"popbench/internal/page/chart"
	"popbench/internal/page/document"
	"popbench/internal/words"
)

// quantity is what the charts of a metric show.
func quantity(metric outcome.Metric) chart.Quantity {
	q := chart.Quantity{Metric: metric}
	share := func(what string, set document.Text) chart.Quantity {
		q.What, q.Share = what, true
		q.About = "Share of %[2]s in which the truth is inside " + set + " after the step, on %[1]s; %[3]s: its 95\u00a0%% Wilson interval. Higher is better."
		return q
	}
	switch metric {
	case outcome.InSet:
		return share("share of runs with the truth inside", "the confidence set")
	case outcome.InLikelihoodSet:
		return share("share of runs with the truth likely enough", "the likelihood part of the confidence set")
	case outcome.RelativeRegret:
		q.What = "cumulative regret relative to step 1"
		q.About = "$R_t / R_1$ on %[1]s, both axes logarithmic: of the mean over %[2]s, with its 95\u00a0%% bootstrap interval as a band, and as the paper prints it."
		return q
	}
	m := outcome.Find(metric)
	q.What, q.Better, q.Sum, q.Mean = m.Title, m.Better(), m.Over == outcome.Sum, true
	if metric == outcome.Suboptimality {
		q.What = "suboptimality of the recommended point"
	}
	q.About = document.Plain(words.Capital(q.What)) + " on %[1]s: mean over %[2]s; %[3]s: its 95\u00a0%% bootstrap interval. " +
		document.Plain(words.Capital(q.Better)) + "."
	return q
}
