package wording

import (
	"testing"

	"laggard/model"
	"laggard/report"
)

// TestInactive: a request that was not started is told with its place, and with others only where these were started more often.
func TestInactive(t *testing.T) {
	at := report.Site{Function: "connect", File: "/src/halo.c", Line: 40}
	for want, q := range map[string]Inactive{
		"rank 2 created the send to rank 3 (halo.c:40) and never started it": {Rank: 3, Peer: 2, Sends: true, MadeBy: at},
		"rank 2 created the partitioned receive from rank 3 (halo.c:40) and freed it without starting it": {
			Rank: 3, Peer: 2, Partitioned: true, Freed: true, MadeBy: at},
		"rank 2 created the send to rank 3 (halo.c:40) and started it 4 times, while ranks 0-1 started those from there up to 5 times": {
			Rank: 3, Peer: 2, Sends: true, MadeBy: at, Started: 4, More: model.NewRankSet(0, 1, 2), Most: 5},
		"rank 2 created the receive from rank 3 (halo.c:40) and started it 1 time, and another one from there 2 times": {
			Rank: 3, Peer: 2, MadeBy: at, Started: 1, Freed: true, More: model.NewRankSet(2), Most: 2},
		"rank 2 created the receive from rank 3 (halo.c:40) and never started it, but waited for it": {
			Rank: 3, Peer: 2, MadeBy: at, Waited: true},
	} {
		if got := q.Text(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
