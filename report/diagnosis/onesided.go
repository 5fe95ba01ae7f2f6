package diagnosis

import (
	"laggard/analysis/progress/evidence"
	"laggard/report/diagnosis/wording"
	"laggard/report/words"
)

// OneSided is a wait in a collective among neighbours for ranks that do not list the waiting rank as their neighbour.
type OneSided struct {
	Rank         int       `json:"rank"`         // the rank that waits
	Peers        string    `json:"peers"`        // the ranks that do not list it
	Sends        bool      `json:"sends"`        // it sends to them, and they do not list it as a source; else as a destination
	Communicator string    `json:"communicator"` // the communicator with the lists, in words
	MPI          string    `json:"mpi"`          // the collective
	At           *MadeCall `json:"at,omitempty"` // the call that the rank is in; absent: unknown
}

func (s Source) newOneSided(e evidence.OneSided, names wording.Names) OneSided {
	return OneSided{Rank: e.Rank, Peers: e.Peers.String(), Sends: e.Sends, Communicator: names.Comm(e.On),
		MPI: words.Printable(e.Want.Call), At: s.newMadeCall(e.In)}
}
