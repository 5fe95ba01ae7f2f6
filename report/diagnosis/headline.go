package diagnosis

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"laggard/analysis/progress"
	"laggard/model"
	"laggard/report"
	"laggard/report/words"
)

// Headline is the answer in one sentence, without its full stop.
func Headline(r *Result) string {
	l := r.LeastProgressed
	switch {
	case len(r.Failures) > 0:
		return failureHeadline(r)
	case r.Ended != nil:
		return endedHeadline(r)
	case r.Running:
		return runningHeadline(r)
	case l != nil && endOf(r) != nil:
		why := cmp.Or(uncaughtText(r, l.Set), terminatedText(r)+placeOfEnd(l)+argumentText(endOf(r)))
		return fmt.Sprintf("%s %s%s, of %s", words.Upper(r.rankNames(l.Set)), endOf(r).Reason, why, words.Size(r.Ranks))
	case l != nil && mpiErrorOf(r) != nil:
		return mpiErrorHeadline(r)
	case l != nil:
		return fmt.Sprintf("%s %s least progressed, of %s", words.Upper(r.rankNames(l.Set)),
			words.Verb(l.Set, "is", "are"), words.Size(r.Ranks))
	case r.Hang:
		return fmt.Sprintf("The run of %s did not finish; the least-progressed rank could not be determined",
			words.Size(r.Ranks))
	case len(r.Groups) == 0:
		return noDataHeadline(r)
	case r.RecordingStopped != "":
		return fmt.Sprintf("The recording of %s stopped before the end, of %s: what they did later is not known",
			words.Ranks(r.RecordingStopped), words.Size(r.Ranks))
	case slices.ContainsFunc(r.Groups, Group.unrecorded):
		return incompleteHeadline(r)
	case r.allFinished() && r.RemainingProcesses != "":
		return fmt.Sprintf("All %s left MPI_Finalize; %s of %s %s not ended", words.Size(r.Ranks),
			words.Verb(r.RemainingProcesses, "the process", "the processes"), words.Ranks(r.RemainingProcesses),
			words.Verb(r.RemainingProcesses, "has", "have"))
	case r.allFinished() && r.LauncherStatus != 0:
		return fmt.Sprintf("All %s left MPI_Finalize: no hang; but the launcher ended with status %d, and no rank recorded why",
			words.Size(r.Ranks), r.LauncherStatus)
	case r.allFinished():
		return fmt.Sprintf("The job of %s finished: no hang", words.Size(r.Ranks))
	}
	return fmt.Sprintf("No hang: nothing in this run of %s is stuck", words.Size(r.Ranks))
}

// failureHeadline says how a job failed that did not hang.
func failureHeadline(r *Result) string {
	var parts []string
	for _, f := range r.Failures {
		parts = append(parts, r.rankNames(f.Ranks)+" "+f.Reason+uncaughtText(r, f.Ranks))
	}
	return words.Upper(strings.Join(parts, "; ")) + ". No hang"
}

// uncaughtText names the exception or error that ended these ranks; "": there is none.
func uncaughtText(r *Result, ranks string) string {
	these, err := model.ParseRankSet(ranks)
	for i := range r.Exceptions {
		x := &r.Exceptions[i]
		have, bad := model.ParseRankSet(x.Ranks)
		if err != nil || bad != nil || these.Minus(have).Len() > 0 {
			continue
		}
		switch x.State {
		case raisedStates[model.RaisedLast]:
			return " because of an uncaught " + x.name() + x.InParentheses()
		case raisedStates[model.RaisedThrown]:
			if r.terminated(throws) {
				return " because of an uncaught " + x.name() + x.InParentheses()
			}
		case raisedStates[model.RaisedFatal]:
			text := ": " + x.String()
			if x.InParentheses() == "" && r.LeastProgressed != nil {
				text += placeOfEnd(r.LeastProgressed)
			}
			return text
		}
	}
	return ""
}

// terminated reports whether the named ranks were in std::terminate, called for some function that is further out: any, or one by which C++
// throws an exception. A joinable thread that is destroyed, or a pure virtual call, has it called too.
func (r *Result) terminated(by func(report.Frame) bool) bool {
	isIn := func(at Location) bool {
		i := slices.IndexFunc(at.Stack, terminates)
		return i >= 0 && slices.ContainsFunc(at.Stack[i:], by)
	}
	l := r.LeastProgressed
	return l != nil && len(l.Locations) > 0 && !slices.ContainsFunc(l.Locations, func(at Location) bool { return !isIn(at) })
}

func terminates(f report.Frame) bool {
	return f.Function == "std::terminate" || f.Function == "__verbose_terminate_handler"
}

// throws reports whether a function is one of those that are on the stack between a throw and std::terminate, where nothing catches the
// exception, or it must not leave a function.
func throws(f report.Frame) bool {
	name := f.Function[strings.LastIndexByte(f.Function, ':')+1:]
	return strings.HasPrefix(name, "_Unwind_") || slices.Contains([]string{"__cxa_throw", "__cxa_rethrow", "rethrow_exception",
		"__cxa_call_terminate", "__clang_call_terminate", "__gxx_personality_v0"}, name)
}

