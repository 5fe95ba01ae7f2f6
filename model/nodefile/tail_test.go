package nodefile

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp/cmpopts"

	"laggard/internal/checktest"
	"laggard/internal/musttest"
	"laggard/model"
	"laggard/model/format"
)

// secondsOf are intervals of a second each from a moment on.
func secondsOf(from, n int) (out []model.Interval) {
	for i := range n {
		out = append(out, model.Interval{Begin: time.Unix(int64(from+i), 0).UTC(), Step: time.Second, Samples: 10, Computing: i % 11,
			State: -1,
			Comm:  -1, Anchor: -1, Peer: model.None})
	}
	return out
}

func sampledRank(series []model.Interval) *model.Rank {
	k := &model.Rank{Rank: 0, Size: 1, Family: "mpich", Phase: model.Running, PID: 77, Series: series, SampleHz: 10}
	k.Threads = []*model.Thread{{Op: model.Op{State: -1}}}
	k.Comms = []*model.Comm{{ID: 5, Kind: model.World, Members: []int{0}, Size: 1, State: -1}}
	return k
}

// Each interval is returned once, while a recorder writes on into records that are used again.
func TestFollowedSlotReadsOn(t *testing.T) {
	const ring = 2 * format.Intervals // two records
	all := secondsOf(1_700_000_000, 3*ring)
	path, data := writtenFile(t, sampledRank(all[:ring]))
	open := func() *File { return Open(path, "node-a.lgd", "") }
	f := FollowFile(open(), open)
	defer f.Close()
	slot := FollowSlot(0)
	r := rand.New(rand.NewPCG(1, 2))
	var got []model.Interval
	for written := ring; ; {
		slot.Fresh = nil
		f.Refresh([]*FollowedSlot{&slot})
		if slot.PID != 77 || slot.SampleHz != 10 {
			t.Fatalf("process %d, %d samples a second", slot.PID, slot.SampleHz)
		}
		got = append(got, slot.Fresh...)
		if written == len(all) {
			break
		}
		for range min(1+r.IntN(ring-1), len(all)-written) {
			putInterval(t, data, all[written], written%ring)
			written++
		}
	}
	checktest.EqualBy(t, cmpopts.IgnoreFields(model.Interval{}, "Thread"), all, got)
}

// putInterval writes an interval at a place of the records of a file of one rank, as a recorder does.
func putInterval(t *testing.T, data []byte, i model.Interval, place int) {
	t.Helper()
	entry := mustEncode(t, testHeader, []*model.Rank{sampledRank([]model.Interval{i})})
	from := slices.Index(seriesOf(t, entry), seriesOf(t, entry)[0])
	offsets := seriesOf(t, data)
	at := offsets[place/format.Intervals] + int64(place%format.Intervals)*format.SizeofInterval
	source := seriesOf(t, entry)[from]
	copy(data[at+8:at+format.SizeofInterval], entry[source+8:source+format.SizeofInterval])
	copy(data[at:at+8], entry[source:source+8])
}

// seriesOf is where the SERIES records of a file of one slot have their intervals.
func seriesOf(t *testing.T, data []byte) (out []int64) {
	t.Helper()
	m := newImage("", data)
	var p problems
	l := musttest.Get(m.readLayout(&p))(t)
	c := newCursor(m, l, 0, &p)
	for rec, ok := c.next(); ok; rec, ok = c.next() {
		if rec.typ == format.SeriesRecord {
			out = append(out, rec.live)
		}
	}
	return out
}

// Long steps fill the time before the short ones, without overlap.
func TestWithoutOverlap(t *testing.T) {
	step := func(begin, seconds int64) model.Interval {
		return model.Interval{Begin: time.Unix(begin, 0).UTC(), Step: time.Duration(seconds) * time.Second}
	}
	got := withoutOverlap([]model.Interval{step(1230, 1), step(1229, 1), step(1231, 1), step(1220, 10), step(1210, 10),
		step(1230, 10), step(600, 600), step(1200, 600), step(1180, 60), step(1200, 10)})
	want := []model.Interval{step(600, 600), step(1200, 10), step(1210, 10), step(1220, 10), step(1230, 1), step(1231, 1)}
	checktest.Equal(t, want, got)
}
