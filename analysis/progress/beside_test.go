package progress

import (
	"testing"

	"laggard/internal/checktest"
	"laggard/internal/musttest"
	"laggard/model"
)

// TestAnySource: beside a receive from any source one kind of message may lie that differs in tag or communicator only, and that the rank
// never received. One with another tag counts only if its sender waits for an answer, since it may be for later.
func TestAnySource(t *testing.T) {
	const (
		server = "comm io members=0-2\nrank 2 at=MPI_Recv kind=recv pend=recv:io:any:7:0 ch=io:0:7:0:3 ch=io:1:7:0:3"
		waits  = "rank 0-1 at=MPI_Recv kind=recv pend=recv:io:2:8:4 ch=io:2:7:3:0 ch=io:2:8:0:3"
		goesOn = "rank 0-1 after=MPI_Send ch=io:2:7:3:0 ch=io:2:8:0:3"
	)
	for name, c := range map[string]struct {
		script string
		from   int // the sender of the message; -1: none is told
	}{
		"on another communicator":            {server + "\n" + waits + " ch=world:2:7:1:0\n", 0},
		"with another tag":                   {server + "\n" + waits + " ch=io:2:9:1:0\n", 0},
		"with another tag, for later":        {server + "\n" + goesOn + " ch=io:2:9:1:0\n", -1},
		"with both":                          {server + "\n" + waits + " ch=world:2:9:1:0\n", -1},
		"of a kind that was received before": {server + " ch=io:0:9:0:2\n" + waits + " ch=io:2:9:3:0\n", -1},
		"two kinds":                          {server + "\n" + waits + " ch=io:2:9:1:0 ch=world:2:7:1:0\n", -1},
		"none":                               {server + "\n" + waits + "\n", -1},
	} {
		sum, part := analyseBlocks(t, [][]*model.Rank{parseScript(c.script).buildRanks()}, Options{}, nil)
		f := musttest.Get(FindLP(sum, part, Options{}))(t, name)
		from := -1
		for _, w := range f.scene.Unsent() {
			if w.AnySource && w.Rank == 2 {
				from = w.Peer
			}
		}
		checktest.Equal(t, c.from, from, name, "a message of rank")
	}
}
