package mrlpf

import (
	"testing"

	"popbench/algorithms/baselines/settings"
	"popbench/algorithms/internal/duelling/duellingtest"
	"popbench/internal/check"
	"popbench/internal/contract"
)

func TestConformance(t *testing.T) {
	duellingtest.Run(t, New, Default(), func(c *Config) *settings.Duelling { return &c.Duelling }, map[string]func(*Config){
		"preset":     func(c *Config) { c.Preset = "mine" },
		"self_duels": func(c *Config) { c.SelfDuels = "" },
	})
	setup := contract.Scenarios[1].Setup()
	setup.Steps = 0
	check.Error(t, "an unknown number of steps", check.Err(New(setup, Default())), "steps = 0")
}
