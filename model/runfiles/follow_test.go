package runfiles

import (
	"testing"
	"time"

	"laggard/internal/musttest"
	"laggard/model"
	"laggard/model/modeltest"
)

// A Follower sees the ranks that come later, and keeps those that it knows.
func TestFollowerFindsRanks(t *testing.T) {
	dir := t.TempDir()
	job := func(rank int) []*model.Rank {
		k := &model.Rank{Rank: rank, Size: 2, Family: "mpich", Phase: model.Running, PID: 77 + rank, SampleHz: 10,
			Threads: []*model.Thread{{Op: model.Op{State: -1}}}}
		k.Series = []model.Interval{{Begin: modeltest.Time(rank).Truncate(time.Second), Step: time.Second, Samples: 10,
			State: -1, Comm: -1, Anchor: -1, Peer: model.None}}
		return []*model.Rank{k}
	}
	writeNode(t, dir, testHeader, job(0))
	f := musttest.Get(Follow(dir, ""))(t)
	defer f.Close()
	now := time.Now()
	first, err := f.Refresh(now)
	if err != nil || len(first) != 1 || first[0].PID != 77 || len(first[0].Fresh) != 1 {
		t.Fatalf("%+v, %v", first, err)
	}
	known := first[0]
	h := testHeader
	h.Host = "b"
	writeNode(t, dir, h, job(1))
	ranks, err := f.Refresh(now.Add(2 * rescanAfter))
	if err != nil || len(ranks) != 2 || ranks[0] != known || ranks[1].PID != 78 || len(known.Fresh) != 0 || len(ranks[1].Fresh) != 1 {
		t.Fatalf("%+v, %v", ranks, err)
	}
	if k, err := f.Load(ranks[1]); err != nil || k.Rank != 1 || len(k.Series) != 1 {
		t.Errorf("%+v, %v", k, err)
	}
}
