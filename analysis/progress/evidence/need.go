package evidence

import (
	"slices"

	"laggard/analysis/progress/facts"
	"laggard/model"
	"laggard/model/mpi"
)

// Target is a set of ranks that is waited for: all of them, or any one.
// Ranks that wait for the same share one target.
type Target struct {
	Ranks model.RankSet
	Any   bool // one of them will do
	// Some: at least one of them is needed, and which of them is not known.
	Some  bool
	whole *Target // of Some: as if all were needed; nil: not yet asked for
	first []int   // the lowest of them by their place in the communicator, nil: not yet asked for
}

// releasedByOne reports whether who waits may move on when one of the ranks does.
func (t *Target) releasedByOne() bool { return t.Any || t.Some }

// asWhole is the target as if all of its ranks were needed, where which of them are is not known.
func (t *Target) asWhole() *Target {
	if !t.Some {
		return t
	}
	if t.whole == nil {
		t.whole = &Target{Ranks: t.Ranks}
	}
	return t.whole
}

// targetKey names a target: why the set is what it is.
type targetKey struct {
	what what
	comm uint64
	seq  uint64
	call string // the function of the collective
	rank int    // of which the target is; of those of a whole world the first there; of lowerLate their number
}

type what uint8

const (
	oneRank   what = iota
	lateFor        // the members that have not begun collective seq on comm, or as another function
	someLate       // the same, of which some are needed
	lowerLate      // the first of the same by their place on comm, as many as rank says
	leftIdle       // the members of comm that are outside MPI
	anyoneOn       // the members of the group of comm that may still send
	leaderOf       // who leads the group that makes an intercommunicator by collective seq on comm
	outsideWindow
	completingOn // the ranks that complete something on window comm under a lock
	notFinalizing
	notStarted
)

// Kind tells how a link is known.
type Kind string

// The kinds of link.
const (
	Collective   Kind = "collective" // for other ranks to come to one, or for a lock
	PointToPoint Kind = "p2p"
)

// Link is what one want of a rank comes to.
type Link struct {
	To     *Target
	Weak   bool // it may be satisfied already, only waiting to be noticed
	lax    bool // weak for one reason only: this part of the call may be over for the rank
	taken  bool // weak since a receive with a wildcard may have taken the message
	Kind   Kind
	source wantID
}

// outcome is what became of a want.
type outcome uint8

const (
	linked    outcome = iota
	satisfied         // nothing is missing
	open              // the record does not tell
)

// Standing is how a rank stands.
type Standing uint8

// How a rank stands.
const (
	Running  Standing = iota // in computation
	Waiting                  // it has alternatives
	Ready                    // in a call that has all it waits for
	Opaque                   // in a call whose wait the record does not tell
	Finished                 // finalized
	absent                   // no record
)

// Need is what a rank waits for. It can move on as soon as all links of one
// alternative are released.
type Need struct {
	Standing Standing
	Alts     [][]Link // alternatives, each of links that it needs all
	Weak     bool     // no alternative is certain
	Alone    bool     // it waits for a message no remaining rank can send
	Computes bool     // the representative thread does not wait, only others do
	Polls    bool     // its calls return at once, so that the program may do something else next
	// side are the alternatives of its other blocked threads: they may move
	// the rank on, too.
	side [][]Link
}

// allAlternatives returns the alternatives of all threads.
func (n *Need) allAlternatives() [][]Link { return slices.Concat(n.Alts, n.side) }

// judge decides whether what a rank wants is there, may come, or is missing, and from whom.
type judge struct{ *Scene }

