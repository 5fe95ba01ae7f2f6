package wording

import (
	"fmt"

	"laggard/report"
	"laggard/report/words"
)

// Excluded is a rank that waits for an epoch of a window, while the peer has opened as many to another rank, and fewer to it.
type Excluded struct {
	Rank, Peer, With     int
	Exposure             bool        // it waits for an exposure of the peer; else for an access
	Number, Opened, Most uint64      // its own epochs with the peer, those of the peer with it, and with With
	By, OpenedBy         report.Site // where the peer opens its epochs, and where the rank opened its own; without a file: unknown
}

// Text says who opened how many.
func (x *Excluded) Text() string {
	ours := fmt.Sprintf("rank %d has posted its window to rank %d %s%s", x.Rank, x.Peer, times(x.Number), x.OpenedBy.InParentheses())
	theirs := fmt.Sprintf("rank %d has started access to rank %d %s, but to rank %d %s%s", x.Peer, x.With, times(x.Most), x.Rank,
		times(x.Opened), x.By.InParentheses())
	if x.Exposure {
		ours = fmt.Sprintf("rank %d has started access to rank %d %s%s", x.Rank, x.Peer, times(x.Number), x.OpenedBy.InParentheses())
		theirs = fmt.Sprintf("rank %d has posted its window to rank %d %s, but to rank %d %s%s", x.Peer, x.With, times(x.Most), x.Rank,
			times(x.Opened), x.By.InParentheses())
	}
	return theirs + ", while " + ours
}

func times(n uint64) string { return words.Count(int(n), "time", "times") }
