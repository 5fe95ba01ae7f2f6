package slowness

import (
	"cmp"
	"slices"
	"time"

	"gonum.org/v1/gonum/stat"

	"laggard/model"
	"laggard/model/runfiles"
)

// Monitor follows the speed of a job by its run directory, while the job runs or afterwards. It is for one goroutine.
type Monitor struct {
	follower *runfiles.Follower
	job      job
	known    map[*runfiles.FollowedRank]*track
}

// NewMonitor begins to follow a run directory. See runfiles.Scan for the errors.
func NewMonitor(dir string) (*Monitor, error) { return NewNodeMonitor(dir, "") }

// NewNodeMonitor begins to follow one node file of a run directory, without looking at another. What ranks of other nodes
// do may be the cause of what it sees, so fewer causes can be told.
func NewNodeMonitor(dir, file string) (*Monitor, error) {
	f, err := runfiles.Follow(dir, file)
	if err != nil {
		return nil, err
	}
	return &Monitor{follower: f, known: map[*runfiles.FollowedRank]*track{}}, nil
}

// Close ends the use of the files.
func (m *Monitor) Close() { m.follower.Close() }

// Quiet is for how long no rank that runs has made progress, as of the last Refresh.
func (m *Monitor) Quiet(now time.Time) time.Duration {
	var latest time.Time
	for _, t := range m.job.tracks {
		switch {
		case t.rank.End != model.NoEnd:
		case t.rank.Quiet.IsZero():
			return 0
		default:
			latest = maxTime(latest, t.rank.Quiet)
		}
	}
	if latest.IsZero() {
		return 0
	}
	return max(now.Sub(latest), 0)
}

// lag is how long the samples of a time may take to be in the file of every rank.
const lag = 3 * time.Second

// historyBytes bounds what is remembered of the time before the first Refresh, and historyBuckets of one rank: two hours.
const (
	historyBytes   = 128 << 20
	historyBuckets = 1440
	leastHistory   = 24
	bytesPerBucket = 72
)

// Refresh takes in what the ranks have recorded since the last time, and returns what is known now, without places (AddPlaces).
func (m *Monitor) Refresh(now time.Time) (*Result, error) {
	ranks, err := m.follower.Refresh(now)
	if err != nil {
		return nil, err
	}
	history := min(max(historyBytes/bytesPerBucket/max(len(ranks), 1), leastHistory), historyBuckets)
	m.job.tracks = m.job.tracks[:0]
	newest := time.Time{}
	for _, r := range ranks {
		t := m.known[r]
		if t == nil {
			t = &track{rank: r, anchor: anchor{state: -1}}
			m.known[r] = t
		}
		m.job.tracks = append(m.job.tracks, t)
		m.job.hz = max(m.job.hz, float64(r.SampleHz))
		t.feed(latestOf(r.Fresh, history), r.SampleHz)
		newest = maxTime(newest, t.latest)
	}
	m.job.size = m.follower.Size()
	m.job.judge(bucketOf(newest.Add(-lag)))
	return m.result(), nil
}

// latestOf leaves as many intervals as fill a number of buckets.
func latestOf(intervals []model.Interval, buckets int) []model.Interval {
	if len(intervals) == 0 {
		return nil
	}
	from := intervals[len(intervals)-1].End().Add(-time.Duration(buckets) * bucketTime)
	i, _ := slices.BinarySearchFunc(intervals, from, func(i model.Interval, t time.Time) int { return i.Begin.Compare(t) })
	return intervals[i:]
}

// result is what is known by now.
func (m *Monitor) result() *Result {
	r := m.job.result()
	r.Size, r.Problems = m.follower.Size(), m.follower.Problems()
	return r
}

// slowestPlaces is of how many of the slowest ranks AddPlaces adds the places.
const slowestPlaces = 16

