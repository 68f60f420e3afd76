package browser

import (
	"path/filepath"
	"strings"
	"testing"

	"popbench/internal/check"
	"popbench/internal/views/report/reporttest"
	"popbench/internal/views/verify"
)

// claimsPage writes the page of claims about the records of [reporttest.Ackley].
func claimsPage(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	check.OK(t, reporttest.Ackley(8).Write(filepath.Join(dir, "paper-ackley-6d")))
	verified(t, dir)
	return filepath.Join(dir, verify.Page)
}

// cards are the claims that can be seen, and whether the page says that there are none.
func (b *tab) cards() string {
	return strings.Join(ask[[]string](b, `[...document.querySelectorAll('.claim, .none')].filter(e => e.checkVisibility()).map(e => e.id || 'none')`), " ")
}

// Without a script claims are filtered by pointer and by keyboard, and a link to a claim shows it whatever is chosen.
func TestClaimsAreFilteredWithoutScript(t *testing.T) {
	check.Sequential(t)
	t.Parallel()
	b := openTab(t, 1200, 1000)
	b.call("Emulation.setScriptExecutionDisabled", args{"value": true}, nil)
	b.open(claimsPage(t))
	check.Equal(t, "claims at first", len(strings.Fields(b.cards())), 28)
	choose := func(id string) {
		t.Helper()
		at := ask[[2]float64](b, `(() => { const e = document.querySelector('label[for=`+id+`]'); e.scrollIntoView({ block: 'center' }); const r = e.getBoundingClientRect(); return [r.left + r.width / 2, r.top + r.height / 2] })()`)
		for _, kind := range []string{"mousePressed", "mouseReleased"} {
			b.call("Input.dispatchMouseEvent", args{"type": kind, "x": at[0], "y": at[1], "button": "left", "clickCount": 1}, nil)
		}
	}
	choose("verdict-fails")
	check.Equal(t, "claims that do not hold", b.cards(), "ack-2")
	b.press("ArrowRight")
	check.Equal(t, "claims of the next verdict", len(strings.Fields(b.cards())), 26)
	b.press("ArrowLeft")
	b.press("ArrowLeft")
	check.Equal(t, "claims of the verdict before", b.cards(), "ack-1")
	check.Equal(t, "grounds of choices in forced colours", b.forcedGrounds(".choice label"), 2)
	choose("suite-paper-gp-1d")
	check.Equal(t, "claims of another suite that hold", b.cards(), "none")
	choose("suite-paper-ackley-6d")
	check.Equal(t, "claims that hold", b.cards(), "ack-1")
	ask[any](b, `void (location.hash = 'gp1d-3')`)
	check.Equal(t, "claims that hold, and the one of the link", b.cards(), "gp1d-3 ack-1")
}
