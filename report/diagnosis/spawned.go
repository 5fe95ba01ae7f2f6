package diagnosis

import (
	"fmt"
	"path"

	"laggard/model"
	"laggard/model/runfiles"
	"laggard/report"
	"laggard/report/words"
)

// Spawned is an MPI_COMM_WORLD of processes that MPI_Comm_spawn started.
type Spawned struct {
	Ranks string `json:"ranks"`          // their ranks in the job, by their ranks in that world
	Root  *int   `json:"root,omitempty"` // the rank that was the root of the spawn; absent: unknown
	MPI   string `json:"mpi"`            // the function that started them; "" unknown
	report.Site
	Number int            `json:"number"` // which spawn of this call it was, from 1
	Of     int            `json:"of"`     // how many spawns of this call there were
	Stack  []report.Frame `json:"stack"`  // the call stack, innermost frame first

	world runfiles.SpawnedWorld
}

func (s Source) spawned() []Spawned {
	var out []Spawned
	for _, w := range s.Result.Spawned {
		one := Spawned{Ranks: w.Ranks().String(), world: w.SpawnedWorld, Number: 1, Stack: []report.Frame{}}
		if w.Root >= 0 {
			one.Root = &w.Root
		}
		if w.Call != nil {
			stack := s.Resolver.ResolveProgramStack(w.Call.Stack, false)
			one.MPI, one.Site, one.Stack = words.Printable(w.Call.Call), report.NewSite(stack), report.Frames(stack)
		}
		out = append(out, one)
	}
	for i := range out {
		for k := range out {
			if out[k].sameCall(&out[i]) {
				out[i].Of++
				out[i].Number += min(max(i-k, 0), 1)
			}
		}
	}
	return out
}

// sameCall reports whether two spawns are of one call of the program, as far as it is known.
func (s *Spawned) sameCall(t *Spawned) bool {
	return s == t || s.File != "" && s.File == t.File && s.Line == t.Line
}

// String names the processes: "the 2 processes spawned at master.c:31".
func (s *Spawned) String() string {
	text := "the process spawned"
	if s.world.Size > 1 {
		text = fmt.Sprintf("the %d processes spawned", s.world.Size)
	}
	if s.File != "" {
		text += fmt.Sprintf(" at %s:%d", path.Base(s.File), s.Line)
	}
	if s.Of > 1 {
		text += fmt.Sprintf(", spawn %d of %d there", s.Number, s.Of)
	}
	return text
}

// rankNames names ranks of the job; those that are processes of one spawn also as such.
func (r *Result) rankNames(set string) string {
	text := words.Ranks(set)
	ranks, err := model.ParseRankSet(set)
	for i := range r.Spawned {
		s := &r.Spawned[i]
		all := s.world.Ranks()
		switch {
		case err != nil || ranks.Minus(all).Len() > 0:
		case ranks.Equal(all):
			return fmt.Sprintf("%s (%s)", text, s)
		default:
			return fmt.Sprintf("%s (%s of %s)", text, words.Ranks(s.ownRanks(ranks)), s)
		}
	}
	return text
}

// ownRanks are ranks of the job in the world of the processes.
func (s *Spawned) ownRanks(ranks model.RankSet) string {
	var own model.RankSet
	ranks.Each(func(rank int) { own.Add(rank - s.world.First) })
	return own.String()
}

// note says which ranks of the job are the processes.
func (s *Spawned) note() string {
	text := fmt.Sprintf("%s %s %s", words.Ranks(s.Ranks), words.Verb(s.Ranks, "is", "are"), s)
	if s.Root != nil {
		if s.Of > 1 {
			text += ","
		}
		text += fmt.Sprintf(" by rank %d", *s.Root)
	}
	if s.world.Size > 1 {
		text += fmt.Sprintf(", ranks 0-%d of their MPI_COMM_WORLD", s.world.Size-1)
	}
	return text
}

// spawnedNotes are the notes on all spawned processes.
func (r *Result) spawnedNotes() []string {
	var out []string
	for i := range r.Spawned {
		out = append(out, r.Spawned[i].note())
	}
	return out
}
