package wording

import (
	"cmp"
	"fmt"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"laggard/analysis/progress"
	"laggard/analysis/progress/evidence"
	"laggard/model"
	"laggard/report/words"
)

// Loss says why ranks are lost, with the ranks as its subject if they ended by themselves.
func Loss(l *progress.Loss) string {
	text := lossKind(l)
	switch l.Lead {
	case evidence.AllEnded:
		return text + "; all ranks may have been ended at once"
	case evidence.TooClose:
		return text + "; too close to tell which ended first"
	case evidence.ByClocks:
		return text + ", by the clocks of the nodes; a process on another node ended about then"
	case evidence.AllFailed:
		return text + ", all at once"
	case evidence.Following:
		return fmt.Sprintf("%s, %s after the job had been asked to end", text, l.For.Round(time.Millisecond))
	case evidence.Outlived:
		return text + ", and others went on for more than a minute"
	case evidence.AllStarting:
		return text + ", where the other ranks were too: the MPI library could not start"
	case evidence.MayFollow:
		return fmt.Sprintf("%s; it may follow from the end of %s, which ended without recording it", text, l.Before.Phrase())
	}
	return text
}

func lossKind(l *progress.Loss) string {
	switch l.Kind {
	case evidence.NoRecord:
		if l.Lead != evidence.MayLive {
			return "ended without a record"
		}
		if l.Ranks.Len() == 1 {
			return "left no record: it was not recorded, or ended before MPI_Init"
		}
		return "left no record: they were not recorded, or ended before MPI_Init"
	case evidence.SeenDead:
		return "the process died without recording an exit: " + unrecordedEnd(l)
	case evidence.SeenStopped:
		return "the process is stopped"
	case evidence.ErrorInCall:
		return fmt.Sprintf("MPI reported an error in %s and ended the job%s", failedCall(&l.Failed), says(&l.Failed))
	case evidence.EndedBySender:
		return fmt.Sprintf("ended by %s, %s", Signal(l.Signal), Sender(l.Sender))
	case evidence.EndedFirst:
		ahead := ""
		if l.For >= 0 {
			ahead = fmt.Sprintf(", %s before the next", l.For.Round(time.Microsecond))
		}
		return fmt.Sprintf("%s: the process ended first%s, without recording an exit", unrecordedEnd(l), ahead)
	case evidence.FellSilent:
		return fmt.Sprintf("no heartbeat for %.0f s: stopped or killed", l.For.Seconds())
	case evidence.MissedSignal:
		return "did not receive the signal that ended the others: killed before it"
	}
	return end(l.End)
}

// unrecordedEnd says how a process ended that could not record it.
func unrecordedEnd(l *progress.Loss) string {
	switch {
	case l.Signal != 0:
		return fmt.Sprintf("killed by %s, as the exit status of the launcher says", Signal(l.Signal))
	case l.Status != 0:
		return fmt.Sprintf("probably exited with status %d, as the launcher did, past exit() of the C library", l.Status)
	}
	return "killed (SIGKILL, or a stack overflow), or ended past exit() of the C library"
}

// Failure says how the job failed although nothing hung, with the ranks as its subject.
func Failure(f *progress.Failure) string {
	switch f.Kind {
	case evidence.ErrorInCall:
		return fmt.Sprintf("had an error in %s, over which MPI ended the job%s", failedCall(&f.Failed), says(&f.Failed))
	case evidence.CalledLate:
		return fmt.Sprintf("called %s after MPI_Finalize, over which MPI ended the job", f.Failed.Call)
	}
	return end(f.End)
}

// end says how a rank ended by itself, with the rank as its subject.
func end(e evidence.End) string {
	text := "exited"
	switch {
	case e.How == evidence.Died:
		text = fmt.Sprintf("died of %s (%v)", Signal(e.Detail), syscall.Signal(e.Detail))
		if e.Stage != evidence.AfterFinalize {
			return text
		}
	case e.How == evidence.Lingers:
		return fmt.Sprintf("is still dealing with %s (%v)", Signal(e.Detail), syscall.Signal(e.Detail))
	case e.How == evidence.Aborted:
		return "called MPI_Abort"
	case e.How == evidence.BecameOther:
		text = "became another program (exec)"
	case e.Detail >= 0:
		text = fmt.Sprintf("exited with status %d", e.Detail)
	}
	switch e.Stage {
	case evidence.AfterFinalize:
		return text + " after MPI_Finalize"
	case evidence.InsideInit:
		return text + " inside MPI_Init"
	case evidence.WithinCall:
		if e.Handler == 0 {
			return text + " from a handler or another callback of the program"
		}
		return text + " from its handler of " + Signal(e.Handler)
	}
	return text + " before MPI_Finalize"
}

// failedCall names the call, with the peer if it has one.
func failedCall(c *evidence.FailedCall) string {
	switch {
	case c.Peer == model.None:
		return c.Call
	case c.Kind == model.Send:
		return fmt.Sprintf("%s to rank %d%s", c.Call, c.Peer, tag(c.Tag))
	}
	return fmt.Sprintf("%s from rank %d%s", c.Call, c.Peer, tag(c.Tag))
}

// says is what MPI says of the error, behind a colon; "": it is not known.
func says(c *evidence.FailedCall) string {
	if c.Says == "" {
		return ""
	}
	return ": " + c.Says
}

func tag(n int) string {
	switch n {
	case model.None:
		return ""
	case model.Any:
		return " with any tag"
	}
	return fmt.Sprintf(" with tag %d", n)
}

// Signal is the name of a signal, such as SIGTERM; "": there was none.
func Signal(n int) string {
	if n == 0 {
		return ""
	}
	return cmp.Or(unix.SignalName(syscall.Signal(n)), fmt.Sprintf("signal %d", n))
}

// Sender says who sent a signal, or to whom it was sent; "": it is not known.
func Sender(s evidence.Sender) string {
	switch s.Kind {
	case evidence.ToRun:
		return "sent to laggard run"
	case evidence.ToRunGroup:
		return "sent to its process group"
	case evidence.ToLauncher:
		return "sent to the launcher"
	case evidence.FromTimeLimit:
		return "from the kernel, for a CPU time limit"
	case evidence.FromTerminal:
		return "from a terminal"
	case evidence.FromItself:
		return "from the rank itself"
	case evidence.FromLauncher:
		return "from the launcher"
	case evidence.FromParent:
		return fmt.Sprintf("from a parent process of the ranks (%s)", words.Printable(s.Name))
	case evidence.FromRank:
		return fmt.Sprintf("from rank %d", s.Rank)
	case evidence.FromChild:
		return "from a child process of the rank"
	case evidence.FromProcess:
		return fmt.Sprintf("from process %d (no rank of the job)", s.PID)
	case evidence.FromContainer:
		return "from a process outside the container"
	}
	return ""
}
