package chart

import (
	"fmt"
	"strings"

	"popbench/internal/page/document"
	"popbench/internal/words"
)

// DoseCaption explains a dose–response figure of several problems.
func DoseCaption(doses []*Chart) document.Text {
	d := doses[0]
	where := document.Plain(d.Title)
	if len(doses) > 1 {
		where = document.Plain(words.Count(len(doses), "problem"))
	}
	caption := document.Textf("%s after %s on %s, by %s: mean over %s, with its 95\u00a0%% bootstrap interval. %s.",
		words.Capital(d.What), words.Count(d.Steps, "step"), where, document.Plain(d.Sweep.Setting), overRuns(d), words.Capital(d.Better))
	switch {
	case d.LogSweep && d.Log:
		caption += " Both axes are logarithmic."
	case d.LogSweep:
		caption += " The axis of the setting is logarithmic."
	case d.Log:
		caption += " The vertical axis is logarithmic."
	}
	return caption + AboutBestFound(doses...)
}

// DoseAlt says what a reader would see.
func DoseAlt(doses []*Chart) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s by %s.", words.Capital(doses[0].What), doses[0].Sweep.Setting)
	for _, d := range doses {
		fmt.Fprintf(&b, " %s:", d.Title)
		for k, v := range d.Sweep.Values {
			fmt.Fprintf(&b, " at %g %s", v, document.MeanInterval(&d.Lines[0].Points[k]))
			b.WriteByte(map[bool]byte{true: '.', false: ';'}[k == len(d.Sweep.Values)-1])
		}
	}
	return b.String()
}
