package suite

import (
	"fmt"
	"strings"
	"testing"

	"popbench/internal/check"
)

const firstDemo = `
name: first
steps: 5
repetitions: 2
first_duels: 3
problems:
  - {name: branin}
  - {name: beale, arms: {grid: [2, 1]}}
  - {name: gp1, scale: raw, arms: {grid: [1]}}
algorithms:
  - {name: random}
  - {name: sgp}
`

// The first duels of a repetition are the same for all algorithms, and others in another repetition and on
// another problem. Points differ if there are two.
func TestFirstDuels(t *testing.T) {
	seen, same := map[string]string{}, map[string]string{}
	for _, c := range expand(t, firstDemo) {
		trial := check.Must(c.Start(t.Context()))(t)
		check.Equal(t, "first duels of the header", trial.Header.FirstDuels, 3)
		var all []string
		for step := 1; step <= 3; step++ {
			q, err := trial.Ask(step)
			if err != nil || q.New != 2 {
				t.Fatal(q, err)
			}
			single := trial.Problem.Arms != nil && trial.Problem.Arms.Len() == 1
			check.Equal(t, c.ID()+": the points of a duel are equal", fmt.Sprint(q.Points[0]) == fmt.Sprint(q.Points[1]), single)
			all = append(all, fmt.Sprint(q.Points))
		}
		key, text := fmt.Sprint(trial.Problem.Name, c.Repetition), strings.Join(all, " ")
		if first, ok := seen[key]; ok {
			check.Equal(t, c.ID(), text, first)
		}
		seen[key] = text
		if other, ok := same[text]; ok && other != key && trial.Problem.Arms == nil {
			t.Errorf("%s has the duels of %s", key, other)
		}
		same[text] = key
		check.Must(trial.Ask(4))(t) // the algorithm's own
	}
}

// The number of first duels belongs to what is computed; without them, the hash is that from before the key existed.
func TestHashesOfFirstDuels(t *testing.T) {
	hash := func(old, new string) string {
		return parsed(t, strings.Replace(firstDemo, old, new, 1)).Hash()
	}
	check.That(t, hash("", "") != hash("first_duels: 3", "first_duels: 2"), "other first duels have the same hash")
	check.Equal(t, "without", hash("first_duels: 3\n", ""), hash("first_duels: 3", "first_duels: 0"))
	_, err := Parse("first.yaml", []byte(strings.Replace(firstDemo, "steps: 5", "steps: 3", 1)), Catalogue{})
	check.Contains(t, "error", fmt.Sprint(err), "first.yaml:5: first_duels: is 3, and steps is 3; leave the algorithms at least one")
}
