package algorithms_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"

	"popbench/algorithms"
	"popbench/algorithms/baselines/random"
	"popbench/space"
)

// Any algorithm can be saved and restored, and continues with the same bits.
func ExampleRestore() {
	setup := algorithms.Setup{Domain: space.Cube(2, 0, 1), Start: []float64{0.5, 0.5}, Rand: rand.New(rand.NewPCG(1, 2))}
	alg, err := random.New(setup, random.Default())
	if err != nil {
		panic(err)
	}
	query, err := alg.Ask()
	if err != nil {
		panic(err)
	}
	if err := alg.Tell(query, 1); err != nil {
		panic(err)
	}
	state, err := alg.State()
	if err != nil {
		panic(err)
	}
	saved, err := json.Marshal(state)
	if err != nil {
		panic(err)
	}

	var read algorithms.State
	if err := json.Unmarshal(saved, &read); err != nil {
		panic(err)
	}
	restored, err := algorithms.Restore(read, func(s algorithms.Setup) (algorithms.TieDriver, error) {
		return random.New(s, random.Default())
	})
	if err != nil {
		panic(err)
	}
	want, err := alg.Ask()
	if err != nil {
		panic(err)
	}
	got, err := restored.Ask()
	if err != nil {
		panic(err)
	}
	fmt.Println(restored.Comparisons(), fmt.Sprint(got) == fmt.Sprint(want))
	// Output: 1 true
}
