package verify

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"popbench/internal/check"
	"popbench/internal/claims"
	"popbench/internal/judge"
)

// What a claim says, where it stands, and the region that it claims of each statistic, are those of the verdicts that
// results/paper publishes: a claim is not moved after its verdict.
func TestClaimsAreThoseOfPublishedVerdicts(t *testing.T) {
	for _, s := range claims.Studies() {
		t.Run(s.Name, func(t *testing.T) {
			published := claimed(t, publishedVerdicts(t, s, "json"))
			v := judge.Judge(judge.NewEvidence(s))
			var now bytes.Buffer
			check.OK(t, WriteJSON(&now, v))
			page := publishedVerdicts(t, s, "md")
			check.Equal(t, "title", "# "+Title(v), strings.Split(string(page), "\n")[0])
			today := claimed(t, now.Bytes())
			check.Equal(t, "claims and checks", len(today), len(published))
			for i := range min(len(today), len(published)) {
				check.Equal(t, "what is claimed", today[i], published[i])
			}
		})
	}
}

// publishedVerdicts returns a file of the verdicts on a study, which results/paper has.
func publishedVerdicts(t *testing.T, s *claims.Study, ext string) []byte {
	t.Helper()
	folder := s.Name
	if folder == claims.POPBO {
		folder = ""
	}
	return check.Must(os.ReadFile(filepath.Join("..", "..", "..", "results", "paper", folder, "claims."+ext)))(t)
}

// claimed returns what each claim of a claims.json says and checks, without what was found.
func claimed(t *testing.T, text []byte) (all []string) {
	t.Helper()
	var file jsonVerdicts
	check.OK(t, json.Unmarshal(text, &file))
	for _, c := range file.Claims {
		all = append(all, fmt.Sprintf("%s, %s: %s (%s)", c.ID, c.Where, c.Says, c.Read))
		for _, p := range append(c.Parts, c.Beside...) {
			region := check.Must(json.Marshal(p.Claimed))(t)
			all = append(all, fmt.Sprintf("%s: %s in %s, %v %s", c.ID, p.Statistic, region, p.Samples, p.Note))
		}
	}
	return all
}
