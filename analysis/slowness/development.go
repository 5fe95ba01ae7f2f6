package slowness

import (
	"cmp"
	"math"
	"slices"
	"time"

	"laggard/model"
	"laggard/model/nodefile"
	"laggard/model/runfiles"
)

// Development is how the speed of a job developed until it ended or stopped.
type Development struct {
	Rate   Rate    // Now is over its last 10 s
	Events []Event // without places, by time
	// Loop is the call by which iterations are counted, and Iterations how often rank Rank had come to it; nil unknown. Rate is that of
	// this loop: other ranks may be in one within it, or around it.
	Loop       *model.State
	Iterations uint64
	Rank       int
}

// mostFollowed bounds the ranks that Develop reads; of a larger job it reads one node, which says how fast all are.
const mostFollowed = 1024

// Develop reads the samples of a run that has ended, or hangs. Nil: there are none of a loop. See runfiles.Follow for the errors.
func Develop(x *runfiles.Index) (*Development, error) {
	file := ""
	if len(x.Slots) > mostFollowed {
		file = x.Slots[0].File
	}
	m, err := NewNodeMonitor(x.Dir, file)
	if err != nil {
		return nil, err
	}
	defer m.Close()
	r, err := m.Refresh(time.Now())
	if err != nil || r.Rate == (Rate{}) {
		return nil, err
	}
	d := &Development{Rate: r.Rate, Events: r.Events}
	ranks := slices.Clone(r.Ranks)
	slices.SortStableFunc(ranks, func(a, b RankSpeed) int { return cmp.Compare(a.Rate.from(r.Rate), b.Rate.from(r.Rate)) })
	for _, speed := range ranks {
		at := slices.IndexFunc(m.job.tracks, func(t *track) bool { return t.rank.Rank == speed.Rank })
		if d.addLoop(m, m.job.tracks[at]) {
			d.Rate = speed.Rate
			break
		}
	}
	return d, nil
}

// from is how far a rate is from another, that of the job: by the usual one, as at the end a job may stand.
func (r Rate) from(o Rate) float64 { return math.Abs(r.Before - o.Before) }

// addLoop adds the loop that a rank is in.
func (d *Development) addLoop(m *Monitor, t *track) bool {
	if t.anchor.state < 0 {
		return false
	}
	k, err := m.follower.Load(t.rank)
	if err != nil || t.anchor.thread >= len(k.Threads) {
		return false
	}
	states := k.Threads[t.anchor.thread].Model.States
	if t.anchor.state >= len(states) {
		return false
	}
	d.Loop, d.Rank = states[t.anchor.state], k.Rank
	d.Iterations = visitsOf(k, d.Loop.ID)
	return true
}

// IterationsIn is how often the same rank came to the same call in another run of the program; 0: never, or it is unknown.
func (d *Development) IterationsIn(other *runfiles.Index) uint64 {
	if d.Loop == nil {
		return 0
	}
	at := slices.IndexFunc(other.Slots, func(s nodefile.SlotInfo) bool { return s.Rank == d.Rank && !s.Spawned })
	if at < 0 {
		return 0
	}
	run, err := other.LoadSlots(at, at+1)
	if err != nil || len(run.Ranks) == 0 {
		return 0
	}
	return visitsOf(run.Ranks[0], d.Loop.ID)
}

// visitsOf is how often the threads of a rank came to a state.
func visitsOf(k *model.Rank, id model.StateID) (visits uint64) {
	for _, t := range k.Threads {
		for i, s := range t.Model.States {
			if s.ID == id {
				visits += t.Model.Visits[i]
			}
		}
	}
	return visits
}
