package conform

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"popbench/internal/check"
	"popbench/internal/protocol/wire"
)

// Below a recorded answer and another one stands how they differ, if they do.
func TestDifference(t *testing.T) {
	check.GoldenLines(t, "differences.golden", func(line string) string {
		want, got, _ := strings.Cut(line, " → ")
		return difference(want, got)
	})
}

// A program replays its own trace, also where it crashed, and another one does not.
func TestReplay(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ recorded, replayed, where string }{
		{"good", "good", ""},
		{"good problem", "good problem", ""},
		{"late crash", "late crash", ""},
		{"good", "not in 5-D", "result.capabilities"},
		{"not in 5-D", "settings", "the answer is an error, but the recorded one is a result"},
		{"good problem", "optimum too low", "result.optimum is 2.5, not 3 as recorded"},
		{"plain", "late crash", "exit code 8"},
		{"plain", "mute", "no answer within 300ms"},
	} {
		t.Run(c.recorded+" by "+c.replayed, func(t *testing.T) {
			t.Parallel()
			var trace bytes.Buffer
			o := options(c.recorded)
			o.Trace = &trace
			verdicts(t, o)
			o = options(c.replayed)
			if c.replayed == "mute" {
				o.Timeout = 300 * time.Millisecond
			}
			r := check.Must(Replay(t.Context(), o, &trace))(t)
			check.That(t, strings.Contains(r.Where, c.where) && (r.Line > 0) == (c.where != "") && r.Conversations != 0, "%+v", r)
			if r.Line > 0 {
				var text strings.Builder
				check.OK(t, r.Write(&text))
				check.Contains(t, "text", text.String(), "of the trace: "+r.Where, "\n  sent: {", "\n  recorded: {")
			}
		})
	}
}

// Traces by others have no numbers of conversations; notifications and what is written unasked are not answers.
func TestReadTrace(t *testing.T) {
	all := check.Must(readTrace(strings.NewReader(`{"t":0,"dir":"<","line":"Welcome"}
{"t":0,"dir":">","line":"{\"id\":1}"}

{"t":0,"dir":"<","line":"{\"jsonrpc\":\"2.0\",\"method\":\"progress\"}"}
{"t":0,"dir":"<","line":"{\"id\":1}"}
{"t":0,"dir":"<","line":"Bye"}
{"t":0,"conn":2,"dir":">","line":"a"}
{"t":0,"conn":3,"dir":">","line":"b"}
{"t":0,"conn":2,"dir":"<","line":"c"}
`)))(t)
	check.Same(t, "requests", all, []recorded{
		{2, 0, wire.Exchange{Sent: `{"id":1}`, Got: `{"id":1}`}}, {7, 2, wire.Exchange{Sent: "a", Got: "c"}}, {8, 3, wire.Exchange{Sent: "b"}},
	})
	check.Error(t, "requests only", check.Err(readTrace(strings.NewReader(`{"t":0,"dir":">","line":"a"}`))), "no request with an answer")
}
