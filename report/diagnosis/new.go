package diagnosis

import (
	"cmp"
	"slices"
	"strings"

	"laggard/analysis/progress"
	"laggard/analysis/progress/evidence"
	"laggard/analysis/progress/facts"
	"laggard/analysis/share"
	"laggard/model"
	"laggard/report"
	"laggard/report/diagnosis/wording"
	"laggard/report/words"
	"laggard/symbol"
	"laggard/symbol/outside"
)

// maxLocations bounds the locations that are listed rank by rank; beyond it
// there is one for all ranks at the same place.
const maxLocations = 64

// Source is what a Result is made from.
type Source struct {
	Run report.Run
	*progress.Result
	Resolver *symbol.Resolver
}

// names are those of the communicators, windows and files that the result names.
func (s Source) names() wording.Names {
	return wording.NewNames(s.Makers, func(state *model.State) report.Site {
		return report.NewSite(s.Resolver.ResolveProgramStack(state.Stack, false))
	})
}

// New makes the result as far as the diagnosis goes: without branches, slices, known issues and wrong use of MPI
// that explains it, its Analysis and the sources.
func New(s Source) *Result {
	f := s.Diagnosis
	r := &Result{
		SchemaVersion: report.SchemaVersion,
		Run:           s.Run,
		Ranks:         f.Size,
		Hang:          f.Hang,
		Running:       s.Running,
		Deadlock:      Deadlock{Cycles: [][]int{}},
		LostRanks:     []int{},
		Losses:        []Loss{},
		DamagedRanks:  rankList(s.Damaged),

		RecordingStopped: s.Off.String(), RemainingProcesses: s.Remaining.String(),
		UncollectedDir:  words.Printable(share.UncollectedDir(s.Index)),
		LauncherStatus:  f.Launched,
		UnfinishedRanks: rankList(f.Unfinished),
		RankOrder:       []string{},
		Groups:          []Group{},
		Edges:           []Edge{},
		ProgressOrder:   f.ProgressOrder,
		Notes:           words.AllPrintable(wording.Notes(s.Result)),
		Problems:        words.AllPrintable(s.Problems),
	}
	if r.ProgressOrder == nil {
		r.ProgressOrder = [][]int{}
	}
	r.Spawned = s.spawned()
	r.Notes = slices.Insert(r.Notes, 0, r.spawnedNotes()...)
	for _, level := range f.RankOrder {
		r.RankOrder = append(r.RankOrder, level.String())
	}
	if f.Deadlock != nil {
		r.Deadlock.Cycles = f.Deadlock.Cycles
	}
	if s.Running {
		r.Progress = &Progress{s.SinceProgress.Seconds(), s.IterationRate}
	}
	s.fillEnds(r)
	s.fillMessages(r)
	s.fillGraph(r)
	r.Differences, r.Library = s.differences(r), s.newLibrary()
	r.Exceptions, r.ReturnedErrors = s.exceptions(), s.returnedErrors()
	r.Unfreed = NewUnfreed(s.Unfreed, s.Resolver)
	if f.LeastProgressed != nil {
		r.LeastProgressed = s.newLeastProgressed(f.LeastProgressed)
		s.setReason(r)
		if note := r.LeastProgressed.libraryNote(); note != "" {
			r.Notes = append(r.Notes, note)
		}
	}
	r.Extra.Comms = communicators(s.Comms, r.NamedComms)
	if s.Compared != nil {
		r.Extra.Compared = New(Source{s.Run, s.Compared, s.Resolver})
		r.Extra.Compared.Analysis.Algorithm = s.Compared.Algorithm
	}
	return r
}

// fillEnds fills in how the job and ranks of it ended.
func (s Source) fillEnds(r *Result) {
	f := s.Diagnosis
	if f.Ended != nil {
		r.Ended = endedOf(f.Ended)
	}
	var lost model.RankSet
	for _, l := range f.Lost {
		lost = lost.Union(l.Ranks)
		r.Losses = append(r.Losses, s.newLoss(&l))
	}
	r.LostRanks = rankList(lost)
	for _, l := range f.Failures {
		r.Failures = append(r.Failures, Loss{Ranks: l.Ranks.String(), Reason: words.Printable(wording.Failure(&l)), Acted: true})
	}
}

