package progress

import (
	"fmt"
	"path"
	"slices"

	"laggard/analysis/divergence"
	"laggard/analysis/progress/evidence"
	"laggard/analysis/progress/facts"
	"laggard/analysis/progress/inference"
	"laggard/internal/lateregexp"
	"laggard/model"
	"laggard/symbol"
)

// The levels of confidence of ranks that left the common sequence of collectives.
const (
	leftFew   = 0.90 // at least twice as many members agree
	leftMany  = 0.60 // more members agree than not
	leftSides = 0.50 // neither side is the many
)

// divergedRule names the ranks that left the sequence of collectives that the others
// share: no later state can tell more of the cause.
func divergedRule(j *job) (Verdict, bool) {
	all := j.divergences()
	i := slices.IndexFunc(all, j.explainsHang)
	if i < 0 {
		return Verdict{}, false
	}
	d := all[i]
	if j.hang {
		nameStranger(j, &d)
		visits{j}.noteNever(&d.Odd[0])
	}
	v := j.divergenceVerdict(&d, slices.Delete(slices.Clone(all), i, i+1))
	if hasPassed(j, &d) {
		v.Confidence = min(v.Confidence, j.scaleByKnown(guess))
	}
	return v, true
}

// erredSitesVerdict takes a collective in which MPI reported an error to some ranks, where members
// made it from several places of the program, and parted nowhere before: then they did not
// mean the same.
func (j *job) erredSitesVerdict(erred model.RankSet, diverged []divergence.Divergence) (Verdict, bool) {
	for _, rank := range erred.Slice() {
		at, ok := j.standingOf(rank)
		before := func(d divergence.Divergence) bool { return d.Comm == at.comm }
		if !ok || slices.ContainsFunc(diverged, before) {
			continue
		}
		if d := divergence.CompareSites(j.opts.Begun, at.comm, at.call.Number); d != nil {
			return j.divergenceVerdict(d, diverged), true
		}
	}
	return Verdict{}, false
}

// habit is how many collectives before the last one must all have been made from one place
// for a second place to be remarkable.
const habit = 3

// crashMismatch looks for a collective that ranks made as their last before they crashed, which
// others made from another place of the program, unlike those before it. Calls that look alike
// then gave them what was meant for others. It is shown, and no more: it may be no fault.
func (j *job) crashMismatch(crashed model.RankSet) *divergence.Divergence {
	for _, c := range j.opts.Begun {
		for _, l := range c.Lines {
			if l.Ranks.Intersect(crashed).Len() == 0 || len(l.Latest) <= habit {
				continue
			}
			if d := unusualSites(j.opts.Begun, c.ID, l.Latest); d != nil {
				j.lookUpComms(d)
				return d
			}
		}
	}
	return nil
}

// unusualSites compares from where members made the last of some calls; nil: from one place, or those
// before it were made from several, too.
func unusualSites(begun []divergence.Comm, comm uint64, calls []divergence.Call) *divergence.Divergence {
	before := calls[len(calls)-1-habit : len(calls)-1]
	for i := range before {
		if divergence.CompareSites(begun, comm, before[i].Number) != nil {
			return nil
		}
	}
	return divergence.CompareSites(begun, comm, calls[len(calls)-1].Number)
}

// divergenceVerdict names the ranks that left the others, or all if neither side is the many. The
// divergence comes before others that are shown.
func (j *job) divergenceVerdict(d *divergence.Divergence, others []divergence.Divergence) Verdict {
	odd := oddRanks(d)
	if evidence.AreGroups(j.scene, d.Comm, odd, d.Agree) {
		d.BetweenGroups, d.Majority = true, false
	}
	v, level := Verdict{Ranks: odd}, leftMany
	switch {
	case !d.Majority && d.Odd[0].Other != 0:
		v.Ranks, level = odd.Union(d.Agree), certainty // a deadlock, and all of it
	case !d.Majority:
		v.Ranks, level = odd.Union(d.Agree), leftSides
	case 2*odd.Len() <= d.Agree.Len():
		level = leftFew
	}
	j.lookUpComms(d)
	v.Confidence, v.Cause = j.scaleByKnown(level), CauseKind(d.Odd[0].Kind)
	v.Reasons = []Reason{{Kind: LeftSequence, Divergence: d}}
	v.Diverged = append([]divergence.Divergence{*d}, others...)
	for i := range others {
		if d.IsAlike(&others[i]) {
			alike := oddRanks(&others[i])
			v.Ranks = v.Ranks.Union(alike)
			v.Reasons = append(v.Reasons, Reason{Kind: LeftLikewise, Ranks: alike, On: j.scene.Comm(others[i].Comm)})
		}
	}
	return v
}

