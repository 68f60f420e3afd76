package suite_test

import (
	"fmt"
	"strings"
	"testing"

	"popbench/internal/check"
	"popbench/suite"
)

// Every mistake in what a suite says of arms and data is found where it is, also if all stands on one line.
func TestArmsMistakes(t *testing.T) {
	data := "data: {path: sweets.csv, sha256: " + sum + ", from: the shop, features: [size, price], value: liked}"
	for _, c := range []struct{ problem, want string }{
		{"name: beale, arms: {grid: [4], points: [[0, 0]]}", "arms: needs one of grid and points"},
		{"name: beale, arms: {}", "arms: needs one of grid and points"},
		{"name: beale, arms: {points: [[0, 0], [0]]}", "arms.points[1]: has 1 feature, and the first point 2"},
		{"name: beale, arms: {points: [[1]], values: [1]}", "arms.values: is a key of name: table only"},
		{"name: beale, arms: {grid: [2, 2]}, range: [3, -3]", "range: is [3 -3]; give two numbers, the smaller one first"},
		{"name: beale, arms: {grid: [2, 2]}, range: [3]", "range: is [3]; give two numbers"},
		{"name: beale, arms: {grid: [2, 2]}, range: [3, 4], scale: raw", "range: is given, and scale too"},
		{"name: beale, arms: {grid: [2, 2]}, minimize: true", "minimize: is a key of name: external only"},
		{"name: beale, range: [0, 1]", "range: is for finite sets; give arms, or scale"},
		{"name: beale, label: levy13", `label: "levy13" is the name of a built-in problem`},
		{"name: beale, label: levy13, arms: {grid: [2, 2]}", `label: "levy13" is the name of a built-in problem`},
		{"name: beale, label: Grid, arms: {grid: [2, 2]}", `label: label "Grid" is already that of problems[0]`},
		{"name: beale, " + data, "data: is a key of name: table only"},
		{"name: table, label: t, arms: {grid: [2]}", "arms.grid: is not for tables"},
		{"name: table, arms: {points: [[1]], values: [1]}", "label: is missing"},
		{"name: table, label: t, arms: {points: [[1], [2]], values: [1]}", "arms.values: has 1 value for 2 points"},
		{"name: table, label: t, arms: {points: [[1]], values: [1]}, " + data, "arms: is given, and data too"},
		{"name: table, label: t, " + strings.Replace(data, "ab", "xy", 1), "data.sha256:"},
		{"name: table, label: t, " + strings.Replace(data, "liked", "size", 1), `data.value: "size" is a feature too`},
		{"name: table, label: t, " + strings.Replace(data, "price", "size", 1), `data.features[1]: "size" is features[0] too`},
		{"name: external, label: e, command: [x], arms: {grid: [2]}", "arms.grid: needs box"},
		{"name: external, label: e, command: [x], arms: {points: [[1]]}, range: [0, 1]", "range: needs the values of all arms"},
	} {
		file := fmt.Sprintf("{name: a, problems: [{name: branin, label: grid, arms: {grid: [2, 2]}}, {%s}], algorithms: [{name: random}]}", c.problem)
		check.Error(t, c.problem, check.Err(suite.ParseWith("a.yaml", []byte(file), catalogue{})), "a.yaml:1: problems[1]."+c.want)
	}
}

var sum = strings.Repeat("ab", 32)