// needOf judges all waits of a rank. The representative thread speaks for the
// rank. If that one computes, it may be waiting for the others to finish, which
// is weak evidence; a thread that waits for anyone is rather one that serves.
func (s judge) needOf(f *facts.Fact) Need {
	if f.Phase == model.Finalized {
		return Need{Standing: Finished}
	}
	n := Need{Standing: Running}
	if f.PollsMemory || f.At.InMPI && !(f.Still && len(f.Waits) == 0) { // else it hangs in a call that never waits
		n.Standing = Opaque
	}
	if f.Off || s.Lost.Contains(f.Rank) {
		return n
	}
	if lock, waits := s.fileLockNeed(f); waits {
		n = lock
	}
	for i := range f.Waits {
		w := s.waitOf(f, i)
		switch {
		case !f.Waits[i].Side, f.Waits[i].Holds:
			n = w
		case n.Standing == Waiting && !n.Weak:
			n.side = append(n.side, w.Alts...)
		case w.Standing == Waiting:
			n.Alts = append(n.Alts, weakenAlternatives(w.Alts)...)
		}
	}
	switch {
	case n.Standing != Waiting && len(n.Alts) > 0:
		n.Standing, n.Weak, n.Computes = Waiting, true, true
	case n.Standing == Running && s.known.Uncounted && f.Driving:
		n.Standing = Opaque // it may well wait for its thread in a call, whose wait is not known
	}
	return n
}

// weakenAlternatives returns the alternatives without wildcards, as weak evidence.
func weakenAlternatives(alts [][]Link) [][]Link {
	var out [][]Link
	for _, alt := range alts {
		var links []Link
		for _, l := range alt {
			if !l.To.Any {
				l.Weak = true
				links = append(links, l)
			}
		}
		if len(links) > 0 {
			out = append(out, links)
		}
	}
	return out
}

// waitOf judges one wait of a rank.
func (s judge) waitOf(f *facts.Fact, wait int) Need {
	switch w := &f.Waits[wait]; w.Kind {
	case model.Init:
		return s.needAll(f, wait, targetKey{what: notStarted, rank: s.worldOf(f.Rank).Min()})
	case model.Finalize:
		return s.needAll(f, wait, targetKey{what: notFinalizing, rank: s.worldOf(f.Rank).Min()})
	case model.WaitAny:
		return s.waitForOne(f, wait)
	case model.Poll:
		n := s.waitForOne(f, wait)
		n.Polls = true
		return n
	}
	return s.waitForAll(f, wait)
}

func (s judge) needAll(f *facts.Fact, wait int, key targetKey) Need {
	t := s.sharedTarget(key)
	if t.Ranks.Len() == 0 {
		return Need{Standing: Ready}
	}
	l := s.linkTo(t, Collective, wantID{f.Rank, wait, -1})
	return Need{Standing: Waiting, Alts: [][]Link{{l}}, Weak: l.Weak}
}

// waitForAll joins wants that must all be satisfied. Weak ones count only if
// there is no certain one: buffers may have taken what they send. But if the
// last thing missing is one send, no buffer took it, else the call would have
// returned.
func (s judge) waitForAll(f *facts.Fact, wait int) Need {
	var certain, weak []Link
	unknown := len(f.Waits[wait].Wants) == 0 || f.Waits[wait].Unlisted
	for i := range f.Waits[wait].Wants {
		l, o := s.judgeWant(f, wantID{f.Rank, wait, i})
		switch {
		case o == open:
			unknown = true
		case o == linked && l.Weak:
			weak = append(weak, l)
		case o == linked:
			certain = append(certain, l)
		}
	}
	if len(certain) == 0 && len(weak) == 1 && weak[0].lax && !unknown {
		certain = weak
		certain[0].Weak = false
	}
	switch {
	case len(certain) > 0:
		return Need{Standing: Waiting, Alts: [][]Link{certain}, Alone: anyAlone(certain)}
	case len(weak) > 0:
		return Need{Standing: Waiting, Alts: [][]Link{weak}, Weak: true}
	case unknown:
		return Need{Standing: Opaque}
	}
	return Need{Standing: Ready}
}

// waitForOne joins wants of which one is enough. It is certain only if each
// is, and each is known. A call that waits for any of some sends has seen that
// no buffer took one of them. A loop around MPI_Testall needs them all, but it
// may look for other things in between, which end it as well; so it is taken to
// go on once any of those missing comes. MPI_Request_get_status_all and MPI_Win_test are such
// loops as well.
func (s judge) waitForOne(f *facts.Fact, wait int) Need {
	n := Need{Standing: Waiting, Weak: f.Waits[wait].Unlisted, Alone: true}
	all, done := needsAll(f.Waits[wait].Function()), 0
	for i := range f.Waits[wait].Wants {
		l, o := s.judgeWant(f, wantID{f.Rank, wait, i})
		l.Weak = l.Weak && !(l.lax && f.Waits[wait].Kind == model.WaitAny)
		switch o {
		case satisfied:
			if !all {
				return Need{Standing: Ready}
			}
			done++
		case open:
			n.Weak, n.Alone = true, false
		case linked:
			n.Weak = n.Weak || l.Weak
			n.Alone = n.Alone && anyAlone([]Link{l})
			n.Alts = append(n.Alts, []Link{l})
		}
	}
	switch {
	case done > 0 && done == len(f.Waits[wait].Wants):
		return Need{Standing: Ready}
	case len(n.Alts) == 0:
		return Need{Standing: Opaque}
	}
	n.Alone = n.Alone && !n.Weak
	return n
}