// lookUpComms fills in what is known of the communicators of a divergence.
func (j *job) lookUpComms(d *divergence.Divergence) {
	d.On = j.scene.Comm(d.Comm)
	if other := d.Odd[0].Other; other != 0 {
		d.OtherOn = j.scene.Comm(other)
	}
}

// RestateReason restates why the job hangs after its first divergence was corrected.
func (d *Diagnosis) RestateReason(by *divergence.Divergence) {
	if l := d.LeastProgressed; l != nil && l.Cause.IsDivergence() {
		likewise := slices.DeleteFunc(slices.Clone(l.Reasons), func(r Reason) bool { return r.Kind != LeftLikewise })
		l.Reasons, l.Cause = append([]Reason{{Kind: LeftSequence, Divergence: by}}, likewise...), CauseKind(by.Odd[0].Kind)
		if !by.Majority { // one of the two sides is at fault, and it is not known which
			l.Confidence = min(l.Confidence, leftSides)
		}
	}
}

// Observed is the result in words that hold whatever the code says of the first divergence; see
// divergence.Divergence.Observed.
func (r *Result) Observed() *Result {
	if len(r.Diverged) == 0 || r.LeastProgressed == nil || !r.LeastProgressed.Cause.IsDivergence() {
		return r
	}
	observed := r.Diverged[0].Observed()
	if observed == &r.Diverged[0] {
		return r
	}
	out, least := *r, *r.LeastProgressed
	out.LeastProgressed = &least
	out.Diverged = slices.Clone(r.Diverged)
	out.Diverged[0] = *observed
	out.RestateReason(observed)
	return &out
}

func oddRanks(d *divergence.Divergence) model.RankSet {
	var odd model.RankSet
	for i := range d.Odd {
		odd = odd.Union(d.Odd[i].Ranks)
	}
	return odd
}

// elsewhere is what a rank does instead of a collective that others wait for it in.
// It is in MPI_Finalize or MPI_Abort, or has ended, behind which no collective comes. A rank that
// waits for a message may yet come to it, unless the message never comes and it went past those in the collective.
func (j *job) elsewhere() func(rank int, comm, number uint64) *divergence.Elsewhere {
	stuck, raising := j.stuckIn(), j.ranksRaising(model.RaisedHow.EndsProcess)
	return func(rank int, comm, number uint64) *divergence.Elsewhere {
		fact, others := j.scene.Facts[rank], j.scene.WaitingFrom(comm, number)
		switch {
		case fact == nil, fact.Erred: // MPI ended it, not the program
			return nil
		case fact.Phase == model.Finalizing && fact.At.InMPI:
			return &divergence.Elsewhere{Kind: divergence.ErrorPath, Call: *j.callAt(fact), Fault: raising.Contains(rank)}
		case j.scene.Followed.Contains(rank) && (fact.End == model.Exited || fact.End == model.Aborted):
			return nil // it had been asked to end
		case fact.End == model.Aborted && fact.At.InMPI:
			return &divergence.Elsewhere{Kind: divergence.ErrorPath, Call: *j.callAt(fact)}
		case fact.End == model.Exited && fact.Phase < model.Finalizing:
			return &divergence.Elsewhere{Kind: divergence.ErrorPath, Call: callOf(exitCall(fact))}
		case !fact.At.InMPI || !stuck.Contains(rank):
			return nil
		case !j.inCollective(rank) && (j.isAheadOf(rank, others) || visits{j}.areMore(fact.At.State)):
			return &divergence.Elsewhere{Kind: divergence.Skipped, Call: *j.callAt(fact)}
		case j.opts.ObjectCollectives[fact.At.State] && !fact.WaitsOn(comm) && objectsWaitFor(j, others):
			return &divergence.Elsewhere{Kind: divergence.Mismatch, Call: *j.callAt(fact)}
		}
		return nil
	}
}

// exitCall is how a rank left, as a call.
func exitCall(fact *facts.Fact) string {
	switch {
	case fact.Ender == model.EnderExec:
		return "exec"
	case fact.Detail < 0:
		return "exit"
	}
	return fmt.Sprintf("exit(%d)", fact.Detail)
}

// inCollective reports whether a rank waits in a collective, and for nothing else.
func (j *job) inCollective(rank int) bool {
	_, is := j.standingOf(rank)
	return is
}

// callOf is a call of which nothing but the function is known.
func callOf(function string) divergence.Call {
	return divergence.CallIn(&model.State{Call: function})
}

// objectsWaitFor reports whether a rank in a collective that a library makes of messages waits for a message of others: these do not come
// to it. The remaining ranks in it wait for that one.
func objectsWaitFor(j *job, others model.RankSet) bool {
	return slices.ContainsFunc(j.scene.WaitingFor(others).Slice(), func(rank int) bool {
		return j.opts.ObjectCollectives[j.scene.Facts[rank].At.State]
	})
}

