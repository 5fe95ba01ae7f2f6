package timeline

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"laggard/analysis/timeline/timelinetest"
	"laggard/internal/checktest"
	"laggard/internal/musttest"
	"laggard/model"
	"laggard/reduce"
	"laggard/reduce/reducetest"
)

// ask puts a question to so many analysis ranks.
func ask(t *testing.T, q Question, analysts int) (*Result, error) {
	t.Helper()
	var result *Result
	err := reduce.Run(analysts, func(c reduce.Comm) error {
		r, err := Run(context.Background(), q, c)
		if r != nil {
			result = r
		}
		return err
	})
	return result, err
}

// shortDay is a day's job with fewer of its ranks and hours: rank 333 is slow from the start.
func shortDay(ranks int) timelinetest.Job {
	j := timelinetest.Day(ranks)
	day := j.Do
	j.Length = 2 * time.Hour
	j.Do = func(rank int, at time.Duration) timelinetest.Doing { return day(rank, at+15*time.Hour+10*time.Minute) }
	return j
}

// TestRun: like ranks have one row, the slow rank and those on the starved node have their own, and any number of analysis
// ranks finds the same.
func TestRun(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	musttest.Succeed(t, shortDay(352).Write(dir))
	q := Question{Dir: dir, Columns: 300, Rows: 20, Apart: model.NewRankSet(7)}
	one := musttest.Get(ask(t, q, 1))(t)
	var rows []string
	for _, row := range one.Rows {
		rows = append(rows, row.Ranks.String())
	}
	checktest.Equal(t, []string{"0-6,8-175", "7", "176-332,334-351", "333"}, rows, "rows")
	if one.Scale.Width != 60 || one.Scale.Columns != 120 {
		t.Errorf("scale %+v", one.Scale)
	}
	if rate := one.Loops[0].Turns[30].Rate(); rate < 2.3 || rate > 2.7 {
		t.Errorf("%v iterations per second, want 2.5", rate)
	}
	three := musttest.Get(ask(t, q, 3))(t)
	a, _ := sums.Encode(one.Sum)
	b, _ := sums.Encode(three.Sum)
	if string(a) != string(b) {
		t.Error("three analysis ranks find something else than one")
	}
}

// TestFewRanksHaveRowsOfTheirOwn, also if they are alike, and stopped ones show when.
func TestFewRanksHaveRowsOfTheirOwn(t *testing.T) {
	j := timelinetest.Job{Ranks: 4, PerNode: 4, Length: 5 * time.Minute, Do: func(rank int, at time.Duration) timelinetest.Doing {
		return timelinetest.Doing{Computing: 0.5, WaitsFor: 3 - rank, Stopped: rank == 2 && at > 4*time.Minute, Rate: 10}
	}}
	dir := filepath.Join(t.TempDir(), "run")
	musttest.Succeed(t, j.Write(dir))
	r := musttest.Get(ask(t, Question{Dir: dir, Columns: 30, Rows: 10}, 2))(t)
	if len(r.Rows) != 4 || r.Rows[1].Columns[3].Peer != 2 {
		t.Errorf("%d rows, rank 1 waits for %d", len(r.Rows), r.Rows[1].Columns[3].Peer)
	}
	var b strings.Builder
	for _, c := range r.Rows[2].Columns {
		fmt.Fprintf(&b, "%.0f", 9*float64(c.Absent)/float64(c.Expected))
	}
	if got := b.String(); strings.Trim(got, "0") == got || !strings.HasSuffix(got, "99999") {
		t.Errorf("rank 2 is stopped in the last fifth, got %s", got)
	}
}

func TestNoSamples(t *testing.T) {
	j := timelinetest.Job{Ranks: 2, PerNode: 2}
	dir := filepath.Join(t.TempDir(), "run")
	musttest.Succeed(t, j.Write(dir))
	checktest.Fails(ask(t, Question{Dir: dir, Columns: 30}, 1))(t, ErrNoSamples, "the error is")
}

// TestLaws: any tree over the shares gives the same sums and the same ranks to compare.
func TestLaws(t *testing.T) {
	var tracks []*track
	j := timelinetest.Day(12)
	j.Length = 3 * time.Hour
	for rank := range j.Ranks {
		tracks = append(tracks, newTrack(j.Rank(rank), time.Time{}, time.Time{}, 300))
	}
	rows := map[int]int{}
	for rank := range j.Ranks {
		rows[rank] = rank % 3
	}
	rng := rand.New(rand.NewPCG(1, 2))
	err := reducetest.Laws(sums, func() (out []Sum) {
		for i := range 6 {
			out = append(out, newSum(tracks[2*i:2*i+2], rows))
		}
		return out
	}, 20, rng)
	err = errors.Join(err, reducetest.Laws(likenesses, func() (out [][]likeness) {
		for _, one := range tracks {
			out = append(out, []likeness{newLikeness(one)})
		}
		return out
	}, 20, rng))
	err = errors.Join(err, reducetest.Laws(extents, func() (out []extent) {
		for _, one := range tracks {
			var e extent
			e.addTrack(one)
			out = append(out, e)
		}
		return out
	}, 20, rng))
	checktest.ErrorIs(t, nil, err)
}

// TestGroupAlikeLimitsRows: ranks that all differ are put together until there are few enough rows.
func TestGroupAlikeLimitsRows(t *testing.T) {
	var all []likeness
	for rank := range 100 {
		all = append(all, likeness{rank, []window{{computingShare: uint32(10 * rank), aliveShare: 1000}}})
	}
	if n := len(groupAlike(all, 100, model.RankSet{}, 1000)); n < 4 || n > 10 {
		t.Errorf("%d groups", n)
	}
	groups := groupAlike(all, 3, model.NewRankSet(50), 1000)
	if n := len(groups); n > 3 {
		t.Errorf("%d groups, want 3 at most", n)
	}
}