// fillMessages fills in where ranks part, in collectives and messages.
func (s Source) fillMessages(r *Result) {
	f, names := s.Diagnosis, s.names()
	r.Divergences = s.divergences()
	for _, m := range s.Unsent {
		r.Unsent = append(r.Unsent, s.newUnsent(m, names))
	}
	for _, m := range s.Makers {
		r.NamedComms = append(r.NamedComms, s.newNamedComm(m, names))
	}
	for _, c := range f.Concurrent {
		r.Concurrent = append(r.Concurrent, newConcurrent(c, names))
	}
	for _, a := range f.AboveLevel {
		r.AboveLevel = append(r.AboveLevel, newAboveLevel(a))
	}
	for _, h := range f.HeldLocks {
		r.HeldLocks = append(r.HeldLocks, s.newHeldLock(h))
	}
	for i := range f.FileLocks {
		r.FileLocks = append(r.FileLocks, newFileLock(&f.FileLocks[i]))
	}
	for _, e := range f.OneSided() {
		r.OneSided = append(r.OneSided, s.newOneSided(e, names))
	}
	for _, q := range s.Inactive {
		r.Inactive = append(r.Inactive, s.newInactive(q, names))
	}
	for i := range s.Unposted {
		r.Unposted = append(r.Unposted, newUnposted(s, &s.Unposted[i]))
	}
	for _, x := range s.Excluded {
		r.Excluded = append(r.Excluded, s.newExcluded(x, names))
	}
	for _, t := range f.Taken {
		r.Taken = append(r.Taken, s.newTaken(t, names))
	}
	for _, a := range f.AnySource {
		r.AnySourceWaits = append(r.AnySourceWaits, newAnySourceWait(a, names))
	}
}

// freedText says which call freed a handle that was an argument; "": it is not known.
func (s Source) freedText(l *progress.Loss) string {
	if l.FreedBy.Call == "" {
		return ""
	}
	return words.Printable(l.FreedBy.Call) + report.NewSite(s.Resolver.ResolveProgramStack(l.FreedBy.Stack, false)).InParentheses()
}

func (s Source) newLoss(l *progress.Loss) Loss {
	buffers, freed := s.newBuffers(l.Buffers), s.freedText(l)
	text := bufferText(buffers, len(l.Buffers) > 0 && l.Buffers[0].Within)
	out := Loss{
		Ranks: l.Ranks.String(), Reason: words.Printable(wording.Loss(l)), Acted: l.Kind == evidence.EndedItself,
		Status: l.Status,
		Erred:  l.Kind == evidence.ErrorInCall, Error: words.Printable(l.Failed.Says), Argument: words.Printable(l.Argument),
		Buffers: buffers, FreedBy: freed,
	}
	if freed != "" { // behind "was freed before"
		freed = ", by " + freed
	}
	if out.Argument != "" {
		out.Argument += freed
	}
	if out.Erred {
		out.Error = joinTexts(out.Error+freed, text)
	} else {
		out.Argument = joinTexts(out.Argument, text)
	}
	return out
}

// libraryNote says of which ranks the place is one in a library, since no frame is outside libraries; "": of none.
func (l *LeastProgressed) libraryNote() string {
	var in model.RankSet
	for _, at := range l.Locations {
		own := func(f report.Frame) bool { return !f.Library && !f.Wrapper }
		if len(at.Stack) > 0 && !slices.ContainsFunc(at.Stack, own) {
			ranks, _ := model.ParseRankSet(at.Ranks)
			in = in.Union(ranks)
		}
	}
	if in.Len() == 0 {
		return ""
	}
	return in.Phrase() + ": no frame is in the program's own code, so the place is in a library (setting symbols.library)"
}

