package progress

import (
	"slices"
	"strings"

	"laggard/model"
)

// target is a set of ranks that is waited for: all of them, or any one.
// Ranks that wait for the same share one target.
type target struct {
	ranks model.RankSet
	any   bool
}

// targetKey names a target: why the set is what it is.
type targetKey struct {
	what what
	comm uint64
	seq  uint64
	rank int
}

type what uint8

const (
	oneRank  what = iota
	lateFor       // the members that have not begun collective seq on comm
	leftIdle      // the members of comm that are outside MPI
	anyoneOn      // the members of the group of comm that may still send
	leaderOf      // who leads the group that makes an intercommunicator by collective seq on comm
	outsideWindow
	completingOn // the ranks that complete something on window comm under a lock
	notFinalizing
	notStarted
)

// link is what one want of a rank comes to.
type link struct {
	to     *target
	weak   bool // it may be satisfied already, only waiting to be noticed
	lax    bool // weak for one reason only: a buffer may have taken the message
	kind   EdgeKind
	source wantID
}

// outcome is what became of a want.
type outcome uint8

const (
	linked    outcome = iota
	satisfied         // nothing is missing
	open              // the record does not tell
)

// standing is how a rank stands.
type standing uint8

const (
	running  standing = iota // in computation
	waiting                  // it has alternatives
	ready                    // in a call that has all it waits for
	opaque                   // in a call whose wait the record does not tell
	finished                 // finalized
	absent                   // no record
)

// need is what a rank waits for. It can move on as soon as all links of one
// alternative are released.
type need struct {
	standing standing
	alts     [][]link
	weak     bool // no alternative is certain
	alone    bool // it waits for a message that nobody is left to send
	computes bool // the representative thread does not wait, only others do
	// side are the alternatives of its other blocked threads: they may move
	// the rank on, too.
	side [][]link
}

// needOf judges all waits of a rank. The representative thread speaks for the
// rank. If that one computes, it may be waiting for the others to finish, which
// is weak evidence; a thread that waits for anyone is rather one that serves.
func (s *scene) needOf(f *Fact) need {
	if f.Phase == model.Finalized {
		return need{standing: finished}
	}
	n := need{standing: running}
	if f.At.InMPI && !(f.Still && len(f.Waits) == 0) { // else it hangs in a call that never waits
		n.standing = opaque
	}
	if f.Off || s.lost.Contains(f.Rank) {
		return n
	}
	for i := range f.Waits {
		w := s.waitOf(f, i)
		switch {
		case !f.Waits[i].Side:
			n = w
		case n.standing == waiting && !n.weak:
			n.side = append(n.side, w.alts...)
		case w.standing == waiting:
			n.alts = append(n.alts, weakened(w.alts)...)
		}
	}
	if n.standing != waiting && len(n.alts) > 0 {
		n.standing, n.weak, n.computes = waiting, true, true
	}
	return n
}

