package between_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/cockroachdb/datadriven"

	"laggard/analysis/usage/between"
	"laggard/analysis/usage/recorded"
	"laggard/analysis/usage/usagetest"
	"laggard/internal/musttest"
)

// addSeeds are the transcripts of the tests of this package and of the replay.
func addSeeds(f *testing.F) {
	for _, dir := range []string{"testdata", "../replay/testdata"} {
		files, err := filepath.Glob(filepath.Join(dir, "*.txt"))
		if err != nil || len(files) == 0 {
			f.Fatal("no transcripts: ", err)
		}
		for _, path := range files {
			text := musttest.Get(os.ReadFile(path))(f)
			datadriven.RunTestFromStringAny(f, string(text), func(_ testing.TB, d *datadriven.TestData) string {
				f.Add(d.Input)
				return d.Expected
			})
		}
	}
}

// FuzzReplay: whatever calls a record has, in whatever order and with whatever
// arguments, they are replayed and judged, and end.
func FuzzReplay(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, text string) {
		traces, err := usagetest.Parse(text)
		if err != nil || tooMany(traces) {
			return
		}
		judge(between.NewEvidence(digestsOf(traces)...))
	})
}

// tooMany: repetitions in a short text can stand for more calls than are worth the time.
func tooMany(traces []*recorded.Trace) bool {
	calls := 0
	for _, t := range traces {
		calls += t.CallNumber
	}
	return len(traces) > 64 || calls > 1000
}
