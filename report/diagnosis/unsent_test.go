package diagnosis

import (
	"testing"

	"laggard/analysis/progress"
	"laggard/internal/checktest"
	"laggard/report"
	"laggard/report/slice"
	"laggard/slicing"
)

// TestUnsentReason: a message that differs from the awaited one in its tag or its communicator is told with its line; several such
// messages do not take the place of the awaited one.
func TestUnsentReason(t *testing.T) {
	at := func(line int) report.Site { return report.Site{Function: "main", File: "/src/halo.c", Line: line} }
	sent := &MadeCall{MPI: "MPI_Send", Site: at(20)}
	const world, other, owed = "MPI_COMM_WORLD", "communicator 7 of 3 ranks", "; rank 0 has not sent rank 1 the message 4 with tag 7"
	for _, c := range []struct {
		name       string
		unreceived []Unreceived
		want       string
	}{
		{"none", nil, owed},
		{"tag", []Unreceived{{To: 1, Tag: 2, Communicator: world, Count: 1, SentBy: sent}},
			"; a message from rank 0 with tag 2 (halo.c:20) is unreceived at rank 1, which waits for tag 7 (halo.c:24)"},
		{"two messages of a call that is not known", []Unreceived{{To: 1, Tag: 2, Communicator: world, Count: 2}},
			"; 2 messages from rank 0 with tag 2 are unreceived at rank 1, which waits for tag 7 (halo.c:24)"},
		{"communicator", []Unreceived{{To: 1, Tag: 7, Communicator: other, Count: 1, SentBy: sent}},
			"; a message from rank 0 with tag 7 on communicator 7 of 3 ranks (halo.c:20) is unreceived at rank 1, " +
				"which waits for it on MPI_COMM_WORLD (halo.c:24)"},
		{"tag and communicator", []Unreceived{{To: 1, Tag: 2, Communicator: other, Count: 1, SentBy: sent}}, owed},
		{"to another rank", []Unreceived{{To: 2, Tag: 7, Communicator: world, Count: 1, SentBy: sent}},
			"; a message from rank 0 with tag 7 (halo.c:20) is unreceived at rank 2, and rank 1 waits for one (halo.c:24)"},
		{"two kinds", []Unreceived{{To: 1, Tag: 2, Communicator: world, Count: 1}, {To: 1, Tag: 3, Communicator: world, Count: 1}},
			owed + ", but messages with other tags (2, 3), which are unreceived"},
	} {
		r := Result{
			LeastProgressed: &LeastProgressed{Ranks: []int{0, 1}, Locations: []Location{
				{Rank: 0, Ranks: "0", Site: at(56)}, {Rank: 1, Ranks: "1", Site: at(24)},
			}},
			Unsent: []Unsent{{Rank: 1, From: 0, Tag: 7, Communicator: world, Number: 4, Unreceived: c.unreceived}},
		}
		checktest.Equal(t, c.want, r.unsentReason(), c.name)
	}
}

// TestBesideReason: messages of another rank that one receives none of, while it waits for such, are told with their line; and where its
// own receive is at fault, so is what it waits for.
func TestBesideReason(t *testing.T) {
	at := report.Site{Function: "copy", File: "/src/chunks.c", Line: 72}
	other := &Unreceived{From: 2, To: 1, Tag: 7, Communicator: "MPI_COMM_WORLD", Count: 2, SentBy: &MadeCall{MPI: "MPI_Isend", Site: at}}
	r := Result{
		LeastProgressed: &LeastProgressed{Ranks: []int{0, 1}, Locations: []Location{{Rank: 1, Ranks: "1", Site: at}}},
		Unsent:          []Unsent{{Rank: 1, From: 0, Tag: 7, Communicator: "MPI_COMM_WORLD", Number: 1, Beside: other}},
	}
	checktest.Equal(t, "; 2 messages from rank 2 with tag 7 (chunks.c:72) are unreceived at rank 1, "+
		"which waits for one from rank 0 (chunks.c:72)", r.unsentReason())
	r.LeastProgressed.Ranks, r.Unsent[0].Beside = []int{1}, nil
	checktest.Equal(t, "", r.unsentReason())
	r.Unsent[0].Unmatched = &Unmatched{Senders: "0,2-3", Each: 2}
	checktest.Equal(t, "; rank 0 has not sent rank 1 the message 1 with tag 7", r.unsentReason())
}