// isAheadOf reports whether a rank has come further than some others that wait in a call, as the first of
// them that are in different places show. Where one waits there in another thread than the one that speaks for it, nothing shows
// it: the rank may have such a thread, too.
func (j *job) isAheadOf(rank int, others model.RankSet) bool {
	order, all := j.order.(inference.Further)
	asked := map[facts.Position]bool{}
	others.Each(func(other int) {
		if at := j.scene.Facts[other].At; all && !asked[at] {
			asked[at] = true
			all = at.InMPI && order.Further(rank, other)
		}
	})
	return all && others.Len() > 0
}

// isBehindAll reports whether all others have come further than a rank.
func (j *job) isBehindAll(rank int, others model.RankSet) bool {
	order, all := j.order.(inference.Further)
	others.Each(func(other int) { all = all && j.scene.Facts[other] != nil && order.Further(other, rank) })
	return all
}

// explainsHang reports whether a divergence can be why the job stands still. Of calls
// that differ in an argument alone many go through, so a member must be waiting
// there.
func (j *job) explainsHang(d divergence.Divergence) bool {
	first := &d.Odd[0]
	switch {
	case first.Kind != divergence.Arguments:
		return first.Kind != divergence.Earlier
	case first.DiffersInSize():
		return waitsIn(j, &d, isFirst) || hasPassed(j, &d)
	}
	return waitsIn(j, &d, isFirstOrLater)
}

func isFirst(seq, first uint64) bool        { return seq == first }
func isFirstOrLater(seq, first uint64) bool { return seq >= first }

// hasPassed reports whether a collective to which members gave different counts, and nothing else, has passed, and members now wait in a
// later one for which nothing is missing: it may have got what the first one left over.
func hasPassed(j *job, d *divergence.Divergence) bool {
	return d.Odd[0].Kind == divergence.Arguments && d.Odd[0].DiffersInSize() && !waitsIn(j, d, isFirst) &&
		waitsIn(j, d, func(seq, first uint64) bool { return seq > first }, evidence.Ready)
}

// waitsIn reports whether a rank waits in a collective, on the communicator of a divergence, that stands in a relation to its first call,
// and whether it has one of some standings, if any are given.
func waitsIn(j *job, d *divergence.Divergence, is func(seq, first uint64) bool, standings ...evidence.Standing) bool {
	stuck := j.scene.RanksWhere(func(fact *facts.Fact) bool {
		if len(standings) > 0 && !slices.Contains(standings, j.scene.Needs[fact.Rank].Standing) {
			return false
		}
		return slices.ContainsFunc(fact.Waits, func(w facts.Wait) bool {
			return slices.ContainsFunc(w.Wants, func(w facts.Want) bool {
				return w.Kind == model.Collective && w.Comm == d.Comm && is(w.Seq, d.Odd[0].Number)
			})
		})
	})
	return stuck.Len() > 0
}

// findDivergences finds where the members of communicators parted. Of a job that makes
// progress nothing is concluded.
func (q Question) findDivergences(comms []divergence.Comm, o Options) []divergence.Divergence {
	if o.Progressing || o.StacksOnly {
		return nil
	}
	resolver := symbol.New(q.Symbols)
	defer resolver.Close()
	return divergence.Find(comms, func(s *model.State) string { return placeOf(resolver, s) })
}

// findObjectCollectives returns the calls, among those that ranks are in, by which a library makes a collective of messages.
func (q Question) findObjectCollectives(sum *facts.Summary) map[model.StateID]bool {
	out := map[model.StateID]bool{}
	resolver := symbol.New(q.Symbols)
	defer resolver.Close()
	for _, p := range sum.Places {
		if p.At.InMPI && resolver.InObjectReduction(p.Stack) {
			out[p.At.State] = true
		}
	}
	return out
}

// numbers matches those in a path.
var numbers = lateregexp.New(`[0-9]+`)

// placeOf names the place of a call in the source: compilers make several calls of
// one. Where a frame has no line it is the frame. Of files in Python that are in directories which differ by numbers alone it is
// the same: each rank may have a copy of a script, or a notebook's cell in the directory of its process.
func placeOf(r *symbol.Resolver, s *model.State) string {
	place := s.Call
	for _, frame := range r.ResolveProgramStack(s.Stack, false) {
		if frame.File == "" {
			place += fmt.Sprintf(" %s+%x", frame.Module, frame.Offset)
			continue
		}
		if frame.Language == symbol.Python {
			dir, base := path.Split(frame.File)
			place += fmt.Sprintf(" %s%s:%d:%s", numbers.ReplaceAllString(dir, "#"), base, frame.Line, frame.Function)
			continue
		}
		for _, call := range frame.Calls() {
			place += fmt.Sprintf(" %s:%d", call.File, call.Line)
		}
	}
	return place
}
