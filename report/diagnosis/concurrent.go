package diagnosis

import (
	"laggard/analysis/progress"
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

// concurrentLines say that threads call collectives at once, which MPI leaves without an order.
func concurrentLines(r *Result) (lines []string) {
	for _, c := range r.Concurrent {
		lines = append(lines, wording.Concurrent(c.Threads, c.Ranks, c.Communicator, c.MPI))
	}
	return lines
}
