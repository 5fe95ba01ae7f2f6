package slowness

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"laggard/model"
)

// job is what is known of the speed of a job and of its ranks, by the samples so far.
type job struct {
	tracks []*track // by rising rank
	speed  speed
	judged int64 // the last bucket that was judged; 0 none
	hz     float64
	size   int // of MPI_COMM_WORLD; 0: the tracks are all
	events []Event
	alone  model.RankSet // ranks that are slower though the job is not
	// aloneAt is the latest bucket with such ranks. They are told again only if there were none for a time.
	aloneAt int64
}

// judge judges all buckets before the one with a number.
func (j *job) judge(before int64) {
	first := int64(math.MaxInt64)
	for _, t := range j.tracks {
		before = t.counted(before)
		if len(t.pending) > 0 {
			first = min(first, t.pending[0].number)
		}
	}
	for number := max(first, j.judged+1); number < before && first < math.MaxInt64; number++ {
		j.judgeBucket(number)
		j.judged = number
	}
}

// judgeBucket takes in what the ranks did in one bucket, and looks whether the speed changed.
func (j *job) judgeBucket(number int64) {
	var rates []float64
	begins := make([]int64, 0, len(j.tracks))
	for _, t := range j.tracks {
		b := t.take(number, j.speed.atUsual)
		if b == nil || t.anchor.state < 0 {
			continue
		}
		if b.anchor == t.anchor && b.seconds+b.absent > float32(bucketTime.Seconds()/2) {
			rates = append(rates, b.rate())
			begins = append(begins, t.since)
		}
	}
	if len(rates) == 0 {
		return
	}
	slices.Sort(begins)
	if since := begins[len(begins)/2] + 1; since > j.speed.begins { // the first bucket of a loop is cut
		if j.alone.Len() > 0 || j.speed.usual > 0 && j.speed.told != 0 {
			j.addEnd(OtherLoop, since, number, Rate{})
		}
		j.speed.restart(since)
		j.alone = model.RankSet{}
	}
	if number < j.speed.begins {
		return
	}
	j.speed.add(number, median(rates))
	j.lookAtJob(number)
	j.lookAtRanks(number)
}

// lookAtJob looks whether the job as a whole is slower, or as fast as before again.
func (j *job) lookAtJob(number int64) {
	s := &j.speed
	switch {
	case s.usual == 0:
		if c, ok := s.findSlowdown(); ok {
			s.usual, s.slow, s.told = c.before, c.begin, 0
		}
	case s.hasRecovered():
		j.noteRecovery(number)
	case s.told == 0:
		j.decideCause(number)
	case number-s.told > settles: // this is the usual speed now
		j.addEnd(Settled, s.slow, number, Rate{Now: s.since(s.slow + 1), Before: s.usual})
		s.begins, s.usual = s.slow+1, 0
		for _, t := range j.tracks {
			t.normal = sums{}
		}
	}
}

func (j *job) noteRecovery(number int64) {
	s := &j.speed
	begin := s.slow
	for _, r := range s.rates {
		if r.number > s.slow && r.rate < recovered*s.usual {
			begin = r.number + 1
		}
	}
	if s.told != 0 {
		j.events = append(j.events, Event{Kind: Recovery, Begin: bucketBegin(begin), Noticed: bucketBegin(number + 1),
			Rate: Rate{Now: s.rates[len(s.rates)-1].rate, Before: s.usual}, Confidence: sure})
	}
	s.spans = append(s.spans, span{s.slow, begin})
	s.usual = 0
}

// addEnd notes that what was told as slow is so no more, though it need not be faster.
func (j *job) addEnd(kind EventKind, begin, number int64, rate Rate) {
	e := Event{Kind: kind, Begin: bucketBegin(begin), Noticed: bucketBegin(number + 1), Rate: rate, Confidence: sure}
	j.events = append(j.events, e)
}

// How long the cause of a slowdown is looked for: the more samples, the surer.
const (
	leastBuckets  = 4 // before anything is said: programs are slow for some seconds by themselves
	mostBuckets   = 9
	decidesAtOnce = 0.9 // confidence
)

