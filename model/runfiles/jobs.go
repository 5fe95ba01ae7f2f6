package runfiles

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"laggard/model"
	"laggard/model/nodefile"
)

// A recording may hold several MPI jobs: a script starts one mpirun behind another, or several at once. Ranks of one are never compared
// with those of another. JobCensus counts the processes of one, or of its part on one node: what the launcher calls the job is known on
// all nodes, and otherwise which process started it on this one. Old recordings say neither, and are one job, see worldSize.
type JobCensus struct {
	Sizes map[int]WorldCount `json:"sizes"` // by the size of MPI_COMM_WORLD that processes tell
	Seen  model.RankSet      `json:"seen"`  // ranks that have a slot, and
	Twice model.RankSet      `json:"twice"` // several
	Named bool               `json:"named"` // the launcher gives the job a name
}

// WorldCount counts the processes of a job that tell one size. Times are ns since 1970.
type WorldCount struct {
	Slots  int   `json:"slots"`
	Open   int   `json:"open"`   // have not left MPI_Finalize
	Ended  int   `json:"ended"`  // of these, said that they ended
	Moving int   `json:"moving"` // of these, neither ended nor stand still
	Start  int64 `json:"start"`  // of the first process
	Last   int64 `json:"last"`   // sign of life of any
}

// jobKey tells which JobCensus counts a slot; 0: that is not known.
func jobKey(s *nodefile.SlotInfo) uint64 { return cmp.Or(s.World, s.Starter) }

func (c *JobCensus) countSlot(s *nodefile.SlotInfo) {
	c.Named = c.Named || s.World != 0
	if s.Size > 0 {
		one := WorldCount{Slots: 1, Start: s.StartNanos(), Last: max(s.StartNanos(), unixNano(s.Heartbeat))}
		if !s.Finished {
			one.Open = 1
			if s.Ended {
				one.Ended = 1
			} else if !s.Still {
				one.Moving = 1
			}
		}
		c.addSize(s.Size, one)
	}
	if c.Seen.Contains(s.Rank) {
		c.Twice.Add(s.Rank)
	}
	c.Seen.Add(s.Rank)
}

func unixNano(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}

func (c *JobCensus) addSize(size int, more WorldCount) {
	if c.Sizes == nil {
		c.Sizes = map[int]WorldCount{}
	}
	if known, ok := c.Sizes[size]; ok {
		more = WorldCount{
			Slots: known.Slots + more.Slots, Open: known.Open + more.Open,
			Ended: known.Ended + more.Ended, Moving: known.Moving + more.Moving,
			Start: earlierOf(known.Start, more.Start), Last: max(known.Last, more.Last),
		}
	}
	c.Sizes[size] = more
}

// earlierOf is the earlier of two times, of which one that is 0 is not known.
func earlierOf(a, b int64) int64 {
	if a == 0 || b == 0 {
		return max(a, b)
	}
	return min(a, b)
}

func (c *JobCensus) merge(t *JobCensus) {
	for size, n := range t.Sizes {
		c.addSize(size, n)
	}
	c.Named = c.Named || t.Named
	c.Twice = c.Twice.Union(t.Twice).Union(c.Seen.Intersect(t.Seen))
	c.Seen = c.Seen.Union(t.Seen)
}

// worldSize is the size of MPI_COMM_WORLD: that of the most processes that have not left MPI_Finalize, as a script may run several programs
// one behind the other; of all if none is left. Of two that are as common it is the larger one: ranks may each have started a program
// of one rank. 0: no process tells one.
func (c *JobCensus) worldSize() (size int) {
	count := func(n WorldCount) int { return n.Slots }
	for _, n := range c.Sizes {
		if n.Open > 0 {
			count = func(n WorldCount) int { return n.Open }
		}
	}
	for s, n := range c.Sizes {
		if most := count(c.Sizes[size]); count(n) > most || count(n) == most && s > size {
			size = s
		}
	}
	return size
}

// job is an MPI job of a recording.
type job struct {
	JobCensus
	keys []uint64 // its parts
}

// OtherJob is an MPI job of a recording that an Index is not about.
type OtherJob struct {
	Size  int // of MPI_COMM_WORLD
	State JobState
}

// JobState is how an MPI job got on.
type JobState int

// The states of an MPI job.
const (
	JobFinished   JobState = iota // all ranks left MPI_Finalize
	JobFailed                     // a rank ended before that
	JobUnfinished                 // else: it hung, was killed, or runs
)