// terminatedText says that ranks were in std::terminate, for whatever reason; "": they were not.
func terminatedText(r *Result) string {
	if r.terminated(terminates) {
		return " in std::terminate"
	}
	return ""
}

// runningHeadline says how a job progresses, and who is behind.
func runningHeadline(r *Result) string {
	last, rate := "just now", ""
	if p := r.Progress; p != nil && p.SecondsSince > 0 {
		last = fmt.Sprintf("%.0f s ago", p.SecondsSince)
	}
	if p := r.Progress; p != nil && p.IterationsPerSecond > 0 {
		rate = fmt.Sprintf(", %.3g iterations/s", p.IterationsPerSecond)
	}
	text := fmt.Sprintf("The job is running: last progress %s, %s%s", last, words.Size(r.Ranks), rate)
	if l := r.LeastProgressed; l != nil {
		text += fmt.Sprintf("; %s %s behind the others", r.rankNames(l.Set), words.Verb(l.Set, "is", "are"))
	}
	return text
}

// mpiErrorHeadline says over which error MPI ended the job.
func mpiErrorHeadline(r *Result) string {
	l, says := r.LeastProgressed, mpiErrorOf(r).Error
	if says != "" {
		says = ": " + says
	}
	return fmt.Sprintf("MPI ended %s, of %s, because of an error%s%s", r.rankNames(l.Set), words.Size(r.Ranks), placeOfEnd(l), says)
}

// endOf is how the named ranks ended by themselves; nil: they did not.
func endOf(r *Result) *Loss { return lossOfNamed(r, func(l Loss) bool { return l.Acted }) }

// mpiErrorOf is the loss of the named ranks over whose call MPI ended the job; nil: there is none.
func mpiErrorOf(r *Result) *Loss { return lossOfNamed(r, func(l Loss) bool { return l.Erred }) }

// hasExited reports whether the named ranks probably exited, though they did not record it.
func hasExited(r *Result) bool {
	return lossOfNamed(r, func(l Loss) bool { return l.Status != 0 }) != nil
}

// lossOfNamed is the loss of the named ranks, if they are named for it and it is of that kind; nil: it is not.
func lossOfNamed(r *Result, kind func(Loss) bool) *Loss {
	i := slices.IndexFunc(r.Losses, func(l Loss) bool { return kind(l) && l.Ranks == r.LeastProgressed.Set })
	if i < 0 || r.LeastProgressed.Rule != progress.RuleLostProcess {
		return nil
	}
	return &r.Losses[i]
}

// argumentText says what is wrong with an argument of the call in which ranks died; "": nothing that is known.
func argumentText(l *Loss) string {
	if l.Argument == "" {
		return ""
	}
	return ", where " + l.Argument
}

// placeOfEnd is where ranks ended: the MPI function and the line.
func placeOfEnd(l *LeastProgressed) string {
	places := distinctLocations(l)
	if len(places) != 1 || places[0].File == "" {
		return ""
	}
	at, in := places[0], ""
	if at.InMPI != nil && *at.InMPI != "MPI_Abort" { // of which the sentence speaks
		in = " in " + *at.InMPI
	}
	return in + at.InParentheses()
}

// noDataHeadline is about a run without a usable record.
func noDataHeadline(r *Result) string {
	if len(r.Problems) > 0 {
		return "No usable data in this run: " + shortProblem(r.Problems[0])
	}
	if r.UncollectedDir != "" {
		return "No rank has left data here; the files of this run may still be on its nodes, in " + r.UncollectedDir
	}
	return "No rank of this run called MPI_Init, or none was recorded"
}

// incompleteHeadline is about a run in which nothing is stuck as far as it was recorded.
func incompleteHeadline(r *Result) string {
	var recorded model.RankSet
	for _, g := range r.Groups {
		if ranks, err := model.ParseRankSet(g.Ranks); err == nil && !g.unrecorded() {
			recorded = recorded.Union(ranks)
		}
	}
	there := recorded.String()
	text := fmt.Sprintf("Only %s of %d %s a record", words.Ranks(there), r.Ranks, words.Verb(there, "has", "have"))
	if len(r.Problems) > 0 {
		text += " (" + shortProblem(r.Problems[0]) + ")"
	}
	return text + "; nothing in it is stuck"
}

// shortProblem is a problem without the name of the package that found it.
func shortProblem(problem string) string {
	_, text, found := strings.Cut(problem, ": ")
	if !found {
		text = problem
	}
	return words.Cut(text)
}

// unrecorded reports whether the ranks left no record.
func (g Group) unrecorded() bool { return g.State.Kind == string(progress.Unknown) }

// finished reports whether the ranks have left MPI_Finalize.
func (g Group) finished() bool {
	return g.State.Kind == string(progress.Computation) && g.State.MPI == "MPI_Finalize"
}

// allFinished reports whether all ranks have left MPI_Finalize.
func (r *Result) allFinished() bool {
	return !slices.ContainsFunc(r.Groups, func(g Group) bool { return !g.finished() })
}