// decideCause says why the job is slower, once the samples show it.
func (j *job) decideCause(number int64) {
	s := &j.speed
	s.slow = s.firstSlow()
	buckets := int(number - s.slow) // the first one may be slow only in part
	if buckets < leastBuckets {
		return
	}
	now := s.since(s.slow + 1)
	ranks := j.compareRanks(s.slow+1, s.usual)
	f := j.asSeen(findCause(ranks, 1/now-1/s.usual, j.hz))
	if f.confidence < decidesAtOnce && buckets < mostBuckets {
		return
	}
	s.told = number
	j.events = append(j.events, j.newEvent(f, ranks, s.slow, number, Rate{Now: now, Before: s.usual}))
}

// asSeen is what can be said of a finding by the ranks that are followed.
func (j *job) asSeen(f finding) finding {
	if len(j.tracks) < j.size {
		return f.asSeenByPart()
	}
	return f
}

// A rank alone: its computing must be longer by this, and by so many standard errors, in so many buckets. It is looked for in each
// bucket for hours, so that the largest by chance is larger than in one look.
const (
	aloneRatio        = 1.15
	aloneDeviations   = 6
	aloneBeyondChance = 2
	aloneBuckets      = 6
	leastAlone        = 0.05 // more of the time without a processor, or on files
)

// lookAtRanks looks for ranks that are slower though the job is as fast as before, as it still waits longer for others.
func (j *job) lookAtRanks(number int64) {
	if j.speed.usual > 0 || number-j.speed.begins < leastBefore+aloneBuckets {
		return
	}
	begin := number - aloneBuckets + 1
	rates := j.speed.current()
	ranks := j.compareRanks(begin, stat.Mean(rates, nil))
	if typicallyStarved(ranks) {
		return // the whole job gets slower: why is decided once that is clear
	}
	f := j.starvedAlone(ranks, begin)
	if f.ranks.Len() == 0 {
		f = j.onFilesAlone(ranks, begin)
	}
	if f.ranks.Len() == 0 {
		f = j.computingAlone(ranks)
	}
	if f.ranks.Len() > 0 {
		j.aloneAt = number
	} else if j.alone.Len() > 0 && number-j.aloneAt > recentBuckets {
		j.addEnd(Settled, j.aloneAt+1, number, Rate{})
		j.events[len(j.events)-1].Ranks = j.alone
		j.alone = model.RankSet{}
	}
	if f.ranks.Minus(j.alone).Len() == 0 {
		return
	}
	j.alone = j.alone.Union(f.ranks)
	rate := Rate{Now: rates[len(rates)-1], Before: stat.Mean(rates, nil)}
	j.events = append(j.events, j.newEvent(j.asSeen(f), ranks, begin, number, rate))
}

// computingAlone finds ranks that compute longer.
func (j *job) computingAlone(ranks []compared) finding {
	f, ok := longComputing(ranks, 0, j.hz)
	if !ok || f.cause != RankComputes {
		return finding{}
	}
	chance := (largestByChance(len(ranks)) + aloneBeyondChance) * spread(ranks, 0, j.hz)
	f.ranks = rankSetOf(ranks, func(c *compared) bool {
		q := math.Log(max(c.computingRatio(), 1e-9))
		return f.ranks.Contains(c.rank) && q >= math.Log(aloneRatio) &&
			q >= aloneDeviations*c.ratioError(j.hz) && q >= chance*c.errorByChance(j.hz)
	})
	if f.ranks.Len() == 0 {
		return finding{}
	}
	return f.withNode(ranks, 0, j.hz)
}

// starvedAlone finds ranks that lack a processor more than before all the time since a bucket, and much more. The kernel counts that: it
// has no noise but that of other processes, which come and go.
func (j *job) starvedAlone(ranks []compared, begin int64) finding {
	starved := rankSetOf(ranks, func(c *compared) bool {
		return c.more(noProcessor) >= max(leastAlone, c.before.share(noProcessor)/3) && j.steadilyMore(c, begin, noProcessor, leastStarved)
	})
	return finding{cause: NodeSlow, ranks: starved, lack: NoProcessor, confidence: 0.95}
}

