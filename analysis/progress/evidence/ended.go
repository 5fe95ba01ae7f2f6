package evidence

import (
	"slices"
	"syscall"
	"time"

	"laggard/analysis/progress/facts"
	"laggard/model"
	"laggard/model/process"
)

// EndedBy is what ended a job from outside.
type EndedBy string

// What can end a job from outside. EndedBySignal: one was sent to the launcher, or to
// its ranks. EndedByLauncher: it signalled the ranks, and the record does not tell why. EndedByParent: so did a
// process between it and the ranks. EndedWithLauncher: it, or its daemon on a node, was gone, and the ranks ended for that.
const (
	EndedBySignal     EndedBy = "signal"
	EndedByLauncher   EndedBy = "launcher"
	EndedByParent     EndedBy = "parent"
	EndedByAlarm      EndedBy = "alarm" // by a handler of SIGALRM that exits within a call of MPI
	EndedWithLauncher EndedBy = "launcher_gone"
	EndedTogether     EndedBy = "killed_together" // all ranks were gone at once, without a word
)

// Ended says how a job that did not finish was ended, where that came from outside.
type Ended struct {
	By     EndedBy
	Signal int   // 0: none is known
	Time   int64 // ns since 1970
	Sender Sender
	Ranks  model.RankSet // that alone got the signal; empty: the launcher, or all
	host   string        // whose clock Time is of; "": that of `laggard run`
}

// noticing is how long before `laggard run` saw the launcher end the launcher may have been gone.
const noticing = time.Second

// requests finds what asked the job, or some of its ranks, to end.
type requests struct{ *Scene }

// findRequests finds when the job was first asked to end: from outside, and by any sender. What the job went on
// after for long is none.
func (s requests) findRequests() {
	last := int64(0)
	for _, f := range s.Sum.Facts {
		last = max(last, f.EndTime, f.Gone)
	}
	earlier := func(a, b *Ended) *Ended {
		if b == nil || last-b.Time >= int64(process.EndingPeriod) || a != nil && a.Time <= b.Time {
			return a
		}
		return b
	}
	for _, e := range s.fromOutside() {
		s.outside = earlier(s.outside, &e)
	}
	s.requested = s.outside
	for i := range s.Sum.Facts {
		s.requested = earlier(s.requested, s.byLauncher(&s.Sum.Facts[i]))
		s.requested = earlier(s.requested, s.byAlarm(&s.Sum.Facts[i]))
	}
}

// fromOutside lists what shows that the end came from outside.
func (s requests) fromOutside() []Ended { return append(s.atLaunch(), s.atRanks()...) }

// atLaunch lists the signals that `laggard run` got, and that which killed the launcher, unless it was one of these.
func (s requests) atLaunch() (out []Ended) {
	for _, a := range s.known.Arrived {
		killed := func(f facts.Fact) bool { return f.Fatal.Number == a.Signal }
		if process.AsksToEnd(a.Signal) || slices.ContainsFunc(s.Sum.Facts, killed) {
			to := ToRun
			if a.Whole {
				to = ToRunGroup
			}
			out = append(out, Ended{By: EndedBySignal, Signal: a.Signal, Time: a.Time.UnixNano(), Sender: Sender{Kind: to}})
		}
	}
	l := s.known.Launcher
	if l == nil || l.Signal == 0 {
		return out
	}
	gone := l.Ended.Add(-noticing).UnixNano()
	if slices.ContainsFunc(out, func(e Ended) bool { return gone-e.Time < int64(process.EndingPeriod) }) {
		return out
	}
	return append(out, Ended{By: EndedWithLauncher, Signal: l.Signal, Time: gone, Sender: Sender{Kind: ToLauncher}})
}

// atRanks lists the signals that ranks got from outside.
func (s requests) atRanks() (out []Ended) {
	ranks := s.signalledFromOutside()
	if s.probablyAll(ranks) {
		ranks = model.RankSet{}
	}
	for i := range s.Sum.Facts {
		f := &s.Sum.Facts[i]
		for _, got := range []facts.Signal{f.Fatal, f.Asked} {
			if s.isForeignSignal(f, got) && (got == f.Fatal || process.AsksToEnd(got.Number)) {
				out = append(out, Ended{EndedBySignal, got.Number, got.Time, s.senderOf(f, got), ranks, f.Host})
			}
		}
	}
	return out
}

