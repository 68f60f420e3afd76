// Package wire speaks the protocol between bench and other programs: JSON-RPC 2.0 over two pipes, one
// message on each line. docs/protocol.md describes it.
//
// [Conn] is the host's end: it sends requests and waits for each answer. [Serve] is the program's
// end. The types of this file are the params and results of the methods.
package wire

import (
	"encoding/json"
	"fmt"
	"strings"

	"popbench/algorithms"
	"popbench/space"
)

// Version is the highest version of the protocol that bench speaks.
const Version = 1

// The methods.
const (
	MethodInitialize = "initialize"
	MethodStart      = "start"
	MethodAsk        = "ask"
	MethodTell       = "tell"
	MethodRecommend  = "recommend"
	MethodBelief     = "belief"
	MethodState      = "state"
	MethodRestore    = "restore"
	MethodDescribe   = "describe"
	MethodEvaluate   = "evaluate"
	MethodShutdown   = "shutdown"
)

// The codes of errors.
const (
	CodeParse      = -32700 // the line is not JSON; its id is null
	CodeRequest    = -32600 // JSON, but no request, or one at the wrong time
	CodeMethod     = -32601 // unknown method
	CodeParams     = -32602 // wrong params
	CodeFailed     = -32000 // anything else that went wrong
	CodeUndefined  = -32001 // of start: the program does not do such a cell
	CodeNoProtocol = -32003 // of MethodInitialize: no common version
)

// Error is the error of an answer.
type Error struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

// Error returns the first line of the message.
func (e *Error) Error() string {
	line, _, _ := strings.Cut(strings.TrimSpace(e.Message), "\n")
	if line == "" {
		return fmt.Sprintf("error %d without a message", e.Code)
	}
	return line
}

// Errorf returns an error with a code.
func Errorf(code int, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// The two kinds of programs.
const (
	KindAlgorithm = "algorithm"
	KindProblem   = "problem"
)

// Initialize is the params of MethodInitialize. Protocol is the highest version that the host speaks.
type Initialize struct {
	Protocol     int          `json:"protocol"`
	Client       Client       `json:"client"`
	Capabilities Capabilities `json:"capabilities"`
}

// Client names the host.
type Client struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// Program is the result of MethodInitialize. Protocol is the version that the program will speak.
// Provenance is the same at every start.
type Program struct {
	Protocol     int             `json:"protocol"`
	Kind         string          `json:"kind"`
	Name         string          `json:"name"`
	Version      string          `json:"version"`
	Capabilities Capabilities    `json:"capabilities"`
	Provenance   json.RawMessage `json:"provenance,omitempty"`
}

// The capabilities of version 1.
const (
	CanLearnValues   = "values"        // tell brings values instead of a winner
	CanLearnTies     = "ties"          // tell may bring null for the winner
	CanBelieve       = "belief"        // there is a method belief
	CanSave          = "state"         // there are methods state and restore
	CanChooseArms    = "arms"          // start may bring arms instead of a box
	KeyDeterministic = "deterministic" // false: equal starts may give other answers
)

// Capabilities maps names to true, false or an object.
type Capabilities map[string]any

// Has reports whether a capability is there and not false.
func (c Capabilities) Has(name string) bool {
	v, ok := c[name]
	return ok && v != false && v != nil
}

// Random reports whether the program says that it is not deterministic.
func (c Capabilities) Random() bool { return c[KeyDeterministic] == false }

// Start is the params of start. Seed is the first 53 bits of Stream, which is the key of the cell's
// own random stream in 64 hexadecimal digits.
type Start struct {
	Cell     string                  `json:"cell"`
	Box      *space.Box              `json:"box,omitempty"`
	Arms     [][]float64             `json:"arms,omitempty"`
	Start    []float64               `json:"start,omitempty"`
	Steps    int                     `json:"steps,omitempty"`
	Seed     uint64                  `json:"seed"`
	Stream   string                  `json:"stream,omitempty"`
	Settings json.RawMessage         `json:"settings,omitempty"`
	Pilot    []algorithms.Comparison `json:"pilot,omitempty"`
	Known    *algorithms.Known       `json:"known,omitempty"`
}

// Query is the result of ask.
type Query struct {
	Points [][]float64 `json:"points"`
	New    *int        `json:"new"`
}

// Tell is the params of tell: a query with its winner, with a tie, or with values of its new points.
type Tell struct {
	Points [][]float64 `json:"points"`
	New    int         `json:"new"`
	Winner *int        `json:"winner,omitempty"`
	Values []float64   `json:"values,omitempty"`
	Tie    bool        `json:"-"` // the winner is null
}

// MarshalJSON writes the winner of a tie as null.
func (t Tell) MarshalJSON() ([]byte, error) {
	type plain Tell
	if !t.Tie {
		return json.Marshal(plain(t))
	}
	return json.Marshal(struct {
		plain
		Winner any `json:"winner"`
	}{plain: plain(t)})
}

// UnmarshalJSON tells a winner of null from a missing one.
func (t *Tell) UnmarshalJSON(data []byte) error {
	type plain Tell
	if err := json.Unmarshal(data, (*plain)(t)); err != nil {
		return err
	}
	var given struct {
		Winner json.RawMessage `json:"winner"`
	}
	err := json.Unmarshal(data, &given)
	t.Tie = string(given.Winner) == "null"
	return err
}

// Recommended is the result of recommend; the program's own choice comes first.
type Recommended struct {
	Recommendations []algorithms.Recommendation `json:"recommendations"`
	Metrics         []algorithms.Metric         `json:"metrics,omitempty"`
}

// Points is the params of belief.
type Points struct {
	Points [][]float64 `json:"points"`
}

// Beliefs is the result of belief: one number for each point in every list.
type Beliefs struct {
	Estimate []float64 `json:"estimate"`
	Lower    []float64 `json:"lower"`
	Upper    []float64 `json:"upper"`
}

// State is the result of state and the params of restore.
type State struct {
	State json.RawMessage `json:"state"`
}

// Description is the result of describe. Every key may be absent.
type Description struct {
	Box      *space.Box  `json:"box,omitempty"`
	Arms     [][]float64 `json:"arms,omitempty"`
	Optimum  *float64    `json:"optimum,omitempty"`
	OptimumX [][]float64 `json:"optimum_x,omitempty"`
	Title    string      `json:"title,omitempty"`
	Source   string      `json:"source,omitempty"`
}

// Evaluate is the params of evaluate.
type Evaluate struct {
	X []float64 `json:"x"`
}

// Value is the result of evaluate.
type Value struct {
	Value *float64 `json:"value"`
}

// MaxLine is the maximum length of a line, in bytes.
const MaxLine = 64 << 20

// MaxState is the maximum length of a state, in bytes.
const MaxState = 16 << 20