// onFilesAlone finds ranks that spend more of the time on files than before, all the time since a bucket. A rank that only computes less
// waits for longer, which may be in a collective file call.
func (j *job) onFilesAlone(ranks []compared, begin int64) finding {
	chance := max(aloneDeviations, largestByChance(len(ranks))+aloneBeyondChance)
	slow := rankSetOf(ranks, func(c *compared) bool {
		return c.more(inIO) >= max(leastAlone, chance*c.shareError(inIO, j.hz)) && c.longer(computing) > -c.longer(inIO)/2 &&
			j.steadilyMore(c, begin, inIO, 0)
	})
	if slow.Len() == 0 || lateForFiles(ranks, slow, j.hz) >= 1-mostly {
		return finding{}
	}
	return finding{cause: IOSlow, ranks: slow, confidence: 0.9}
}

// steadilyMore reports whether a rank spent more of the time on something than before in each bucket since one, and by how much at
// least.
func (j *job) steadilyMore(c *compared, begin int64, part func(*sums) float32, least float64) bool {
	usual := c.before.share(part)
	i, _ := slices.BinarySearchFunc(j.tracks, c.rank, func(t *track, rank int) int { return cmp.Compare(t.rank.Rank, rank) })
	return !slices.ContainsFunc(j.tracks[i].recent, func(b bucket) bool {
		return b.number >= begin && b.share(part) <= usual+least
	})
}

// typicallyStarved reports whether the median rank lacks a processor more than before, and not much less than the one that lacks it
// most: a process that takes the processor of one rank may take a little of others.
func typicallyStarved(ranks []compared) bool {
	if len(ranks) == 0 {
		return false
	}
	more := make([]float64, len(ranks))
	for i := range ranks {
		more[i] = ranks[i].more(noProcessor)
	}
	return median(more) >= max(leastStarved/2, slices.Max(more)/standsOut)
}

// standsOut is how many times as long as the median rank one lacks a processor that stands out.
const standsOut = 4

// compareRanks compares what the ranks did from a bucket on with what they did at the usual speed. Ranks without iterations are left out.
// What is counted of one rank may be the turns of a loop within what is counted of another: each rank's are brought to the usual
// rate of the job, so that all speak of the same iteration.
func (j *job) compareRanks(from int64, usual float64) []compared {
	out := make([]compared, 0, len(j.tracks))
	for _, t := range j.tracks {
		c := compared{rank: t.rank.Rank, host: t.rank.Host}
		if c.since, c.before = t.sinceAndBefore(from); c.rated() {
			per := float32(usual / c.before.rate())
			c.before.turns *= per
			c.since.turns *= per
			out = append(out, c)
		}
	}
	return out
}

func (j *job) newEvent(f finding, ranks []compared, begin, number int64, rate Rate) Event {
	e := Event{Kind: Slowdown, Begin: bucketBegin(begin), Noticed: bucketBegin(number + 1), Cause: f.cause, Ranks: f.ranks, Rate: rate,
		Evidence: f.lack, Confidence: f.confidence}
	var quotients []float64
	var before, since []Shares
	for i := range ranks {
		c := &ranks[i]
		if f.ranks.Len() > 0 && !f.ranks.Contains(c.rank) {
			continue
		}
		if q := c.computingRatio(); q > 0 {
			quotients = append(quotients, q)
		}
		before, since = append(before, c.before.shares()), append(since, c.since.shares())
		if f.ranks.Len() > 0 && !slices.Contains(e.Hosts, c.host) {
			e.Hosts = append(e.Hosts, c.host)
		}
	}
	slices.Sort(e.Hosts)
	e.ComputingRatio, e.Before, e.Now = median(quotients), medianShares(before), medianShares(since)
	return e
}

func medianShares(all []Shares) Shares {
	part := func(of func(Shares) float64) float64 {
		values := make([]float64, len(all))
		for i, s := range all {
			values[i] = of(s)
		}
		return median(values)
	}
	return Shares{
		Computing: part(func(s Shares) float64 { return s.Computing }), Waiting: part(func(s Shares) float64 { return s.Waiting }),
		IO: part(func(s Shares) float64 { return s.IO }), Absent: part(func(s Shares) float64 { return s.Absent }),
		Starved: part(func(s Shares) float64 { return s.Starved }),
	}
}
