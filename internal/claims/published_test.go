package claims_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"popbench/internal/check"
	"popbench/internal/claims"
	"popbench/internal/judge"
	"popbench/internal/views/verify"
)

// What a claim says, where it stands, and the region that it claims of each statistic, are those of the verdicts that
// results/paper publishes: a claim is not moved after its verdict.
func TestClaimsAreThoseOfPublishedVerdicts(t *testing.T) {
	for _, s := range claims.Studies() {
		folder := s.Name
		if folder == claims.POPBO {
			folder = ""
		}
		published, err := os.ReadFile(filepath.Join("..", "..", "results", "paper", folder, "claims.json"))
		if err != nil {
			t.Errorf("%s has no published verdicts; copy claims.json and claims.md of bench reproduce --paper %s there: %v", s.Name, s.Name, err)
			continue
		}
		var now bytes.Buffer
		check.OK(t, verify.WriteJSON(&now, judge.Judge(judge.NewEvidence(s))))
		was, is := claimed(t, published), claimed(t, now.Bytes())
		check.Equal(t, "claims and checks of "+s.Name, len(is), len(was))
		for i := range min(len(is), len(was)) {
			check.Equal(t, s.Name, is[i], was[i])
		}
	}
}

// claimed returns what each claim of a claims.json says and checks, without what was found.
func claimed(t *testing.T, text []byte) (all []string) {
	t.Helper()
	type part struct {
		Statistic, Note string
		Samples         []map[string]string
		Claimed         [2]*float64
	}
	var file struct {
		Claims []struct {
			ID, Where, Says string
			Read            string `json:"checked_as"`
			Parts, Beside   []part
		}
	}
	check.OK(t, json.Unmarshal(text, &file))
	for _, c := range file.Claims {
		all = append(all, fmt.Sprintf("%s, %s: %s (%s)", c.ID, c.Where, c.Says, c.Read))
		for _, p := range append(c.Parts, c.Beside...) {
			all = append(all, c.ID+": "+string(check.Must(json.Marshal(p))(t)))
		}
	}
	return all
}