// setReason fills in why the ranks are named, and why the job hangs if it does: with what they
// called in the words of the program, and the exceptions that tell them from others.
func (s Source) setReason(r *Result) {
	theirs := ""
	if s.LeastProgressed.Cause.IsDivergence() {
		theirs = cmp.Or(r.pythonCallsText(), r.othersPlaceText())
	}
	text := s.names().Reason(s.LeastProgressed, theirs)
	wentPast := func(x progress.Reason) bool { return x.Kind == progress.WentPast || x.Kind == progress.LeftOutSend }
	failedToSend := func(x progress.Reason) bool { return x.Kind == progress.FailedToSend }
	held, l := r.heldLockReason(), s.LeastProgressed
	inactive := r.inactiveReason(l.Cause.IsDivergence())
	if held == "" && !l.Cause.IsDivergence() && !slices.ContainsFunc(l.Reasons, wentPast) {
		text += cmp.Or(inactive, r.unsentReason()) + r.anySourceReason() + r.excludedReason()
	} else {
		text += inactive
	}
	text += r.unpostedReason() + held + r.leftForFinalizeReason() + r.exceptionReason()
	if !slices.ContainsFunc(l.Reasons, failedToSend) { // else the error is told
		text += r.returnedErrorReason()
	}
	text += r.argumentReason(r.LeastProgressed.Set)
	confidence := s.LeastProgressed.Confidence
	lock, known := r.fileLockReason()
	if text += lock; !known {
		confidence = min(confidence, elsewhereAtFault)
	}
	r.LeastProgressed.Reason, r.LeastProgressed.Confidence = words.Printable(text), confidence
	r.Cause = causeOf(s.Diagnosis, text)
}

// causeOf is why the job hangs; nil: it does not.
func causeOf(f progress.Diagnosis, text string) *Cause {
	l := f.LeastProgressed
	if !f.Hang {
		return nil
	}
	if who := l.Ranks.Phrase(); !strings.Contains(text, who) {
		text = who + ": " + text
	}
	text = words.Printable(text)
	return &Cause{string(cmp.Or(l.Cause, progress.CauseUnknown)), l.Ranks.String(), text}
}

func (s Source) fillGraph(r *Result) {
	for _, g := range s.Groups {
		r.Groups = append(r.Groups, Group{
			ID: g.ID, Ranks: g.Ranks.String(), Count: g.Ranks.Len(), Isolated: g.Isolated, Least: g.Least,
			State: State{
				Kind: string(g.Kind), MPI: words.Printable(g.Call),
				Stack: report.Frames(s.Resolver.ResolveProgramStack(g.Stack, false)),
			},
		})
	}
	names := s.names()
	for _, e := range s.Edges {
		r.Edges = append(r.Edges, Edge{
			From: e.From, To: e.To, Kind: string(e.Kind), Weak: e.Weak, Reason: words.Printable(names.Edge(&e)),
		})
	}
}

func (s Source) newLeastProgressed(l *progress.LeastProgressed) *LeastProgressed {
	out := &LeastProgressed{
		Ranks: rankList(l.Ranks), Set: l.Ranks.String(), Rule: l.Rule, Method: l.Method, Confidence: l.Confidence,
		Locations: []Location{},
	}
	for _, place := range l.Locations {
		one := s.newLocation(place)
		if l.Ranks.Len() > maxLocations {
			out.Locations = append(out.Locations, s.withProcess(one, place.Ranks.Min()))
			continue
		}
		place.Ranks.Each(func(rank int) { out.Locations = append(out.Locations, s.withProcess(one, rank)) })
	}
	return out
}

func (s Source) newLocation(place progress.Location) Location {
	stack := slices.DeleteFunc(s.Resolver.ResolveProgramStack(place.Stack, place.Captured), symbol.InRecorder)
	if !symbol.HasOwnFrame(stack) { // it ends in a library, where the recorder found no way further
		stack = append(stack, s.Resolver.ResolveProgramStack(place.CallStack, false)...)
	}
	out := Location{
		Ranks: place.Ranks.String(), Site: report.NewSite(stack), Stack: report.Frames(stack),
		After: words.Printable(place.After), Captured: place.Captured,
	}
	wait := outside.WaitOf(stack)
	out.Within = wait.Within
	out.OtherThread, out.Ended = place.Other, place.Ended
	if place.Other {
		out.After = ""
	} else if place.Call != "" {
		call := words.Printable(place.Call)
		out.InMPI = &call
	} else if place.Captured {
		out.WaitsFor = wait.For
		if place.Holder.For == model.InterpreterAwaited { // no function has that name
			out.WaitsFor = outside.Interpreter
		}
		out.Holder = s.newHolder(place.Holder, out.WaitsFor)
		out.Beside = s.threadsBeside(place.Beside, out, outside.InRegion(stack))
	}
	return out
}

