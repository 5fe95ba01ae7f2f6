package model

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"golang.org/x/sys/unix"

	"laggard/model/format"
)

// secondsOf are intervals of a second each from a moment on.
func secondsOf(from, n int) (out []Interval) {
	for i := range n {
		out = append(out, Interval{Begin: time.Unix(int64(from+i), 0).UTC(), Step: time.Second, Samples: 10, Computing: i % 11, State: -1,
			Comm: -1, Anchor: -1, Peer: None})
	}
	return out
}

func sampledRank(series []Interval) *Rank {
	k := &Rank{Rank: 0, Size: 1, Family: "mpich", Phase: Running, PID: 77, Series: series, SampleHz: 10}
	k.Threads = []*Thread{{Op: Op{State: -1}}}
	k.Comms = []*Comm{{ID: 5, Kind: World, Members: []int{0}, Size: 1, State: -1}}
	return k
}

// A Follower returns each interval once, while a recorder writes on into records that are used again.
func TestFollowerReadsOn(t *testing.T) {
	const ring = 2 * format.Intervals // two records
	dir := t.TempDir()
	all := secondsOf(1_700_000_000, 3*ring)
	writeNode(t, dir, testHeader, []*Rank{sampledRank(all[:ring])})
	data := mapForWriting(t, filepath.Join(dir, "node-a.lgd"))
	f, err := Follow(dir, "")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := rand.New(rand.NewPCG(1, 2))
	var got []Interval
	for written := ring; ; {
		ranks, err := f.Refresh(time.Now())
		if err != nil || len(ranks) != 1 {
			t.Fatalf("%d ranks, %v", len(ranks), err)
		}
		if ranks[0].PID != 77 || ranks[0].SampleHz != 10 {
			t.Fatalf("process %d, %d samples a second", ranks[0].PID, ranks[0].SampleHz)
		}
		got = append(got, ranks[0].Fresh...)
		if written == len(all) {
			break
		}
		for range min(1+r.IntN(ring-1), len(all)-written) {
			putInterval(t, data, all[written], written%ring)
			written++
		}
	}
	if diff := cmp.Diff(all, got, cmpopts.IgnoreFields(Interval{}, "Thread")); diff != "" {
		t.Error(diff)
	}
}

// putInterval writes an interval at a place of the records of a file of one rank, as a recorder does.
func putInterval(t *testing.T, data []byte, i Interval, place int) {
	t.Helper()
	entry := mustEncode(t, testHeader, []*Rank{sampledRank([]Interval{i})})
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
	l, err := m.readLayout(&p)
	if err != nil {
		t.Fatal(err)
	}
	c := newCursor(m, l, 0, &p)
	for rec, ok := c.next(); ok; rec, ok = c.next() {
		if rec.typ == format.SeriesRecord {
			out = append(out, rec.live)
		}
	}
	return out
}

func mapForWriting(t *testing.T, path string) []byte {
	t.Helper()
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		t.Fatal(err)
	}
	data, err := unix.Mmap(int(file.Fd()), 0, int(info.Size()), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Munmap(data) })
	return data
}

// Long steps fill the time before the short ones, without overlap.
func TestWithoutOverlap(t *testing.T) {
	step := func(begin, seconds int64) Interval {
		return Interval{Begin: time.Unix(begin, 0).UTC(), Step: time.Duration(seconds) * time.Second}
	}
	got := withoutOverlap([]Interval{step(1230, 1), step(1229, 1), step(1231, 1), step(1220, 10), step(1210, 10),
		step(1230, 10), step(600, 600), step(1200, 600), step(1180, 60), step(1200, 10)})
	want := []Interval{step(600, 600), step(1200, 10), step(1210, 10), step(1220, 10), step(1230, 1), step(1231, 1)}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
