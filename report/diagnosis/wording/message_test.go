package wording

import (
	"testing"

	"laggard/report"
)

// TestOmission: whom a sender sent how much is told with the call and its place, and how much went to the rank that waits.
func TestOmission(t *testing.T) {
	at := report.Site{Function: "deal", File: "/src/farm.c", Line: 40}
	for _, c := range []struct {
		o             Omission
		anyTag        bool
		missing, says string
	}{
		{Omission{To: "1-2", Each: 1, SentBy: "MPI_Send in deal (farm.c:40)"}, true,
			"Rank 3 waits for message 1 from rank 0 with any tag on MPI_COMM_WORLD, which was not sent. Rank 0 sent a message each to " +
				"ranks 1-2 with MPI_Send in deal (farm.c:40), but none to rank 3. Rank 0 is in MPI_Barrier in main (farm.c:60).",
			"rank 0 sent a message each to ranks 1-2 (farm.c:40), but none from there to rank 3, which waits for one"},
		{Omission{To: "2", Each: 4, Own: 3, SentBy: "MPI_Send in deal (farm.c:40)"}, false,
			"Rank 3 waits for message 1 from rank 0 with tag 7 on MPI_COMM_WORLD, which was not sent. Rank 0 sent 4 messages to rank 2 " +
				"with MPI_Send in deal (farm.c:40), but only 3 to rank 3. Rank 0 is in MPI_Barrier in main (farm.c:60).",
			"rank 0 sent 4 messages to rank 2 (farm.c:40), but only 3 from there to rank 3, which waits for one"},
	} {
		m := Message{Rank: 3, Tag: 7, AnyTag: c.anyTag, On: "MPI_COMM_WORLD", Number: 1, At: "MPI_Barrier in main (farm.c:60)", InMPI: true,
			Omission: &c.o}
		if got := m.Missing(); got != c.missing {
			t.Errorf("%q, want %q", got, c.missing)
		}
		if got := m.Omitted(at); got != c.says {
			t.Errorf("%q, want %q", got, c.says)
		}
	}
}
