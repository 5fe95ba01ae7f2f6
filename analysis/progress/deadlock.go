package progress

import (
	"fmt"
	"slices"

	"laggard/analysis/divergence"
	"laggard/analysis/progress/evidence"
	"laggard/analysis/progress/facts"
	"laggard/model"
)

// findDeadlock looks for deadlocks among the needs that use accepts.
func (f *Finding) findDeadlock(use func(n evidence.Need) bool, certain bool) {
	f.roots = f.scene.Roots(use)
	if len(f.roots) == 0 {
		return
	}
	f.deadlock = &Deadlock{Certain: certain}
	for _, r := range f.roots {
		f.deadlock.Cycles = append(f.deadlock.Cycles, r.Cycle)
	}
}

// deadlocked takes the roots of the deadlocks.
func (f *Finding) deadlocked() bool {
	if f.deadlock == nil {
		return false
	}
	level, text := certainty, ""
	for _, r := range f.roots {
		f.least = f.least.Union(r.Ranks)
		text = join(text, "; ", rootText(r))
		if r.Kind != evidence.Whole {
			level = guess // who waits is known, and not who should have come or sent
		}
	}
	f.reason, f.cause = "deadlock: "+text, CauseDeadlock
	f.confidence = f.sure(level)
	return true
}

// maybeDeadlocked: ranks wait, but for each other only, and the certain waits
// alone make no deadlock.
func (f *Finding) maybeDeadlocked() bool {
	f.findDeadlock(func(evidence.Need) bool { return true }, false)
	if !f.deadlocked() {
		return false
	}
	level := likely
	if f.opts.Uncounted {
		level = guess
	}
	f.confidence = min(f.confidence, f.sure(level))
	f.reason += "; some of the waits may be satisfied already"
	return true
}

// rootText says why some ranks are the root of a deadlock.
func rootText(r evidence.Root) string {
	who := r.Ranks.Phrase()
	some := r.Ranks.Len() > 1
	switch r.Kind {
	case evidence.Wild:
		return fmt.Sprintf("%s %s for a message of any rank, and all that could send it wait for %s", who,
			verb(some, "waits", "wait"), verb(some, "it", "them"))
	case evidence.Unlike:
		return who + " wait for each other: a message is offered that nobody takes, and one awaited that nobody sends"
	case evidence.Hub:
		return fmt.Sprintf("%s and others wait for each other, and only %s would release all", who, who)
	case evidence.Late:
		return fmt.Sprintf("%s wait for each other, and %s %s begun fewer collectives",
			model.NewRankSet(r.Cycle...).Phrase(), who, verb(some, "has", "have"))
	case evidence.Sides:
		return who + " wait for each other, some in a collective and some for a message; either may be wrong"
	}
	if !some {
		return fmt.Sprintf("rank %d waits for itself", r.Ranks.Min())
	}
	return who + " wait for each other"
}

func verb(many bool, one, more string) string {
	if many {
		return more
	}
	return one
}

// stuckIn returns the ranks of certain deadlocks, also those that only wait for a
// root, and those that wait for a message that nobody is left to send.
func (f *Finding) stuckIn() model.RankSet {
	stuck := f.where(func(n evidence.Need) bool { return n.Alone })
	if f.deadlock == nil || !f.deadlock.Certain {
		return stuck
	}
	for _, core := range f.certainGraph().Cores() {
		stuck = stuck.Union(core)
	}
	return stuck
}

func (f *Finding) certainGraph() *evidence.Graph {
	return evidence.NewGraph(f.scene, func(n evidence.Need) bool { return !n.Weak }, true)
}

// departed takes the ranks that went to MPI_Finalize, or beyond, while ranks that
// can never move wait for a message of theirs, or of anybody. If as many stay as
// went, both may be wrong; if more went, those that stay are looked at.
func (f *Finding) departed() bool {
	gone := f.scene.RanksWhere(func(fact *facts.Fact) bool { return fact.Phase >= model.Finalizing })
	if gone.Len() == 0 || !f.hang {
		return false
	}
	stuck := f.stuckIn().Minus(gone)
	owing := f.scene.Owing(stuck, gone)
	stay := f.scene.Unfinished().Minus(gone)
	if owing.Len() == 0 || owing.Len() > stay.Len() {
		return false
	}
	f.least, f.confidence, f.cause = owing, f.sure(leftMany), CauseKind(divergence.ErrorPath)
	f.reason = fmt.Sprintf("%s went to MPI_Finalize, while %s %s for messages and can never move",
		owing.Phrase(), stuck.Phrase(), verb(stuck.Len() > 1, "waits", "wait"))
	if 2*owing.Len() > stay.Len() {
		f.least, f.confidence = owing.Union(stuck), f.sure(guess)
	}
	f.away(owing, stuck)
	return true
}

