package diagnosis

import (
	"strings"
	"testing"
)

// TestFirstWaits shows the wait of the named rank for another one before those of others for it.
func TestFirstWaits(t *testing.T) {
	r := &Result{
		Groups: []Group{{ID: 0, Ranks: "0"}, {ID: 1, Ranks: "1", Least: true}, {ID: 2, Ranks: "2-4"}},
		Edges: []Edge{
			{From: 0, To: 1, Kind: "p2p", Reason: "first"},
			{From: 1, To: 0, Kind: "inferred", Reason: "guessed"},
			{From: 1, To: 2, Kind: "collective", Reason: "its own"},
			{From: 2, To: 0, Kind: "p2p", Reason: "between others"},
			{From: 2, To: 1, Kind: "p2p", Reason: "second"},
		},
	}
	p := printer{printed: map[int]bool{}}
	p.firstWaits(r)
	var last int
	for _, want := range []string{"its own", "first", "second"} {
		at := strings.Index(p.String(), want)
		if at < last {
			t.Fatalf("%q is missing or out of order in\n%s", want, p.String())
		}
		last = at
	}
	if strings.Contains(p.String(), "guessed") || strings.Contains(p.String(), "between others") {
		t.Fatalf("too much in\n%s", p.String())
	}
}

// TestUntoldParts leaves out of an explanation what the reason above it said.
func TestUntoldParts(t *testing.T) {
	const place = "rank 1 called Comm.Barrier at a.py:50"
	for _, c := range []struct{ reason, written, want string }{
		{"rank 1 skipped MPI_Allreduce; " + place, "rank 1 called MPI_Barrier; " + place, "rank 1 skipped MPI_Allreduce"},
		{"rank 1 skipped MPI_Allreduce; rank 0 waits", "rank 1 called MPI_Barrier", "rank 1 skipped MPI_Allreduce; rank 0 waits"},
		{"rank 1 called MPI_Barrier", "rank 1 called MPI_Barrier; " + place, "rank 1 called MPI_Barrier"},
	} {
		if got := untoldParts(c.reason, c.written); got != c.want {
			t.Errorf("of %q after %q: %q, want %q", c.reason, c.written, got, c.want)
		}
	}
}