// oneWillDo reports whether one of the wants of a wait is enough.
func oneWillDo(w *facts.Wait) bool {
	return w.Kind == model.WaitAny || w.Kind == model.Poll && !needsAll(w.Function())
}

// needsAll reports whether the call polls for all it names.
func needsAll(f *mpi.Function) bool {
	return f.InClass(mpi.ClassTestall, mpi.ClassWinTest) || f.IsFormOf("MPI_Request_get_status_all")
}

// anyAlone reports whether a link leads to no rank.
func anyAlone(links []Link) bool {
	return slices.ContainsFunc(links, func(l Link) bool { return l.To.Any && l.To.Ranks.Len() == 0 })
}

// linkTo makes a link; it is weak if all it leads to are ranks whose record
// cannot prove anything.
func (s judge) linkTo(t *Target, kind Kind, source wantID) Link {
	weak := t.Ranks.Len() > 0 && t.Ranks.Minus(s.Off).Len() == 0
	return Link{To: t, Weak: weak, Kind: kind, source: source}
}

// singleTarget returns the target that is a single rank.
func (s judge) singleTarget(rank int) *Target {
	return s.sharedTarget(targetKey{what: oneRank, rank: rank})
}

// sharedTarget returns the shared target of a key.
func (s judge) sharedTarget(key targetKey) *Target {
	t := s.targets[key]
	if t == nil {
		t = &Target{Ranks: s.ranksOf(key), Any: key.what == anyoneOn, Some: key.what == someLate}
		s.targets[key] = t
	}
	return t
}

func (s judge) ranksOf(key targetKey) model.RankSet {
	switch key.what {
	case lateFor, someLate:
		return s.lateFor(key.comm, key.seq, key.call)
	case leftIdle:
		return s.membersOf(s.comms[key.comm]).Minus(s.RanksWhere(func(f *facts.Fact) bool { return s.drivesMessages(f.Rank) }))
	case anyoneOn:
		return s.groupOf(s.comms[key.comm], key.rank).Minus(s.Gone)
	case outsideWindow:
		return s.outsideWindow(key.comm)
	case leaderOf:
		return s.intercommLeaders(key.comm, key.seq)
	case completingOn:
		return s.completing(key.comm)
	case notFinalizing:
		return s.NotFinalizing().Intersect(s.worldOf(key.rank))
	case notStarted:
		before := s.RanksWhere(func(f *facts.Fact) bool { return f.Phase == model.Starting && !f.At.Begun })
		return s.All.Minus(s.Present).Union(s.Lost).Union(before).Intersect(s.worldOf(key.rank))
	}
	return model.NewRankSet(key.rank)
}

// worldOf returns the ranks that have the MPI_COMM_WORLD of a rank.
func (s judge) worldOf(rank int) model.RankSet {
	if len(s.known.Worlds) == 0 {
		return s.All
	}
	for i := range s.known.Worlds {
		if w := s.known.Worlds[i].Ranks(); w.Contains(rank) {
			return w
		}
	}
	var first model.RankSet
	first.AddRange(0, s.known.Worlds[0].First-1)
	return first
}

// NotFinalizing returns the ranks that have not come to MPI_Finalize.
func (s *Scene) NotFinalizing() model.RankSet {
	var there []int
	for _, f := range s.Sum.Facts {
		inside := slices.ContainsFunc(f.Waits, func(w facts.Wait) bool { return w.Kind == model.Finalize })
		if inside || f.LeftWorld || f.Phase >= model.Finalizing {
			there = append(there, f.Rank)
		}
	}
	return s.All.Minus(model.NewRankSet(there...))
}