// weakened returns the alternatives without wildcards, as weak evidence.
func weakened(alts [][]link) [][]link {
	var out [][]link
	for _, alt := range alts {
		var links []link
		for _, l := range alt {
			if !l.to.any {
				l.weak = true
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
func (s *scene) waitOf(f *Fact, wait int) need {
	switch w := &f.Waits[wait]; w.Kind {
	case model.Init:
		return s.needAll(f, wait, targetKey{what: notStarted})
	case model.Finalize:
		return s.needAll(f, wait, targetKey{what: notFinalizing})
	case model.WaitAny, model.Poll:
		return s.waitForOne(f, wait)
	}
	return s.waitForAll(f, wait)
}

func (s *scene) needAll(f *Fact, wait int, key targetKey) need {
	t := s.target(key)
	if t.ranks.Len() == 0 {
		return need{standing: ready}
	}
	l := s.linkTo(t, EdgeCollective, wantID{f.Rank, wait, -1})
	return need{standing: waiting, alts: [][]link{{l}}, weak: l.weak}
}

// waitForAll joins wants that must all be satisfied. Weak ones count only if
// there is no certain one: buffers may have taken what they send. But if the
// last thing missing is one send, no buffer took it, else the call would have
// returned.
func (s *scene) waitForAll(f *Fact, wait int) need {
	var certain, weak []link
	unknown := len(f.Waits[wait].Wants) == 0 || f.Waits[wait].Unlisted
	for i := range f.Waits[wait].Wants {
		l, o := s.judge(f, wantID{f.Rank, wait, i})
		switch {
		case o == open:
			unknown = true
		case o == linked && l.weak:
			weak = append(weak, l)
		case o == linked:
			certain = append(certain, l)
		}
	}
	if len(certain) == 0 && len(weak) == 1 && weak[0].lax && !unknown {
		certain = weak
		certain[0].weak = false
	}
	switch {
	case len(certain) > 0:
		return need{standing: waiting, alts: [][]link{certain}, alone: anyAlone(certain)}
	case len(weak) > 0:
		return need{standing: waiting, alts: [][]link{weak}, weak: true}
	case unknown:
		return need{standing: opaque}
	}
	return need{standing: ready}
}

// waitForOne joins wants of which one is enough. It is certain only if each
// is, and each is known. A call that waits for any of some sends has seen that
// no buffer took one of them. A loop around MPI_Testall needs them all, but it
// may look for other things in between, which end it as well; so it is taken to
// go on once any of those missing comes. MPI_Win_test is such a loop as well.
func (s *scene) waitForOne(f *Fact, wait int) need {
	n := need{standing: waiting, weak: f.Waits[wait].Unlisted, alone: true}
	all, done := needsAll(f.Waits[wait].Call), 0
	for i := range f.Waits[wait].Wants {
		l, o := s.judge(f, wantID{f.Rank, wait, i})
		l.weak = l.weak && !(l.lax && f.Waits[wait].Kind == model.WaitAny)
		switch o {
		case satisfied:
			if !all {
				return need{standing: ready}
			}
			done++
		case open:
			n.weak, n.alone = true, false
		case linked:
			n.weak = n.weak || l.weak
			n.alone = n.alone && anyAlone([]link{l})
			n.alts = append(n.alts, []link{l})
		}
	}
	switch {
	case done > 0 && done == len(f.Waits[wait].Wants):
		return need{standing: ready}
	case len(n.alts) == 0:
		return need{standing: opaque}
	}
	n.alone = n.alone && !n.weak
	return n
}

// needsAll tells whether the call polls for all it names.
func needsAll(call string) bool {
	return strings.EqualFold(call, "MPI_Testall") || strings.EqualFold(call, "MPI_Win_test")
}

// anyAlone tells whether a link leads to nobody.
func anyAlone(links []link) bool {
	return slices.ContainsFunc(links, func(l link) bool { return l.to.any && l.to.ranks.Len() == 0 })
}

// linkTo makes a link; it is weak if all it leads to are ranks whose record
// cannot prove anything.
func (s *scene) linkTo(t *target, kind EdgeKind, source wantID) link {
	weak := t.ranks.Len() > 0 && t.ranks.Minus(s.off).Len() == 0
	return link{to: t, weak: weak, kind: kind, source: source}
}

// one returns the target that is a single rank.
func (s *scene) one(rank int) *target { return s.target(targetKey{what: oneRank, rank: rank}) }

// target returns the shared target of a key.
func (s *scene) target(key targetKey) *target {
	t := s.targets[key]
	if t == nil {
		t = &target{ranks: s.ranksOf(key), any: key.what == anyoneOn}
		s.targets[key] = t
	}
	return t
}

func (s *scene) ranksOf(key targetKey) model.RankSet {
	switch key.what {
	case lateFor:
		return s.lateFor(key.comm, key.seq)
	case leftIdle:
		return s.members(s.comms[key.comm]).Minus(s.factsWhere(func(f *Fact) bool { return s.driving(f.Rank) }))
	case anyoneOn:
		return s.group(s.comms[key.comm], key.rank).Minus(s.gone)
	case outsideWindow:
		return s.outsideWindow(key.comm)
	case leaderOf:
		return s.leaders(key.comm, key.seq)
	case completingOn:
		return s.completing(key.comm)
	case notFinalizing:
		return s.notFinalizing()
	case notStarted:
		return s.all.Minus(s.present).Union(s.lost)
	}
	return model.NewRankSet(key.rank)
}

// notFinalizing returns the ranks that have not come to MPI_Finalize.
func (s *scene) notFinalizing() model.RankSet {
	var there []int
	for _, f := range s.sum.Facts {
		inside := slices.ContainsFunc(f.Waits, func(w Wait) bool { return w.Kind == model.Finalize })
		if inside || f.Phase >= model.Finalizing {
			there = append(there, f.Rank)
		}
	}
	return s.all.Minus(model.NewRankSet(there...))
}