// signalledFromOutside are the ranks that got a signal from outside.
func (s requests) signalledFromOutside() model.RankSet {
	return s.RanksWhere(func(f *facts.Fact) bool { return s.isForeignSignal(f, f.Asked) || s.isForeignSignal(f, f.Fatal) })
}

// probablyAll reports whether a signal went to all ranks, as far as they could say: the launcher may have killed some
// for the end of the first.
func (s requests) probablyAll(ranks model.RankSet) bool {
	silent := s.RanksWhere(isSilent)
	rest := s.Unfinished().Minus(ranks)
	return rest.Len() == 0 || ranks.Len() > 1 && rest.Minus(silent).Len() == 0
}

// isForeignSignal reports whether a signal that a rank got came neither from the job nor from its launcher.
func (s requests) isForeignSignal(f *facts.Fact, got facts.Signal) bool {
	switch got.Sender {
	case model.SenderKernel:
		return process.AsksToEnd(got.Number)
	case model.SenderOther:
		_, is := rankOf(s.Scene, f, got.PID)
		return !is
	}
	return false
}

// senderOf is who sent a signal that a rank got.
func (s requests) senderOf(f *facts.Fact, got facts.Signal) Sender {
	switch got.Sender {
	case model.SenderKernel:
		if syscall.Signal(got.Number) == syscall.SIGXCPU {
			return Sender{Kind: FromTimeLimit}
		}
		return Sender{Kind: FromTerminal}
	case model.SenderSelf:
		return Sender{Kind: FromItself}
	case model.SenderParent, model.SenderAbove:
		if f.EndedBy == "" || process.IsLauncher(f.EndedBy) {
			return Sender{Kind: FromLauncher}
		}
		return Sender{Kind: FromParent, Name: f.EndedBy}
	case model.SenderOther, model.SenderChild:
		if rank, is := rankOf(s.Scene, f, got.PID); is {
			return Sender{Kind: FromRank, Rank: rank}
		}
		if got.Sender == model.SenderChild {
			return Sender{Kind: FromChild}
		}
		if got.PID != 0 {
			return Sender{Kind: FromProcess, PID: got.PID}
		}
		return Sender{Kind: FromContainer}
	}
	return Sender{}
}

// byLauncher tells how a launcher, or its absence, ended a rank; nil: it did not.
func (s requests) byLauncher(f *facts.Fact) *Ended {
	for _, got := range []facts.Signal{f.Asked, f.Fatal} {
		launched := got.Sender == model.SenderParent || got.Sender == model.SenderAbove
		if launched && (process.AsksToEnd(got.Number) || got == f.Fatal) {
			e := &Ended{By: EndedByLauncher, Signal: got.Number, Time: got.Time, Sender: s.senderOf(f, got), host: f.Host}
			if e.Sender.Kind == FromParent {
				e.By = EndedByParent
			}
			return e
		}
	}
	if leftBehind(f) {
		return &Ended{By: EndedWithLauncher, Time: f.EndTime, host: f.Host}
	}
	return nil
}

// byAlarm tells that a rank had set an alarm, which went off within a call of MPI, and that its handler exited; nil: it did not.
func (s requests) byAlarm(f *facts.Fact) *Ended {
	if !isAlarmed(f) {
		return nil
	}
	return &Ended{By: EndedByAlarm, Signal: f.Handler, Time: f.EndTime, Sender: Sender{Kind: FromItself}, Ranks: s.RanksWhere(isAlarmed),
		host: f.Host}
}

// isAlarmed reports whether a rank ended itself because a call of MPI took too long for it.
func isAlarmed(f *facts.Fact) bool { return f.Within && f.Handler == int(syscall.SIGALRM) }

// followsRequest reports whether what a rank did at that time follows from a request to end.
func (s losses) followsRequest(at int64) bool { return isSoonAfter(s.requested, at) }

// followsOutsideRequest is follows of requests that certainly came from outside.
func (s losses) followsOutsideRequest(at int64) bool { return isSoonAfter(s.outside, at) }

