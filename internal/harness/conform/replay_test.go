package conform

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"popbench/internal/check"
)

func TestDifference(t *testing.T) {
	for _, c := range []struct{ want, got, difference string }{
		{`{"result":{"x":[1,0.1]}}`, `{ "result": {"x": [1.0, 1e-1]} }`, ""},
		{`{"result":{"x":[0]}}`, `{"result":{"x":[-0.0]}}`, "result.x[0] is -0.0, not 0 as recorded"},
		{`{"result":{"x":0.1}}`, `{"result":{"x":0.10000000000000001}}`, ""},
		{`{"result":{"x":0.1}}`, `{"result":{"x":0.10000000000000002}}`, "result.x is 0.10000000000000002, not 0.1 as recorded"},
		{`{"result":{"x":[1,2]}}`, `{"result":{"x":[1,2,3]}}`, "result.x has 3 elements, not 2 as recorded"},
		{`{"result":{"x":[1,2]}}`, `{"result":{"x":{}}}`, "result.x is {}, not [1,2] as recorded"},
		{`{"result":{"x":1,"y":2}}`, `{"result":{"y":3}}`, "result.x is missing"},
		{`{"result":{"x":1}}`, `{"result":{"x":1,"y":null}}`, `result has the key "y", which is not recorded`},
		{`{"result":{"x":"a"}}`, `{"result":{"x":1}}`, `result.x is 1, not "a" as recorded`},
		{`{"id":1,"result":{}}`, `{"id":2,"result":{}}`, "id is 2, not 1 as recorded"},
		{`{"error":{"code":1,"message":"a","data":"b"}}`, `{"error":{"code":1,"message":"c"}}`, ""},
		{`{"error":{"code":1,"message":"a"}}`, `{"error":{"code":2,"message":"a"}}`, "error.code is 2, not 1 as recorded"},
		{`{"result":{"protocol":1,"name":"a","version":"1","provenance":{}}}`, `{"result":{"protocol":1,"name":"a","version":"2"}}`, ""},
		{`{"result":{"protocol":1,"name":"a"}}`, `{"result":{"protocol":1,"name":"b"}}`, `result.name is "b", not "a" as recorded`},
		{`{"error":{"code":1}}`, `{"result":{}}`, "the answer is a result, but the recorded one is an error"},
		{`Welcome`, `Welcome`, ""},
		{`Welcome`, `{}`, "the line differs"},
	} {
		check.Equal(t, c.want+" and "+c.got, difference([]byte(c.want), []byte(c.got)), c.difference)
	}
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

{"t":0,"dir":"<","line":"{\"method\":\"progress\"}"}
{"t":0,"dir":"<","line":"{\"id\":1}"}
{"t":0,"dir":"<","line":"Bye"}
{"t":0,"conn":2,"dir":">","line":"a"}
{"t":0,"conn":3,"dir":">","line":"b"}
{"t":0,"conn":2,"dir":"<","line":"c"}
`)))(t)
	check.Same(t, "requests", all, []recorded{{2, 0, `{"id":1}`, `{"id":1}`}, {7, 2, "a", "c"}, {8, 3, "b", ""}})
}
