package diagnosis_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"laggard/internal/musttest"
	"laggard/report/diagnosis"
	"laggard/report/reporttest"
)

// TestTextAgrees: no sentence of a text form says that ranks are elsewhere than the result has them.
func TestTextAgrees(t *testing.T) {
	texts, _ := filepath.Glob("testdata/*.text.golden")
	if len(texts) < 5 {
		t.Fatalf("only %d texts", len(texts))
	}
	for _, name := range texts {
		text := musttest.Get(os.ReadFile(name))(t)
		for _, wrong := range reporttest.Contradictions(string(text), goldenResult(t, strings.Replace(name, ".text.", ".json.", 1))) {
			t.Errorf("%s: %s", name, wrong)
		}
	}
}

// TestContradictions: sentences that are not true are found.
func TestContradictions(t *testing.T) {
	r := goldenResult(t, "testdata/hang.json.golden") // rank 3 computes, the others are in MPI_Allreduce
	for text, want := range map[string]int{
		"rank 3 computes after MPI_Waitall":                     0,
		"rank 3 is in MPI_Finalize, called by main":             1,
		"  *  1  ranks 0-2,4-15: finished, after MPI_Finalize ": 15,
		"ranks 2-3 compute":                                     1,
		"rank 3: no record":                                     1,
		"rank 3 left no record: it was not recorded":            1,
		"a thread of rank 3 is in MPI_Finalize":                 0,
	} {
		if got := reporttest.Contradictions(text, r); len(got) != want {
			t.Errorf("%q: %q, want %d", text, got, want)
		}
	}
}

func goldenResult(t *testing.T, name string) *diagnosis.Result {
	t.Helper()
	text := musttest.Get(os.ReadFile(name))(t)
	r := new(diagnosis.Result)
	musttest.Succeed(t, json.Unmarshal(text, r))
	return r
}
