package progress

import (
	"fmt"
	"slices"

	"laggard/analysis/divergence"
	"laggard/analysis/progress/facts"
	"laggard/analysis/progress/inference"
	"laggard/model"
	"laggard/symbol"
)

// The levels of confidence of ranks that left the common sequence of collectives.
const (
	leftFew   = 0.90 // at least twice as many members agree
	leftMany  = 0.60 // more members agree than not
	leftSides = 0.50 // neither side is the many
)

// parted takes the ranks that left the sequence of collectives that the others
// share: no later state can tell more of the cause.
func (f *Finding) parted() bool {
	if len(f.diverged) == 0 && f.hang {
		f.diverged = divergence.Left(f.opts.Begun, f.elsewhere())
	}
	i := slices.IndexFunc(f.diverged, f.explains)
	if i < 0 {
		return false
	}
	d := f.diverged[i]
	f.diverged = slices.Insert(slices.Delete(f.diverged, i, i+1), 0, d) // what explains the hang comes first
	f.takeOdd(&f.diverged[0])
	return true
}

// apart takes a collective in which MPI reported an error to some ranks, where members
// made it from several places of the program, and parted nowhere before: then they did not
// mean the same.
func (f *Finding) apart(erred model.RankSet) bool {
	for _, rank := range erred.Slice() {
		at, ok := f.standing(rank)
		before := func(d divergence.Divergence) bool { return d.Comm == at.comm }
		if !ok || slices.ContainsFunc(f.diverged, before) {
			continue
		}
		if d := divergence.Apart(f.opts.Begun, at.comm, at.call.Number); d != nil {
			f.takeOdd(d)
			f.diverged = slices.Insert(f.diverged, 0, *d)
			return true
		}
	}
	return false
}

// habit is how many collectives before the last one must all have been made from one place
// for a second place to be remarkable.
const habit = 3

// mixedUp looks for a collective that ranks made as their last before they crashed, which
// others made from another place of the program, unlike those before it. Calls that look alike
// then gave them what was meant for others. It is shown, and no more: it may be no fault.
func (f *Finding) mixedUp(crashed model.RankSet) {
	for _, c := range f.opts.Begun {
		for _, l := range c.Lines {
			if l.Ranks.Intersect(crashed).Len() == 0 || len(l.Latest) <= habit {
				continue
			}
			if d := unlike(f.opts.Begun, c.ID, l.Latest); d != nil {
				f.name(d)
				f.diverged = slices.Insert(f.diverged, 0, *d)
				return
			}
		}
	}
}

// unlike compares from where members made the last of some calls; nil: from one place, or those
// before it were made from several, too.
func unlike(begun []divergence.Comm, comm uint64, calls []divergence.Call) *divergence.Divergence {
	before := calls[len(calls)-1-habit : len(calls)-1]
	for i := range before {
		if divergence.Apart(begun, comm, before[i].Number) != nil {
			return nil
		}
	}
	return divergence.Apart(begun, comm, calls[len(calls)-1].Number)
}

// takeOdd takes the ranks that left the others, or all if neither side is the many.
func (f *Finding) takeOdd(d *divergence.Divergence) {
	odd := oddRanks(d)
	f.least, f.confidence = odd, leftMany
	switch {
	case !d.Majority && d.Odd[0].Other != 0:
		f.least, f.confidence = odd.Union(d.Agree), certainty // a deadlock, and all of it
	case !d.Majority:
		f.least, f.confidence = odd.Union(d.Agree), leftSides
	case 2*odd.Len() <= d.Agree.Len():
		f.confidence = leftFew
	}
	f.confidence = f.sure(f.confidence)
	f.name(d)
	f.reason, f.cause = partedText(d), CauseKind(d.Odd[0].Kind)
}