// AddPlaces adds to a Result of the last Refresh where the slowest ranks are, and the first ones of each slowdown. It reads all
// that these have recorded.
func (m *Monitor) AddPlaces(r *Result) {
	slowest := make([]*RankSpeed, len(r.Ranks))
	for i := range r.Ranks {
		slowest[i] = &r.Ranks[i]
	}
	slices.SortStableFunc(slowest, func(a, b *RankSpeed) int { return cmp.Compare(b.ComputingRatio, a.ComputingRatio) })
	for _, s := range slowest[:min(len(slowest), slowestPlaces)] {
		m.addPlace(s)
	}
	for i := range r.Events {
		e := &r.Events[i]
		if e.Kind != Slowdown || e.Ranks.Len() == 0 {
			continue
		}
		byRank := func(s RankSpeed, rank int) int { return cmp.Compare(s.Rank, rank) }
		if at, ok := slices.BinarySearchFunc(r.Ranks, e.Ranks.Min(), byRank); ok {
			m.addPlace(&r.Ranks[at])
			e.Place = r.Ranks[at].Place
		}
	}
}

// addPlace adds where a rank was lately.
func (m *Monitor) addPlace(s *RankSpeed) {
	at := slices.IndexFunc(m.job.tracks, func(t *track) bool { return t.rank.Rank == s.Rank })
	if s.Place != nil || at < 0 {
		return
	}
	k, err := m.follower.Load(m.job.tracks[at].rank)
	if err != nil || len(k.Series) == 0 {
		return
	}
	last := k.Series[len(k.Series)-1]
	if last.State >= 0 {
		s.Place = k.Threads[last.Thread].Model.States[last.State]
	}
	s.InMPI = 2*last.Waiting > last.Samples
	if last.Comm >= 0 && 2*last.ForPeer > last.Waiting {
		s.WaitsFor = k.Comms[last.Comm].WorldRank(last.Peer)
	}
}

// result is what the tracks and the events say, without places.
func (j *job) result() *Result {
	r := &Result{Events: slices.Clone(j.events)}
	slow := j.speed.usual
	begin := j.judged + 1
	if slow > 0 {
		begin = j.speed.slow
	}
	for _, t := range j.tracks {
		if t.latest.IsZero() {
			continue
		}
		r.Sampled.Add(t.rank.Rank)
		r.Ranks = append(r.Ranks, t.speed(begin))
		if r.End.Before(t.latest) {
			r.End = t.latest
		}
		if r.Begin.IsZero() || t.rank.Start.Before(r.Begin) {
			r.Begin = t.rank.Start
		}
	}
	slices.SortFunc(r.Ranks, func(a, b RankSpeed) int { return cmp.Compare(a.Rank, b.Rank) })
	if n := len(j.speed.rates); n > 0 {
		for _, b := range j.speed.rates[max(0, n-2):] {
			r.Rate.Now += b.rate / float64(min(n, 2))
		}
		r.Rate.Before = slow
		rates := j.speed.current()
		if slow == 0 && len(rates) > 0 {
			r.Rate.Before = stat.Mean(rates, nil)
		}
		if len(rates) >= leastBefore+tails[0] {
			r.Compared = r.End.Sub(bucketBegin(max(j.speed.begins, bucketOf(r.Begin))))
		}
	}
	return r
}

// latestBuckets are those that RankSpeed.Now is over.
const latestBuckets = 2

// speed of a rank; the buckets before one with a number ran at the usual speed.
func (t *track) speed(slow int64) RankSpeed {
	s := RankSpeed{Rank: t.rank.Rank, Host: t.rank.Host, Latest: t.latest, WaitsFor: -1}
	var now sums
	for i := max(0, len(t.recent)-latestBuckets); i < len(t.recent); i++ {
		now.add(&t.recent[i].sums)
	}
	_, before := t.sinceAndBefore(slow)
	c := compared{before: before, since: now}
	s.Now, s.Before = now.shares(), before.shares()
	s.Rate = Rate{Now: now.rate(), Before: before.rate()}
	s.ComputingRatio = c.computingRatio()
	return s
}
