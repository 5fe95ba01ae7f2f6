//go:build e2e

package e2e

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"laggard/internal/checktest"
)

// TestUnrecorded: a rank that the recorder is not in may be well. Ranks that wait for each other beside it are named with
// certainty; where the others wait for it, it is named with little confidence, and not as one whose process is gone. A job that ends well
// is no hang.
func TestUnrecorded(t *testing.T) {
	t.Parallel()
	eachFamily(t, func(t *testing.T, f family) {
		program := f.buildProgram(t, "unrecorded.c", "-O1")
		for _, c := range []struct {
			mode        string
			least       []int
			above, most float64
			says        string
		}{
			{"crossed", []int{0, 1}, 0.90, 1, "deadlock: ranks 0-1 wait for each other"},
			{"late", []int{3}, 0.20, 0.50,
				"rank 3 left no record: it was not recorded, or ended before MPI_Init; ultimately awaited by ranks 0-2"},
		} {
			t.Run(c.mode, func(t *testing.T) {
				t.Parallel()
				f.diagnoseTwice(t, 3, false, func(t *testing.T, when string, env []string, dir string) {
					t.Helper()
					var a struct {
						LeastProgressed *struct {
							Ranks      []int
							Confidence float64
							Reason     string
						} `json:"least_progressed"`
					}
					runForJSON(t, env, &a, "diagnose", "--json", "--no-slice", dir)
					if l := a.LeastProgressed; l == nil || !slices.Equal(l.Ranks, c.least) || l.Confidence < c.above ||
						l.Confidence > c.most || !strings.Contains(l.Reason, c.says) {
						t.Errorf("%s: %+v, want ranks %v, %.2f to %.2f: %s", when, l, c.least, c.above, c.most, c.says)
					}
				}, besideUnrecorded(program, c.mode)...)
			})
		}
		t.Run("good", func(t *testing.T) {
			t.Parallel()
			env, dir := f.runEnvironment(t), filepath.Join(t.TempDir(), "good")
			f.startRecorded(t, dir, env, 3, nil, besideUnrecorded(program, "good")...).wait().mustSucceed(t)
			checktest.Contains(t, diagnosisText(t, env, dir), "Only ranks 0-2 of 4 have a record; nothing in it is stuck")
		})
	})
}

// besideUnrecorded starts one more rank of a program, without the recorder.
func besideUnrecorded(program, mode string) []string {
	return []string{program, mode, ":", "-np", "1", "env", "-u", "LD_PRELOAD", program, mode}
}
