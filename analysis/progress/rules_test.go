package progress

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"laggard/internal/musttest"
)

// TestEveryRuleHasATranscript: each rule decides in some transcript, and the page on diagnoses explains it.
func TestEveryRuleHasATranscript(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(paths) == 0 {
		t.Fatalf("transcripts: %v", err)
	}
	var all strings.Builder
	for _, path := range append(paths, "../../docs/reference/rules.md") {
		text := musttest.Get(os.ReadFile(path))(t)
		all.Write(text)
	}
	for _, r := range rules {
		if !strings.Contains(all.String(), " by "+r.name) {
			t.Errorf("rule %s decides in no transcript", r.name)
		}
		if !strings.Contains(all.String(), "`"+r.name+"`") {
			t.Errorf("docs/reference/rules.md does not explain rule %s", r.name)
		}
	}
}
