package evidence

import (
	"laggard/analysis/progress/facts"
	"laggard/model"
	"laggard/model/process"
	"laggard/model/runfiles"
)

// Liveness is what an observer outside the record knows of a process, for
// instance from /proc.
type Liveness string

// What an observer can know. Ranks it knows nothing of are left out.
const (
	Dead      Liveness = "dead"
	Stopped   Liveness = "stopped"
	Lingering Liveness = "lingers" // the process is there, and its record says that a signal ended it
)

// Observed is what is known of a job besides its record. The zero value is
// nothing.
type Observed struct {
	// Size is the number of ranks the run should have, 0 if unknown. What the
	// ranks themselves say counts too.
	Size int
	// Worlds are those of spawned processes, which are among the ranks.
	Worlds []runfiles.SpawnedWorld
	// Damaged are ranks whose record could not be read: no conclusion is drawn
	// from their absence.
	Damaged model.RankSet
	// Uncounted says that the record was made from looks at the ranks: it has what calls
	// wait for, but no counts of what was sent, received or begun.
	Uncounted bool
	// Liveness holds outside knowledge by rank.
	Liveness map[int]Liveness
	// Arrived are the signals that `laggard run` got, Launcher how it saw the launcher end; nil: it did not.
	Arrived  []process.ReceivedSignal
	Launcher *process.Launcher
}

// Scene is the merged knowledge, indexed for the conclusion.
type Scene struct {
	Sum     *facts.Summary // the merged one
	known   Observed
	All     model.RankSet       // ranks the job should have
	Present model.RankSet       // those with a record
	Facts   map[int]*facts.Fact // by rank
	comms   map[uint64]*facts.Comm
	answers map[wantID][]facts.Answer
	Losses  []Loss        // as they were found
	Lost    model.RankSet // all ranks of losses
	// Unrecorded are those of Lost of which it is not known whether they ended.
	Unrecorded model.RankSet
	// Failures are how the job failed although nothing hung; empty: it did not, or it hung.
	Failures []Failure
	Erred    model.RankSet // those in whose calls MPI reported an error
	Gone     model.RankSet // ranks that will not send any more
	// Ended: the job was ended from outside, and no rank had failed before; nil: it was not.
	Ended     *Ended
	outside   *Ended            // the first request to end that certainly came from outside
	requested *Ended            // the first request, perhaps by a launcher for a rank that failed
	Followed  model.RankSet     // ranks that ended for a request
	processes map[processID]int // ranks by their processes; nil: not yet asked for
	Off       model.RankSet     // ranks whose record stopped before they did, or is damaged or missing
	targets   map[targetKey]*Target
	places    map[uint64]map[int]int                  // of the members of some communicators, by rank of MPI_COMM_WORLD
	inside    map[collective]map[string]model.RankSet // the ranks that wait in one, by function
	Needs     map[int]Need                            // by rank
}

// wantID names a want by its place in the summary.
type wantID struct{ rank, wait, want int }

// noWait is the place of a wait outside MPI.
const noWait = -1

// NewScene indexes a merged summary with the answers to its queries, and judges
// the need of every rank.
func NewScene(sum *facts.Summary, answers []facts.Answer, known Observed) *Scene {
	s := &Scene{
		Sum: sum, known: known,
		Facts:   make(map[int]*facts.Fact, len(sum.Facts)),
		comms:   map[uint64]*facts.Comm{},
		answers: map[wantID][]facts.Answer{},
		targets: map[targetKey]*Target{},
		places:  map[uint64]map[int]int{},
		Needs:   make(map[int]Need, len(sum.Facts)),
	}
	for i := range sum.Facts {
		f := &sum.Facts[i]
		s.Facts[f.Rank] = f
		s.Present.Add(f.Rank)
		if f.Off {
			s.Off.Add(f.Rank)
		}
	}
	s.All.AddRange(0, sum.Size(known.Size)-1)
	for i := range sum.Comms {
		s.comms[sum.Comms[i].ID] = &sum.Comms[i]
	}
	for _, a := range answers {
		id := wantID{a.Rank, a.Wait, a.Want}
		s.answers[id] = append(s.answers[id], a)
	}
	s.Off = s.Off.Union(known.Damaged.Intersect(s.All).Minus(s.Present))
	s.findInside()
	losses{s}.findAll()
	s.Off = s.Off.Union(s.Unrecorded)
	s.Gone = s.Lost.Minus(s.Unrecorded)
	for _, f := range sum.Facts {
		if f.Phase >= model.Finalizing || f.End != model.NoEnd && f.End != model.Signalled && !s.Followed.Contains(f.Rank) {
			s.Gone.Add(f.Rank)
		}
	}
	for _, f := range sum.Facts {
		s.Needs[f.Rank] = judge{s}.needOf(s.Facts[f.Rank])
	}
	return s
}

// LauncherStatus is the exit status of the launcher; 0: that, or it is not known, or a signal killed it.
func LauncherStatus(s *Scene) int {
	if l := s.known.Launcher; l != nil && l.Signal == 0 {
		return l.Status
	}
	return 0
}

// drivesMessages reports whether the rank's messages move: it is inside MPI, or has
// finished, which completes what it sent.
func (s judge) drivesMessages(rank int) bool {
	f := s.Facts[rank]
	return f != nil && !s.Lost.Contains(rank) && (f.Driving || f.Phase == model.Finalized)
}

// countersComplete reports whether the rank's counters can prove that something did not
// happen.
func (s judge) countersComplete(rank int) bool {
	f := s.Facts[rank]
	return !s.Off.Contains(rank) && (f == nil || !f.Evicted)
}

// processID names a process as another one on its host, and in its container, does.
type processID struct {
	host  string
	space uint64
	pid   int
}

func processOf(f *facts.Fact, pid int) processID { return processID{f.Host, f.PIDSpace, pid} }

// rankOf returns the rank whose process has a number, as a rank names it.
func rankOf(s *Scene, by *facts.Fact, pid int) (int, bool) {
	if s.processes == nil {
		s.processes = map[processID]int{}
		for i := range s.Sum.Facts {
			f := &s.Sum.Facts[i]
			s.processes[processOf(f, f.PID)] = f.Rank
		}
	}
	rank, is := s.processes[processOf(by, pid)]
	return rank, is && pid != 0
}