func isSoonAfter(e *Ended, at int64) bool {
	return e != nil && e.Time < at && at-e.Time < int64(process.EndingPeriod)
}

// followers are the ranks that ended by themselves, or with an error of MPI, because the job had been
// asked to end.
func (s losses) followers() model.RankSet {
	return s.RanksWhere(func(f *facts.Fact) bool {
		return f.Phase < model.Finalized && (f.End != model.NoEnd || f.Erred) &&
			(s.followsRequest(f.EndTime) && !mayPrecede(s, f) || leftBehind(f) || isAlarmed(f))
	})
}

// mayPrecede reports whether a rank crashed that nobody had asked to end, so that the launcher may have asked those of other hosts to end
// for that, whatever the clocks of both say.
func mayPrecede(s losses, f *facts.Fact) bool {
	byLauncher := s.requested.By == EndedByLauncher || s.requested.By == EndedByParent
	return isCrash(f) && f.Asked.Number == 0 && byLauncher && s.requested.host != f.Host
}

// findEnded says how the job was ended, unless a rank had failed before. A rank that alone got
// the signal is a loss, and the job was ended from outside all the same.
func (s losses) findEnded() {
	if s.Unfinished().Len() == 0 || len(s.Failures) > 0 {
		return
	}
	for _, l := range s.Losses {
		if l.Cause && l.Kind != SeenStopped && !l.Outside && !(s.outside != nil && l.Kind == NoRecord) {
			return
		}
	}
	s.Ended = s.requested
	if s.requested == nil {
		s.Ended = s.killedTogether()
	}
	if s.outside != nil { // it tells more than what the launcher did about it
		s.Ended = s.outside
	}
}

// killedTogether: all ranks that had not finished were seen to end, and none said why. nil: that is not so. The signal is that of which
// some died, as the launcher tells.
func (s losses) killedTogether() *Ended {
	e := &Ended{By: EndedTogether, Signal: s.toldByLauncher()}
	for _, rank := range s.Unfinished().Slice() {
		f := s.Facts[rank]
		if f.Gone == 0 || f.End != model.NoEnd || f.Erred {
			return nil
		}
		if e.Time == 0 || f.Gone < e.Time {
			e.Time = f.Gone
		}
	}
	return e
}

// loseSignalled: somebody outside, or another rank, ended some ranks by a signal. If all got it, nobody is
// lost for that.
func (s losses) loseSignalled() {
	asked := requests(s)
	all := s.RanksWhere(func(f *facts.Fact) bool {
		sender := f.Fatal.Sender
		return f.End == model.Signalled &&
			(sender == model.SenderOther || sender == model.SenderChild || asked.isForeignSignal(f, f.Fatal))
	})
	if all.Len() == 0 || asked.probablyAll(all.Union(asked.signalledFromOutside())) {
		return
	}
	var first *facts.Fact
	all.Each(func(rank int) {
		if f := s.Facts[rank]; first == nil || f.EndTime < first.EndTime {
			first = f
		}
	})
	if s.failedBefore(first.EndTime) {
		return
	}
	these := s.RanksWhere(func(f *facts.Fact) bool { return all.Contains(f.Rank) && f.Fatal.Number == first.Fatal.Number })
	if loss := s.recordLoss(these, EndedBySender, true); loss != nil {
		loss.Signal, loss.Sender = first.Fatal.Number, asked.senderOf(first, first.Fatal)
		loss.Outside = asked.isForeignSignal(first, first.Fatal)
	}
}

// failedBefore reports whether a rank had ended before that time.
func (s losses) failedBefore(at int64) bool {
	return slices.ContainsFunc(s.Sum.Facts, func(f facts.Fact) bool {
		return f.Phase < model.Finalized && (f.End != model.NoEnd || f.Erred) && f.EndTime < at
	})
}

// leftBehind reports whether the MPI library ended a rank whose launcher was gone.
func leftBehind(f *facts.Fact) bool {
	byLibrary := f.End == model.Exited && f.Ender == model.EnderLibrary
	return f.Phase < model.Finalized && (byLibrary || f.Orphaned && f.Erred)
}