// TestOwedReason: the message that the reason tells is one between the ranks of the deadlock, though another rank waits for one of theirs.
func TestOwedReason(t *testing.T) {
	r := Result{
		LeastProgressed: &LeastProgressed{Ranks: []int{2, 3}, Rule: progress.RuleDeadlock},
		Unsent: []Unsent{
			{Rank: 0, From: 2, Tag: 2, Number: 1}, {Rank: 2, From: 3, Tag: 2, Number: 2, Sent: 1}, {Rank: 3, From: 2, Tag: 1, Number: 1},
		},
	}
	checktest.Equal(t, "; rank 2 has not sent rank 3 the message 1 with tag 1", r.unsentReason())
	r.LeastProgressed.Ranks = []int{2}
	checktest.Equal(t, "; rank 2 has not sent rank 0 the message 1 with tag 2", r.unsentReason(), "one of them alone is named")
}

// TestTakenReason: where all messages that were sent went to earlier receives, the reason says so, since one of these may have taken what
// the last one is for; where others of the rank's receives wait, too, it says which message is missing.
func TestTakenReason(t *testing.T) {
	for _, c := range []struct {
		sent, number uint64
		want         string
	}{
		{0, 1, "; rank 0 has not sent rank 1 the message 1 with tag 7"},
		{1, 2, "; rank 0 has sent rank 1 only 1 message with tag 7, which rank 1 took before"},
		{3, 4, "; rank 0 has sent rank 1 only 3 messages with tag 7, which rank 1 took before"},
		{2, 4, "; rank 0 has not sent rank 1 the message 4 with tag 7"},
	} {
		r := Result{
			LeastProgressed: &LeastProgressed{Ranks: []int{0}},
			Unsent:          []Unsent{{Rank: 1, From: 0, Tag: 7, Communicator: "MPI_COMM_WORLD", Number: c.number, Sent: c.sent}},
		}
		checktest.Equal(t, c.want, r.unsentReason(), c.sent, "sent")
	}
}

// TestLeftForFinalizeReason: what a rank sent to one that went to MPI_Finalize, and that lies unreceived there, is told.
func TestLeftForFinalizeReason(t *testing.T) {
	request := Unreceived{From: 3, To: 0, Tag: 20, Communicator: "MPI_COMM_WORLD", Count: 1,
		SentBy: &MadeCall{MPI: "MPI_Send", Site: report.Site{Function: "ship", File: "/src/blocks.c", Line: 56}}}
	r := Result{
		LeastProgressed: &LeastProgressed{Ranks: []int{0, 3}, Rule: progress.RuleLeftForFinalize},
		Unsent:          []Unsent{{Rank: 3, From: 0, Tag: 21, Number: 17, Sent: 16, Unanswered: []Unreceived{request}}},
	}
	if got, want := r.leftForFinalizeReason(), "; a message from rank 3 with tag 20 (blocks.c:56) is unreceived at rank 0"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if r.LeastProgressed.Rule = "deadlock"; r.leftForFinalizeReason() != "" {
		t.Error("a rank in a deadlock may receive it yet")
	}
}

// TestTakenInstead: the reason names the receive with a wildcard that took such a message; of a rank that died it says nothing.
func TestTakenInstead(t *testing.T) {
	r := Result{
		LeastProgressed: &LeastProgressed{Ranks: []int{0}},
		Unsent:          []Unsent{{Rank: 1, From: 0, Tag: 7, Communicator: "MPI_COMM_WORLD", Number: 2, Sent: 1}},
		Taken: []Taken{
			{Rank: 1, From: 0, Tag: 8, Communicator: "MPI_COMM_WORLD", Number: 1, Sent: 1, AnyTag: true, MPI: "MPI_Recv"},
			{Rank: 1, From: 0, Tag: 7, Communicator: "MPI_COMM_WORLD", Number: 1, Sent: 1, AnyTag: true, MPI: "MPI_Recv",
				Site: report.Site{File: "/src/tally.c", Line: 48}},
		},
	}
	want := "; message 1 from rank 0 to rank 1 with tag 7 went to MPI_Recv with any tag (tally.c:48), " +
		"and may have been meant for where rank 1 is"
	checktest.Equal(t, want, r.unsentReason())
	r.Taken[1].Pending = true
	want = "; message 1 from rank 0 to rank 1 with tag 7 may have gone to MPI_Recv with any tag (tally.c:48), which is not complete, " +
		"and may have been meant for where rank 1 is"
	checktest.Equal(t, want, r.unsentReason())
	if r.LeastProgressed.Rule = progress.RuleLostProcess; r.unsentReason() != "" {
		t.Errorf("of a rank that died: %s", r.unsentReason())
	}
}

