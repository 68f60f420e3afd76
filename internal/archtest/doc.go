// Package archtest holds the project to docs/architecture.md: its tests read
// the tables there, and compare them with what the packages import.
package archtest
