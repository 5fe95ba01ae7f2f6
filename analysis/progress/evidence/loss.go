package evidence

import (
	"cmp"
	"time"

	"laggard/analysis/progress/facts"
	"laggard/model"
)

// Loss is a set of ranks whose process is gone or stands still, and what shows that.
type Loss struct {
	Ranks model.RankSet
	Kind  LossKind
	// Cause says that the loss can have come first; false for a rank that
	// failed after another had.
	Cause  bool
	Lead   Lead
	End    End           // of EndedItself
	Failed FailedCall    // of ErrorInCall and CalledLate
	Before model.RankSet // of MayFollow: the ranks that may have ended before
	// For is, of EndedFirst, until the next one ended, -1: none did; of FellSilent since the last sign of life; of Following since the
	// request.
	For time.Duration
	// Argument says what is wrong with an argument of the call in which the ranks died of a fault; "": nothing that is known.
	Argument string
	FreedBy  facts.Call     // that freed a handle that was an argument of the call; Call "": none, or it is not known
	Buffers  []facts.Buffer // of ErrorInCall and of ranks that died of a fault: those of the call, and of what was pending
	Signal   int            // of EndedBySender; of EndedFirst and SeenDead if the launcher's exit status tells it, 0 unknown
	Status   int            // of EndedFirst and SeenDead: with which the process exited, if that of the launcher tells it, 0 unknown
	Sender   Sender         // of EndedBySender
	Outside  bool           // these ranks were ended from outside the job
}

// Causes are the losses that can have come first, of processes that are known to be gone or to stand still.
func Causes(s *Scene) (out []Loss) {
	for _, l := range s.Losses {
		if l.Cause && l.Lead != MayLive {
			out = append(out, l)
		}
	}
	return out
}

// LossKind is what shows that ranks are lost.
type LossKind int

// The kinds of loss.
const (
	NoRecord      LossKind = iota // they left no record: it was not made, or they ended before MPI_Init
	SeenDead                      // the process is dead, and it did not record how it ended
	SeenStopped                   // the process is there and stands still
	ErrorInCall                   // MPI reported an error in a call of these ranks, and ended the job
	CalledLate                    // they called MPI after MPI_Finalize (MPI-4.0, section 11.2.2), and MPI ended the job
	EndedBySender                 // a signal of somebody else ended them
	EndedFirst                    // the process was the first to end, and did not record how
	EndedItself                   // they exited, aborted the job or died of a fault of their own
	FellSilent                    // the last sign of life is old
	MissedSignal                  // they did not get the signal that ended the others
)

// Lead says how sure it is that a loss was the first.
type Lead int

// From TooClose on others may as well have been the first.
const (
	Ahead       Lead = iota // nothing else ended for a while
	Close                   // others ended soon after: on a crowded machine one of them may be the first
	TooClose                // the next ended at the same moment
	ByClocks                // another one ended about then by the clock of another host
	AllEnded                // somebody may have ended all ranks at once
	AllFailed               // these ranks failed alike within a moment
	AllStarting             // all ranks were inside MPI_Init
	MayFollow               // others may have ended before, and this may follow from it
	MayLive                 // of NoRecord: nothing shows that the processes ended
	Following               // the job had been asked to end before
	Outlived                // others made progress long after, and none waits for these
)

// End is how a rank ended by itself.
type End struct {
	How    EndKind
	Detail int   // the signal, or the exit status, -1 unknown
	Stage  Stage // of Exited and BecameOther; of Died only whether it was AfterFinalize
	// Handler is the signal whose handler exited, of WithinCall; 0 unknown, or it was another callback.
	Handler int
}

// EndKind is the way in which a rank ended by itself.
type EndKind int

// The ways to end by itself.
const (
	BecameOther EndKind = iota // it became another program
	Aborted                    // it called MPI_Abort
	Died                       // of a signal
	Exited
	Lingers // a signal would end it, and the process is still there: its handler is at work
)

// Stage is where in its life with MPI a rank exited.
type Stage int

// The stages.
const (
	AfterFinalize Stage = iota
	BeforeFinalize
	InsideInit
	WithinCall // a handler or another callback of the program exited within a call of MPI
)

// endOf is how a rank ended by itself, which did.
func endOf(s *Scene, f *facts.Fact) End {
	switch f.End {
	case model.Signalled:
		if s.known.Liveness[f.Rank] == Lingering {
			return End{How: Lingers, Detail: f.Detail}
		}
		e := End{How: Died, Detail: f.Detail, Stage: BeforeFinalize}
		if f.Phase == model.Finalized {
			e.Stage = AfterFinalize
		}
		return e
	case model.Aborted:
		return End{How: Aborted}
	}
	e := End{How: Exited, Detail: max(f.Detail, -1), Stage: BeforeFinalize}
	if f.Ender == model.EnderExec {
		e.How, e.Detail = BecameOther, 0
	}
	switch {
	case f.Phase == model.Finalized:
		e.Stage = AfterFinalize
	case isStarting(f):
		e.Stage = InsideInit
	case f.Within:
		e.Stage, e.Handler = WithinCall, f.Handler
	}
	return e
}

func compareEnds(a, b End) int {
	return cmp.Or(cmp.Compare(a.How, b.How), cmp.Compare(a.Detail, b.Detail), cmp.Compare(a.Stage, b.Stage),
		cmp.Compare(a.Handler, b.Handler))
}

// FailedCall is a call in which MPI reported an error and ended the job.
type FailedCall struct {
	Call string
	Kind model.Kind // of what it was about
	Peer int        // of the message; model.None: it was about none
	Tag  int
	Says string // what MPI says of the error, in one line, and what is wrong with an argument; "" unknown
}

// Sender is who sent a signal, or to whom it was sent, as far as it is known.
type Sender struct {
	Kind SenderKind
	Rank int    // of FromRank
	PID  int    // of FromProcess
	Name string // of FromParent: the name of the process
}

// SenderKind is what is known of the sender of a signal.
type SenderKind int

// The kinds of sender.
const (
	FromUnknown SenderKind = iota
	ToRun                  // it was sent to laggard run
	ToRunGroup             // it was sent to the process group of laggard run
	ToLauncher
	FromTimeLimit // the kernel sent it, for a limit of CPU time
	FromTerminal
	FromItself
	FromLauncher
	FromParent // a process that started the rank, or its parent, and is no launcher
	FromRank
	FromChild     // a process that the rank started, or one that such a process did
	FromProcess   // that is no rank, and not known to be a child of one
	FromContainer // a process outside the container
)
