package usage

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"laggard/internal/checktest"
	"laggard/internal/musttest"
	"laggard/model"
	"laggard/model/nodefile"
	"laggard/model/runfiles"
	"laggard/reduce"
)

// writeRun writes a run of 4 ranks, of which rank 2 left nothing and the others no
// calls.
func writeRun(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	var ranks []*model.Rank
	for _, rank := range []int{0, 1, 3} {
		ranks = append(ranks, &model.Rank{
			Rank: rank, Size: 4, PID: 100 + rank, Family: "openmpi", Phase: model.Finalized, End: model.Exited,
			Start: time.Unix(1000, 0), Threads: []*model.Thread{{TID: 100 + rank, Op: model.Op{State: -1}}},
		})
	}
	h := nodefile.Header{RunID: 7, Host: "n", Created: time.Unix(999, 0)}
	musttest.Get(nodefile.WriteNode(dir, h, ranks))(t)
	return dir
}

// runAnalysts gives the result of the only analysis rank that has one.
func runAnalysts(t *testing.T, ctx context.Context, dir string, analysts int) (*Result, error) {
	t.Helper()
	results := make([]*Result, analysts)
	err := reduce.Run(analysts, func(c reduce.Comm) (err error) {
		results[c.Rank()], err = Run(ctx, Question{Dir: dir}, c)
		return err
	})
	for _, r := range results[1:] {
		if r != nil {
			t.Errorf("%d analysis ranks: another than the first has a result", analysts)
		}
	}
	return results[0], err
}

func TestRunSaysWhatIsMissing(t *testing.T) {
	dir := writeRun(t)
	if r, err := runAnalysts(t, context.Background(), dir, 3); !errors.Is(err, ErrNoCalls) || r != nil {
		t.Errorf("%v, %v, and not %v", r, err, ErrNoCalls)
	}
	manifest := `{"schema_version": 1, "run_id": "7", "created": "2026-03-12T02:58:40Z", "record": ["progress", "usage"]}`
	musttest.Succeed(t, os.WriteFile(filepath.Join(dir, runfiles.ManifestName), []byte(manifest), 0o600))
	want := []string{
		"rank 0: no calls were recorded", "rank 1: no calls were recorded", "rank 3: no calls were recorded",
		"rank 2: no data in the run directory",
	}
	for analysts := 1; analysts <= 5; analysts++ {
		r := musttest.Get(runAnalysts(t, context.Background(), dir, analysts))(t)
		if !slices.Equal(r.Incomplete, want) || len(r.Findings) != 0 {
			t.Errorf("%d analysis ranks: %q, %v", analysts, r.Incomplete, r.Findings)
		}
	}
}

func TestRunFails(t *testing.T) {
	over, end := context.WithCancel(context.Background())
	end()
	for _, c := range []struct {
		ctx  context.Context
		dir  string
		want error
	}{
		{context.Background(), t.TempDir(), model.ErrNoRun},
		{over, writeRun(t), context.Canceled},
	} {
		if r, err := runAnalysts(t, c.ctx, c.dir, 3); !errors.Is(err, c.want) || r != nil {
			t.Error(fmt.Sprint(r), err, "and not", c.want)
		}
	}
}

// TestRunWithin: a run whose calls were not recorded has no result if it is asked
// beside another question.
func TestRunWithin(t *testing.T) {
	q := Question{Dir: writeRun(t), Within: time.Minute}
	err := reduce.Run(2, func(c reduce.Comm) error {
		r, err := Run(context.Background(), q, c)
		if r != nil {
			t.Error("there is a result")
		}
		return err
	})
	checktest.ErrorIs(t, nil, err)
}
