package slowness

import (
	"cmp"
	"slices"
	"time"

	"laggard/model"
	"laggard/model/runfiles"
)

// bucketTime is the length of a bucket, in which the samples of a rank are added up.
const bucketTime = 5 * time.Second

// number of the bucket that a moment lies in, since 1970.
func bucketOf(t time.Time) int64 { return t.Unix() / int64(bucketTime/time.Second) }

func bucketBegin(number int64) time.Time {
	return time.Unix(number*int64(bucketTime/time.Second), 0).UTC()
}

// sums are what samples say of some time of a rank; times in seconds.
type sums struct {
	seconds                        float32 // covered by samples
	absent                         float32 // in which there should have been samples
	computing, waiting, io         float32
	starved                        float32
	turns                          float32 // of the anchor
	calls                          float32 // of MPI functions
	faults                         float32 // major page faults
	memory, megahertz, clockSample float32 // pressure × seconds; clock × seconds, where it is known, and those seconds
}

func (s *sums) add(o *sums) {
	s.seconds += o.seconds
	s.absent += o.absent
	s.computing += o.computing
	s.waiting += o.waiting
	s.io += o.io
	s.starved += o.starved
	s.turns += o.turns
	s.calls += o.calls
	s.faults += o.faults
	s.memory += o.memory
	s.megahertz += o.megahertz
	s.clockSample += o.clockSample
}

// shares of the time; zero if there are no samples.
func (s *sums) shares() Shares {
	all := float64(s.seconds + s.absent)
	if all == 0 {
		return Shares{}
	}
	return Shares{Computing: float64(s.computing) / all, Waiting: float64(s.waiting) / all, IO: float64(s.io) / all,
		Absent: float64(s.absent) / all, Starved: float64(s.starved) / all}
}

// rate in iterations per second; 0 unknown.
func (s *sums) rate() float64 { return ratio(s.turns, s.seconds+s.absent) }

// computingShare is the part of the samples outside MPI; 0: there are none.
func (s *sums) computingShare() float64 { return ratio(s.computing, s.seconds) }

// share is how much of the time there is of something.
func (s *sums) share(part func(*sums) float32) float64 { return ratio(part(s), s.seconds+s.absent) }

// worked is the time outside MPI in which the thread had a processor.
func (s *sums) worked() float32 { return max(s.computing-s.starved, 0) }

// perTurn is how long something took in an iteration, in seconds; 0 unknown.
func (s *sums) perTurn(time float32) float64 { return ratio(time, s.turns) }

func ratio(a, b float32) float64 {
	if b <= 0 {
		return 0
	}
	return float64(a) / float64(b)
}

// anchor names the state whose visits are iterations.
type anchor struct{ thread, state int }

// bucket is what a rank did in the time of one bucket.
type bucket struct {
	number int64
	anchor anchor // state -1: none, or two
	sums
}

// track follows one rank.
type track struct {
	rank   *runfiles.FollowedRank
	latest time.Time // end of the latest interval
	// waiting buckets are not yet judged; the last one may grow.
	pending []bucket
	// recent are the latest buckets that were judged, the oldest first. What leaves them is added to normal, as long as the job
	// runs at its usual speed.
	recent []bucket
	normal sums
	anchor anchor
	since  int64 // number of the first bucket with that anchor
	turned turned
}

// turned is the end of the latest interval with turns of an anchor.
type turned struct {
	anchor anchor
	end    time.Time
}

// longestTurn is the longest iteration of which the time is shared out among the buckets that it lies in. The judgement of these waits
// until it ends.
const longestTurn = 15 * time.Second

// recentBuckets are those in which a change may still be noticed.
const recentBuckets = 12

// feed takes in intervals, which are newer than those before.
func (t *track) feed(intervals []model.Interval, hz int) {
	for i := range intervals {
		t.feedInterval(&intervals[i], hz)
	}
}

// feedInterval spreads an interval over the buckets that it lies in, and a time without samples before it.
func (t *track) feedInterval(i *model.Interval, hz int) {
	at := anchor{i.Thread, i.Anchor}
	if gap := i.Begin.Sub(t.latest); !t.latest.IsZero() && gap > 0 && gap < longestAbsence {
		t.spread(t.latest, i.Begin, sums{absent: float32(gap.Seconds())}, at)
	}
	t.latest = i.End()
	whole := sumsOf(i, hz)
	turns := whole.turns
	whole.turns = 0
	t.spread(i.Begin, i.End(), whole, at)
	t.spreadTurns(i, turns, at)
}

