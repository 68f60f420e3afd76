package bench

import (
	"encoding/json"
	"os/exec"
	"testing"

	"popbench/internal/benchtest"
	"popbench/internal/check"
	"popbench/internal/harness/wire"
)

// BenchmarkServe measures round trips to the real program, which serves random search: of one request
// (ask, whose answer is already there), and of a step (ask, tell, recommend).
func BenchmarkServe(b *testing.B) {
	cmd := exec.Command(benchtest.Program(b), "serve", "random")
	stdin := check.Must(cmd.StdinPipe())(b)
	stdout := check.Must(cmd.StdoutPipe())(b)
	check.OK(b, cmd.Start())
	conn := wire.NewConn(stdout, stdin, nil)
	call := func(method string, params, result any) {
		check.OK(b, conn.Call(b.Context(), method, params, result))
	}
	call(wire.MethodInitialize, wire.Initialize{Protocol: wire.Version}, nil)
	const start = `{"box":{"lo":[0,0,0,0,0,0],"hi":[1,1,1,1,1,1]}}`
	call(wire.MethodStart, json.RawMessage(start), nil)
	var q wire.Query
	b.Run("request", func(b *testing.B) {
		for b.Loop() {
			call(wire.MethodAsk, nil, &q)
		}
	})
	b.Run("step", func(b *testing.B) {
		for t := 0; b.Loop(); t++ {
			if t%50 == 0 { // as often as in a run
				call(wire.MethodStart, json.RawMessage(start), nil)
			}
			call(wire.MethodAsk, nil, &q)
			winner := t % 2
			call(wire.MethodTell, wire.Tell{Points: q.Points, New: *q.New, Winner: &winner}, nil)
			call(wire.MethodRecommend, nil, new(wire.Recommended))
		}
	})
	stdin.Close()
	check.OK(b, cmd.Wait())
}
