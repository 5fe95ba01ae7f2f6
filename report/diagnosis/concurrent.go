package diagnosis

import (
	"laggard/analysis/progress"
	"laggard/model"
	"laggard/report/diagnosis/wording"
	"laggard/report/words"
)

// Concurrent are collective calls that several threads of a rank were in at once, on one communicator, window or file.
type Concurrent struct {
	Communicator string   `json:"communicator"` // what they were called on, in words
	MPI          []string `json:"mpi"`          // the MPI functions
	Ranks        string   `json:"ranks"`        // the ranks with such threads
	Threads      int      `json:"threads"`      // how many threads of one rank, at most
}

func newConcurrent(c progress.Concurrent, names wording.Names) Concurrent {
	return Concurrent{Communicator: names.Comm(c.On), MPI: words.AllPrintable(c.Calls), Ranks: c.Ranks.String(), Threads: c.Threads}
}

// AboveLevel are threads of ranks that were in MPI at once, although MPI provided a thread level that forbids it.
type AboveLevel struct {
	Provided string `json:"provided"` // the thread level
	Ranks    string `json:"ranks"`    // the ranks with such threads
	Threads  int    `json:"threads"`  // how many threads of one rank, at most
}

func newAboveLevel(a progress.AboveLevel) AboveLevel {
	return AboveLevel{Provided: model.ThreadLevels[a.Level], Ranks: a.Ranks.String(), Threads: a.Threads}
}

// threadLines say that threads are in MPI at once although the thread level forbids it, or call collectives at once, which MPI leaves
// without an order.
func threadLines(r *Result) (lines []string) {
	for _, a := range r.AboveLevel {
		lines = append(lines, wording.AboveLevel(a.Threads, a.Ranks, a.Provided))
	}
	for _, c := range r.Concurrent {
		lines = append(lines, wording.Concurrent(c.Threads, c.Ranks, c.Communicator, c.MPI))
	}
	return lines
}