func (j *job) state() JobState {
	switch n := j.count(); {
	case n.Open == 0:
		return JobFinished
	case n.Ended > 0:
		return JobFailed
	}
	return JobUnfinished
}

// findJobs lists the MPI jobs: first the one that the user most probably asks about, see rankJobs.
func (r *RunCensus) findJobs() []job {
	var jobs []job
	for _, key := range slices.Sorted(maps.Keys(r.Jobs)) {
		if c := r.Jobs[key]; c.worldSize() > 0 {
			j := job{keys: []uint64{key}}
			j.merge(&c)
			jobs = append(jobs, j)
		}
	}
	jobs = joinNodes(jobs)
	rankJobs(jobs)
	return jobs
}

// together is how long a sign of life may precede another that is taken to be as late: processes give one each second, clocks of
// nodes differ, and processes of a job do not end at one moment.
const together = 5 * time.Second

// joinNodes joins the parts of jobs whose launcher gives them no names, and those of which it is not known, as where the record of a rank
// is damaged: parts that together have no rank twice and lived at the same time, as MPI_Init lets no rank pass before all have come. Of
// several it joins those that started closest to each other.
func joinNodes(jobs []job) []job {
	for {
		pairs := findPairs(jobs)
		if len(pairs) == 0 {
			return jobs
		}
		for _, p := range pairs {
			if p.isOne() {
				p.a.merge(&p.b.JobCensus)
				p.a.keys, p.b.keys = append(p.a.keys, p.b.keys...), nil
			}
		}
		jobs = slices.DeleteFunc(jobs, func(j job) bool { return j.keys == nil })
	}
}

// pair are two parts that may be of one job.
type pair struct{ a, b *job }

// findPairs finds for each part the one behind it, in order of their starts, that may be of the same job. The pairs that started
// closest to each other come first.
func findPairs(jobs []job) (pairs []pair) {
	var open []*job
	for i := range jobs {
		if j := &jobs[i]; j.Seen.MissingBelow(j.worldSize()).Len() > 0 {
			open = append(open, j)
		}
	}
	slices.SortStableFunc(open, func(a, b *job) int { return cmp.Compare(a.count().Start, b.count().Start) })
	for i, a := range open {
		at := slices.IndexFunc(open[i+1:], func(b *job) bool { return pair{a, b}.isOne() })
		if at >= 0 {
			pairs = append(pairs, pair{a, open[i+1+at]})
		}
	}
	gap := func(p pair) int64 { return p.b.count().Start - p.a.count().Start }
	slices.SortStableFunc(pairs, func(p, q pair) int { return cmp.Compare(gap(p), gap(q)) })
	return pairs
}

// isOne reports whether two parts, neither of which has become part of another, may be of one job.
func (p pair) isOne() bool {
	if p.a.keys == nil || p.b.keys == nil || p.a.worldSize() != p.b.worldSize() {
		return false
	}
	known := slices.Max(p.a.keys) != 0 && slices.Max(p.b.keys) != 0
	if known && (p.a.Named || p.b.Named) || p.a.Seen.Intersect(p.b.Seen).Len() > 0 {
		return false
	}
	a, b := p.a.count(), p.b.count()
	return min(a.Last, b.Last) == 0 || max(a.Start, b.Start) <= min(a.Last, b.Last)+int64(together)
}

// count is that of the processes of the job's own size.
func (c *JobCensus) count() WorldCount { return c.Sizes[c.worldSize()] }

// rankJobs puts first which job an analysis is about: one that crashed or hangs rather than one that finished. Of those it is one that
// was alive at the end, or is; a job of several ranks, as a rank may have started a program of one rank; one that stands still; and
// the latest. Of jobs that finished it is the largest, and of these the latest.
func rankJobs(jobs []job) {
	var last int64
	for i := range jobs {
		if n := jobs[i].count(); n.Open > 0 {
			last = max(last, n.Last)
		}
	}
	order := func(j *job) []int64 {
		n, size := j.count(), int64(j.worldSize())
		if n.Open == 0 {
			return []int64{1, -size, -n.Start}
		}
		return []int64{0, oneIf(n.Last < last-int64(together)), oneIf(size == 1), oneIf(n.Moving > 0), -n.Start}
	}
	slices.SortStableFunc(jobs, func(a, b job) int { return slices.Compare(order(&a), order(&b)) })
}

func oneIf(is bool) int64 {
	if is {
		return 1
	}
	return 0
}