// away adds how ranks that are beyond the last collective left those that wait for a
// message of theirs.
func (f *Finding) away(gone, stuck model.RankSet) {
	owed := f.scene.WaitingFor(gone).Intersect(stuck)
	left := f.scene.Facts[gone.Min()]
	if owed.Len() == 0 || !left.At.InMPI || len(f.diverged) > 0 {
		return
	}
	world, begun := f.scene.World(left.Rank)
	d := divergence.Away(world, model.World, begun, gone, stuck, *f.callAt(left), *f.callAt(f.scene.Facts[owed.Min()]))
	f.name(&d)
	f.diverged = []divergence.Divergence{d}
}

// extra takes a rank in a collective for which several others do not come, since
// they wait for a message of it: it made a collective more than they, or skipped
// what they wait for.
func (f *Finding) extra() bool {
	if len(f.roots) != 1 || f.roots[0].Kind != evidence.Hub || !f.hang {
		return false
	}
	hub := f.roots[0].Ranks
	comms := f.scene.CollectivesOf(hub)
	owed := f.scene.WaitingFor(hub)
	if hub.Len() != 1 || len(comms) != 1 || owed.Len() < 2*hub.Len() {
		return false
	}
	d := f.extraByCounts(hub, comms[0])
	if d == nil {
		d = f.extraByPlace(hub, comms[0], owed)
	}
	if d == nil {
		return false
	}
	f.name(d)
	f.diverged = slices.Insert(f.diverged, 0, *d)
	f.least, f.confidence, f.cause = hub, f.sure(leftMany), CauseKind(divergence.Extra)
	f.reason = partedText(d) + fmt.Sprintf("; %s wait for a message of %s", owed.Phrase(), hub.Phrase())
	return true
}

// extraByCounts: all that can never move have begun fewer collectives than the hub.
func (f *Finding) extraByCounts(hub model.RankSet, comm uint64) *divergence.Divergence {
	stuck := f.stuckIn().Minus(hub)
	inMessage := func(rank int, _, _ uint64) *divergence.Elsewhere {
		if !stuck.Contains(rank) {
			return nil
		}
		return &divergence.Elsewhere{Kind: divergence.Skipped, Call: *f.callAt(f.scene.Facts[rank])}
	}
	for _, d := range divergence.Left(f.opts.Begun, inMessage) {
		if d.Comm == comm && d.Odd[0].Kind == divergence.Extra && oddRanks(&d).Equal(hub) {
			return &d
		}
	}
	return nil
}

// extraByPlace: all others are further in the program than the hub, and some of them
// have begun fewer collectives.
func (f *Finding) extraByPlace(hub model.RankSet, comm uint64, owed model.RankSet) *divergence.Divergence {
	rank := hub.Min()
	begun := f.scene.Begun(comm, rank)
	others := f.scene.Members(comm).Minus(hub)
	fewer := others.Intersect(f.scene.RanksWhere(func(fact *facts.Fact) bool {
		return f.scene.Begun(comm, fact.Rank) < begun
	}))
	if fewer.Len() == 0 || !f.behind(rank, others) {
		return nil
	}
	in := f.callAt(f.scene.Facts[rank])
	in.Number = begun
	d := divergence.Away(comm, f.scene.CommKind(comm), begun-1, hub, others, *in, *f.callAt(f.scene.Facts[owed.Min()]))
	d.Odd[0].Kind, d.Odd[0].Calls, d.Odd[0].Fewer = divergence.Extra, []divergence.Call{*in}, false
	return &d
}

// callAt is the call that a rank is in, for comparison with what others began.
func (f *Finding) callAt(fact *facts.Fact) *divergence.Call {
	place := f.scene.Sum.PlaceAt(fact.At)
	state := &model.State{ID: fact.At.State, Call: place.Call, Stack: place.Stack}
	call := divergence.CallIn(state)
	return &call
}

// stalledBehind adds ranks that compute and have begun fewer collectives than a root
// that is named: those in its broadcast wait for nobody else, but these ranks stand
// still on their own.
func (f *Finding) stalledBehind() {
	if !f.hang || f.least.Len() == 0 {
		return
	}
	computing := f.scene.RanksWhere(func(fact *facts.Fact) bool {
		return f.scene.Needs[fact.Rank].Standing == evidence.Running && fact.Phase == model.Running && !fact.Off
	})
	behind := f.scene.BehindRoot(computing.Minus(f.least).Minus(f.scene.Lost), f.least)
	if behind.Len() > 0 {
		f.reason += fmt.Sprintf("; %s %s still before that, on %s own", behind.Phrase(),
			verb(behind.Len() > 1, "stands", "stand"), verb(behind.Len() > 1, "its", "their"))
		f.least = f.least.Union(behind)
	}
}