// name fills in how the communicators of a divergence are called, and where they were made.
func (f *Finding) name(d *divergence.Divergence) {
	d.Name, d.Made = f.scene.CommName(d.Comm), divergence.MadeBy(f.opts.Begun, d.Comm)
	if other := d.Odd[0].Other; other != 0 {
		d.OtherName, d.OtherKind = f.scene.CommName(other), f.scene.CommKind(other)
		d.OtherMade = divergence.MadeBy(f.opts.Begun, other)
	}
}

// Retold says anew why the job hangs, after its first divergence was corrected.
func (d *Diagnosis) Retold(by *divergence.Divergence) {
	if l := d.LeastProgressed; l != nil && l.Cause.Parting() {
		l.Reason, l.Cause = partedText(by), CauseKind(by.Odd[0].Kind)
		if !by.Majority { // one of the two sides is at fault, and it is not known which
			l.Confidence = min(l.Confidence, leftSides)
		}
	}
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
// waits for a message may yet come to it, unless the message never comes and it has
// come further than those in the collective.
func (f *Finding) elsewhere() func(rank int, comm, number uint64) *divergence.Elsewhere {
	stuck := f.stuckIn()
	return func(rank int, comm, number uint64) *divergence.Elsewhere {
		fact := f.scene.Facts[rank]
		switch {
		case fact == nil, fact.Erred: // MPI ended it, not the program
			return nil
		case fact.Phase == model.Finalizing && fact.At.InMPI:
			return &divergence.Elsewhere{Kind: divergence.ErrorPath, Call: *f.callAt(fact)}
		case fact.End == model.Aborted && fact.At.InMPI:
			return &divergence.Elsewhere{Kind: divergence.ErrorPath, Call: *f.callAt(fact)}
		case fact.End == model.Exited && fact.Phase < model.Finalizing:
			return &divergence.Elsewhere{Kind: divergence.ErrorPath, Call: callOf(fmt.Sprintf("exit(%d)", fact.Detail))}
		case fact.At.InMPI && stuck.Contains(rank) && !f.inCollective(rank) &&
			f.ahead(rank, f.scene.WaitingFrom(comm, number)):
			return &divergence.Elsewhere{Kind: divergence.Skipped, Call: *f.callAt(fact)}
		}
		return nil
	}
}

// inCollective tells whether a rank waits in a collective, and for nothing else.
func (f *Finding) inCollective(rank int) bool {
	_, is := f.standing(rank)
	return is
}

// callOf is a call of which nothing but the function is known.
func callOf(function string) divergence.Call {
	return divergence.CallIn(&model.State{Call: function})
}

// ahead tells whether a rank has come further than some others, as the first of
// them that are in different places show.
func (f *Finding) ahead(rank int, others model.RankSet) bool {
	order, all := f.order.(inference.Further)
	asked := map[facts.Position]bool{}
	others.Each(func(other int) {
		if at := f.scene.Facts[other].At; all && !asked[at] {
			asked[at] = true
			all = order.Further(rank, other)
		}
	})
	return all && others.Len() > 0
}

// behind tells whether all others have come further than a rank.
func (f *Finding) behind(rank int, others model.RankSet) bool {
	order, all := f.order.(inference.Further)
	others.Each(func(other int) { all = all && f.scene.Facts[other] != nil && order.Further(other, rank) })
	return all
}

// explains tells whether a divergence can be why the job stands still. Of calls
// that differ in an argument alone many go through, so a member must be waiting
// there.
func (f *Finding) explains(d divergence.Divergence) bool {
	first := d.Odd[0]
	if first.Kind != divergence.Arguments {
		return first.Kind != divergence.Earlier
	}
	stuck := f.scene.RanksWhere(func(fact *facts.Fact) bool {
		return slices.ContainsFunc(fact.Waits, func(w facts.Wait) bool {
			return slices.ContainsFunc(w.Wants, func(w facts.Want) bool {
				return w.Kind == model.Collective && w.Comm == d.Comm && w.Seq >= first.Number
			})
		})
	})
	return stuck.Len() > 0
}

// partedText says how the first odd line left the others.
func partedText(d *divergence.Divergence) string {
	o := &d.Odd[0]
	who, others := o.Ranks.Phrase(), d.Agree.Phrase()
	where := fmt.Sprintf("collective %d on %s", o.Number, d.Name)
	text := ""
	switch o.Kind {
	case divergence.LoopCount:
		if o.Fewer && o.Theirs[0].Number == 0 {
			text = fmt.Sprintf("%s left the loop of %s, in which %s wait for messages, and went on to %s, %s",
				who, o.Theirs[0].Function(), others, o.Own().Function(), where)
			break
		}
		more, than := "more", divergence.Functions(o.Calls)
		if o.Fewer {
			more = "less"
		}
		text = fmt.Sprintf("%s went round the loop of %s once %s often than %s, from %s on",
			who, than, more, others, where)
	case divergence.Skipped:
		if o.Theirs[0].Number == 0 {
			text = fmt.Sprintf("%s went on to %s, %s, without %s, in which %s wait for messages",
				who, o.Own().Function(), where, o.Theirs[0].Function(), others)
			break
		}
		text = fmt.Sprintf("%s skipped %s, %s, which %s made", who, divergence.Functions(o.Calls), where, others)
	case divergence.Extra:
		if o.Theirs[0].Number == 0 {
			text = fmt.Sprintf("%s made %s, %s, and %s went on without it",
				who, divergence.Functions(o.Calls), where, others)
			break
		}
		text = fmt.Sprintf("%s made %s, %s, which %s did not make", who, divergence.Functions(o.Calls), where, others)
	case divergence.Order:
		if o.Other != 0 {
			text = fmt.Sprintf("%s called %s, %s, and %s %s on %s: made in another order, or one of them left out",
				who, o.Calls[0].Function(), where, others, o.Theirs[0].Function(), d.OtherName)
			break
		}
		text = fmt.Sprintf("%s made %s in this order, from %s on; %s the other way round",
			who, divergence.Functions(o.Calls), where, others)
	case divergence.Arguments:
		text = fmt.Sprintf("%s called %s %s, %s; %s %s",
			who, o.Calls[0].Function(), divergence.Difference(&o.Calls[0], &o.Theirs[0]), where,
			others, divergence.Difference(&o.Theirs[0], &o.Calls[0]))
	case divergence.ErrorPath:
		text = fmt.Sprintf("%s went to %s instead of %s, %s, which %s made",
			who, o.Instead.Function(), o.Theirs[0].Function(), where, others)
	default:
		theirs := o.Theirs[0].Function()
		if theirs == o.Calls[0].Function() {
			theirs = "it from another place"
		}
		text = fmt.Sprintf("%s called %s as %s, %s called %s", who, o.Calls[0].Function(), where, others, theirs)
	}
	if n := len(d.Odd) - 1; n > 0 {
		text += fmt.Sprintf("; %d more groups of ranks differ", n)
	}
	return text
}

// diverged finds where the members of communicators parted. Of a job that makes
// progress nothing is concluded.
func (q Question) diverged(comms []divergence.Comm, o Options) []divergence.Divergence {
	if o.Progressing || o.StacksOnly {
		return nil
	}
	resolver := symbol.New(q.Symbols)
	defer resolver.Close()
	return divergence.Find(comms, func(s *model.State) string { return placeOf(resolver, s) })
}

// placeOf names the place of a call in the source: compilers make several calls of
// one. Where a frame has no line it is the frame.
func placeOf(r *symbol.Resolver, s *model.State) string {
	place := s.Call
	for _, frame := range r.Stack(s.Stack, false) {
		if frame.File == "" {
			place += fmt.Sprintf(" %s+%x", frame.Module, frame.Offset)
			continue
		}
		for _, call := range frame.Calls() {
			place += fmt.Sprintf(" %s:%d", call.File, call.Line)
		}
	}
	return place
}