// spreadTurns spreads turns that ended in an interval over the time since the latest turn before: of a loop with iterations of seconds,
// a bucket has a part of an iteration more or less than whole ones.
func (t *track) spreadTurns(i *model.Interval, turns float32, at anchor) {
	if turns == 0 {
		return
	}
	begin := i.Begin
	if t.turned.anchor == at && begin.Sub(t.turned.end) < longestTurn {
		begin = t.turned.end
	}
	t.spread(begin, i.End(), sums{turns: turns}, at)
	t.turned = turned{at, i.End()}
}

// counted is the bucket before which all turns are known, of the buckets before one.
func (t *track) counted(before int64) int64 {
	if gap := bucketBegin(before).Sub(t.turned.end); gap > 0 && gap <= longestTurn {
		return bucketOf(t.turned.end)
	}
	return before
}

// spread adds what a time from begin to end says to the buckets that it lies in.
func (t *track) spread(begin, end time.Time, whole sums, at anchor) {
	for number := bucketOf(begin); number <= bucketOf(end.Add(-1)); number++ {
		part := minTime(bucketBegin(number+1), end).Sub(maxTime(bucketBegin(number), begin)).Seconds() / end.Sub(begin).Seconds()
		scaled := whole.scaled(float32(part))
		t.bucketAt(number, at).add(&scaled)
	}
}

// longestAbsence is how long a process may be stopped to count as slow; then it is looked at as one that begins anew.
const longestAbsence = 10 * time.Minute

func minTime(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

func maxTime(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}

// sumsOf turns samples into times.
func sumsOf(i *model.Interval, hz int) sums {
	if i.Samples == 0 {
		return sums{}
	}
	step := float32(i.Step.Seconds())
	each := step / float32(i.Samples)
	s := sums{seconds: step, computing: float32(i.Computing) * each, waiting: float32(i.Waiting) * each, io: float32(i.IO) * each,
		starved: float32(i.Starved.Seconds()), calls: float32(i.Calls), faults: float32(i.Faults),
		memory: float32(i.Pressure.Memory) * step}
	if due := step * float32(hz); float32(i.Samples) < due/2 { // stopped, or without a processor, for a part of the time
		s.absent = step * (1 - float32(i.Samples)/due)
		here := float32(i.Samples) / due
		s.seconds, s.computing, s.waiting, s.io = s.seconds*here, s.computing*here, s.waiting*here, s.io*here
	}
	if i.Anchor >= 0 {
		s.turns = float32(i.Turns)
	}
	if i.MHz > 0 {
		s.megahertz, s.clockSample = float32(i.MHz)*step, step
	}
	return s
}

func (s *sums) scaled(by float32) sums {
	return sums{s.seconds * by, s.absent * by, s.computing * by, s.waiting * by, s.io * by, s.starved * by, s.turns * by, s.calls * by,
		s.faults * by, s.memory * by, s.megahertz * by, s.clockSample * by}
}

func (t *track) bucketAt(number int64, a anchor) *bucket {
	if n := len(t.pending); n > 0 && t.pending[n-1].number >= number {
		at, _ := slices.BinarySearchFunc(t.pending, number, func(b bucket, number int64) int { return cmp.Compare(b.number, number) })
		b := &t.pending[at]
		if b.anchor != a {
			b.anchor.state, b.turns = -1, 0
		}
		return b
	}
	t.pending = append(t.pending, bucket{number: number, anchor: a})
	return &t.pending[len(t.pending)-1]
}

// take moves the bucket with a number from pending to recent, if there is one. usual reports of a bucket that leaves whether the
// job ran at its usual speed then.
func (t *track) take(number int64, usual func(number int64) bool) *bucket {
	for len(t.pending) > 0 && t.pending[0].number < number {
		t.pending = t.pending[1:]
	}
	if len(t.pending) == 0 || t.pending[0].number != number {
		return nil
	}
	b := t.pending[0]
	t.pending = t.pending[1:]
	if b.anchor.state >= 0 && b.anchor != t.anchor {
		t.anchor, t.since = b.anchor, number
		t.recent, t.normal = t.recent[:0], sums{}
	}
	if len(t.recent) == recentBuckets {
		if t.recent[0].anchor == t.anchor && usual(t.recent[0].number) {
			t.normal.add(&t.recent[0].sums)
		}
		t.recent = append(t.recent[:0], t.recent[1:]...)
	}
	t.recent = append(t.recent, b)
	return &t.recent[len(t.recent)-1]
}

// sinceAndBefore adds up the recent buckets from a number on, and all that ran at the usual speed before it.
func (t *track) sinceAndBefore(number int64) (since, before sums) {
	before = t.normal
	for i := range t.recent {
		switch b := &t.recent[i]; {
		case b.anchor != t.anchor:
		case b.number >= number:
			since.add(&b.sums)
		default:
			before.add(&b.sums)
		}
	}
	return since, before
}