// TestAnySourceReason: how many messages came from any source, and who sent none, is told of a named rank.
func TestAnySourceReason(t *testing.T) {
	a := AnySourceWait{Rank: 1, Tag: 7, Communicator: "MPI_COMM_WORLD", Wanted: 3, Came: 2, From: "0,2", None: "3"}
	r := Result{LeastProgressed: &LeastProgressed{Ranks: []int{0, 1}}, AnySourceWaits: []AnySourceWait{{Rank: 2}, a}}
	const begin = "; rank 1 waits for 3 messages from any source with tag 7 on MPI_COMM_WORLD, and "
	checktest.Equal(t, begin+"only 2 came, from ranks 0,2, but none from rank 3", r.anySourceReason())
	r.AnySourceWaits[1].None = ""
	checktest.Equal(t, begin+"only 2 came, from ranks 0,2", r.anySourceReason())
	r.AnySourceWaits[1].Came = 0
	checktest.Equal(t, begin+"none came", r.anySourceReason())
	r.LeastProgressed.Ranks = []int{3}
	checktest.Equal(t, "", r.anySourceReason())
}

// TestSkips: a call that the sender comes to only behind its own is told with both places.
func TestSkips(t *testing.T) {
	send := &MadeCall{MPI: "MPI_Isend", Site: report.Site{Function: "copy_files", File: "/src/copy.c", Line: 214}}
	wait := &MadeCall{MPI: "MPI_Waitall", Site: report.Site{Function: "copy_files", File: "/src/copy.c", Line: 182}}
	const want = "\nRank 2 comes to MPI_Isend in copy_files (copy.c:214), for which ranks 0-1 wait, " +
		"only after MPI_Waitall in copy_files (copy.c:182).\n"
	p := &printer{}
	p.skips(&Result{Unsent: []Unsent{
		{Rank: 1, From: 2, SentBy: send, At: wait, Behind: true}, {Rank: 0, From: 2, SentBy: send, At: wait, Behind: true},
	}})
	checktest.Equal(t, want, p.String())
}

// TestSkippedValues: beside the line that decided about a message are the values of the rank that did not send it, where no collective
// differs.
func TestSkippedValues(t *testing.T) {
	send := &MadeCall{MPI: "MPI_Send", Site: report.Site{Function: "migrate", File: "/src/swarm.c", Line: 25}}
	line := slicing.Line{Function: "migrate", File: "/src/swarm.c", Line: 23}
	p := &printer{}
	p.skips(&Result{
		LeastProgressed: &LeastProgressed{Ranks: []int{2}},
		Unsent: []Unsent{{Rank: 0, From: 2, Number: 3, Sent: 2, SentBy: send, At: send,
			Branch: &Branch{Site: report.Site{Function: line.Function, File: line.File, Line: line.Line}, Text: "if (leaving == 0)"}}},
		Slices: []slice.Slice{{Head: slice.Head{Criterion: slice.Criterion{Rank: 2}}, Lines: []slice.Line{
			{Line: line, Values: []slice.Value{{Name: "leaving", Value: "0"}}},
		}}},
	})
	checktest.Contains(t, p.String(), "Rank 2 did not make MPI_Send in migrate (swarm.c:25) once more, for which rank 0 waits",
		"decided at migrate (swarm.c:23): if (leaving == 0)   <- leaving = 0 in rank 2")
}