// maxBeside bounds the threads of a location that are shown.
const maxBeside = 8

// threadsBeside lists the threads that may hold up the one that waits at a place: first those at other lines, last
// those at the same. A worker of a library that waits for work says nothing, but in OpenMP, where it has left what the others
// are still in: inRegion says that the thread is inside a parallel region.
func (s Source) threadsBeside(stacks []facts.Stack, place Location, inRegion bool) (out []ThreadPlace) {
	waits, own := place.WaitsFor, place.Site
	if !slices.Contains([]string{"lock", "thread", "openmp", "queue", "pool"}, waits) {
		return nil
	}
	for _, one := range stacks {
		stack := s.Resolver.ResolveProgramStack(one.Frames, true)
		site := report.NewSite(stack)
		thread := ThreadPlace{Ranks: one.Ranks.String(), Site: site, WaitsFor: outside.WaitOf(stack).For, Stack: report.Frames(stack)}
		if len(stack) > 0 && stack[0].Language == symbol.Python {
			if !slices.ContainsFunc(stack, func(l symbol.Location) bool { return l.Origin() == symbol.Own }) {
				continue // a worker that waits for work
			}
			thread.WaitsFor = outside.PythonWaitOf(stack)
		}
		if symbol.HasOwnFrame(stack) && site.Line > 0 || waits == "openmp" && thread.WaitsFor == waits && inRegion {
			out = append(out, thread)
		}
	}
	order := func(t ThreadPlace) int {
		switch {
		case t.isInPython() && t.WaitsFor == "":
			return 0
		case t.Line == 0:
			return 2
		case t.File == own.File && t.Line == own.Line:
			return 3
		}
		return 1
	}
	slices.SortStableFunc(out, func(a, b ThreadPlace) int { return cmp.Compare(order(a), order(b)) })
	return out[:min(len(out), maxBeside)]
}

// newHolder is the thread that has what a thread waits for. What the recorder found in memory must fit what the functions
// on the stack wait for.
func (s Source) newHolder(h facts.Holder, waits string) *Holder {
	fits := waits == "lock"
	switch h.For {
	case model.NothingAwaited:
		fits = h.TID != 0 && (waits == "thread" || waits == "openmp")
	case model.EndAwaited:
		fits = waits == "thread"
	case model.FileLockAwaited, model.ProcessAwaited:
		fits = false // of a process, which file_locks has, or a wait for its rank
	case model.InterpreterAwaited:
		fits = true
	}
	if !fits {
		return nil
	}
	out := &Holder{Thread: h.TID, Ended: h.For == model.GoneAwaited, Assumed: h.For == model.NothingAwaited}
	stack := s.Resolver.ResolveProgramStack(h.Stack, h.Call == "")
	out.Site = report.NewSite(stack)
	if h.Call != "" {
		call := words.Printable(h.Call)
		out.InMPI = &call
	} else {
		out.WaitsFor = outside.WaitOf(stack).For
	}
	return out
}

func (s Source) withProcess(l Location, rank int) Location {
	l.Rank = rank
	if p, ok := s.Processes[rank]; ok {
		l.Host, l.PID, l.Contained, l.Alive = words.Printable(p.Host), p.PID, p.Contained, p.Alive
		if !p.Since.IsZero() {
			since := p.Since.UTC()
			l.Since = &since
		}
	}
	return l
}

func rankList(s model.RankSet) []int {
	if out := s.Slice(); out != nil {
		return out
	}
	return []int{}
}
