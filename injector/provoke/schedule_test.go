package provoke

import (
	"errors"
	"strings"
	"testing"

	"laggard/internal/checktest"
	"laggard/internal/musttest"
	"laggard/model/mpi"
)

var example = &Schedule{Version: 1, Seed: 7, LongestUS: 300_000, BudgetUS: 2_500_000, Rules: []Rule{
	{Kind: "send", Rank: 2, Site: Site{BuildID: "0102", Path: "/bin/app", Offset: 0x123}, Often: million, Call: "MPI_Send",
		Where: "x.c:88"},
	{Kind: "collective", Rank: EveryRank, Site: Site{Communicator: "1f"}, Count: 3, Often: million},
	{Kind: "delay", Rank: EveryRank, Often: 20, Value: 5000},
}}

func TestScheduleRoundTrip(t *testing.T) {
	text := musttest.Get(example.Text())(t)
	checktest.Equal(t, example, musttest.Get(ParseSchedule(text))(t), text)
}

// TestLines: this is what recorder/perturb/schedule.c reads.
func TestLines(t *testing.T) {
	want := "laggard-schedule 1 seed 7 longest 300000 budget 2500000\n" +
		"rule send 2 1dd86bf0db5e965c 0 1000000 0\n" + "rule collective -1 1f 3 1000000 0\n" + "rule delay -1 0 0 20 5000\n"
	checktest.Equal(t, want, example.Lines())
}

func TestScheduleErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                                   "version 0",
		"version = 2":                        "version 2",
		"version = 1\nx = 1":                 "2: ",
		"version = 1\nlongest_us = -1":       "longest_us",
		"version = 1\nlongest_us = 99000000": "longest_us",
		"version = 1\nbudget_us = -1":        "budget_us",
		"version = 1\n[[choice]]\nkind = \"luck\"":                                 "choice 1: kind: \"luck\"",
		"version = 1\n[[choice]]\nkind = \"send\"\nrank = -2":                      "rank -2",
		"version = 1\n[[choice]]\nkind = \"send\"\noften = 1000001":                "often",
		"version = 1\n[[choice]]\nkind = \"send\"\nvalue = -1":                     "value",
		"version = 1\n[[choice]]\nkind = \"collective\"\nrank = 1":                 "choose alike",
		"version = 1\n[[choice]]\nkind = \"collective\"\ncommunicator = \"world\"": "communicator",
		"version = \"1": "1: ",
	} {
		s, err := ParseSchedule(text)
		if s != nil || !errors.Is(err, ErrSchedule) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, %v; want %q", text, s, err, want)
		}
	}
}

// FuzzParseSchedule: what is taken can be written, read again, and followed.
func FuzzParseSchedule(f *testing.F) {
	text := musttest.Get(example.Text())(f)
	f.Add(text)
	f.Add("version = 1\n[[choice]]\nkind = \"match\"\nrank = -1\n")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := ParseSchedule(text)
		if (s == nil) == (err == nil) {
			t.Fatal(s, err)
		}
		if err != nil {
			return
		}
		again := musttest.Get(s.Text())(t)
		checktest.Equal(t, s.Lines(), musttest.Get(ParseSchedule(again))(t).Lines(), again)
		checktest.Equal(t, len(s.Rules)+1, strings.Count(s.Lines(), "\n"), "lines for", len(s.Rules), "rules")
	})
}

func FuzzParseMade(f *testing.F) {
	f.Add([]byte("send 2 e8d1 12 0 e8d1    \ndelay 0 1 2 300 1\n\x00\x00"))
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, m := range parseMade(text) {
			if m.Kind.String() == "" {
				t.Errorf("%+v has no kind", m)
			}
		}
	})
}

func TestParseMade(t *testing.T) {
	got := parseMade([]byte("send 2 e8d1 12 0 e8d1      \nluck 1 1 1 1 1\ncollective -1 1f 3 0 2\ndelay 0 a\x00\x00\x00"))
	want := []Made{{mpi.SendMode, 2, 0xe8d1, 12, 0, 0xe8d1}, {mpi.Synchronising, EveryRank, 0x1f, 3, 0, 2}}
	checktest.Equal(t, want, got)
}

// TestCallsWithAKind: of all calls on a line of Python, the one at which a choice is open is named, as of MPI_Send in comm.allreduce.
func TestCallsWithAKind(t *testing.T) {
	send, bcast := Place{Calls: []string{"MPI_Send"}}, Place{Calls: []string{"MPI_Bcast"}}
	p := Place{}.Merge(send).Merge(bcast).Merge(send)
	for kind, want := range map[mpi.Choice]string{mpi.SendMode: "MPI_Send", mpi.Synchronising: "MPI_Bcast", mpi.Match: ""} {
		checktest.Equal(t, want, strings.Join(p.CallsWith(kind), " "), kind)
	}
}

// TestPlacesOfRules: where a rule made choices, or else its own site.
func TestPlacesOfRules(t *testing.T) {
	here, there := Site{BuildID: "ab", Offset: 1}, Site{BuildID: "ab", Offset: 2}
	made := []Made{{Kind: mpi.SendMode, Rank: 1, Key: here.Key(), Count: 1, At: here.Key()}}
	for _, c := range []struct {
		rule Rule
		want []uint64
	}{
		{Rule{Kind: "send", Rank: EveryRank}, []uint64{here.Key()}},
		{Rule{Kind: "send", Rank: 0}, nil},
		{Rule{Kind: "send", Rank: 1, Site: here}, []uint64{here.Key()}},
		{Rule{Kind: "send", Rank: 1, Site: there}, []uint64{there.Key()}},
	} {
		checktest.EqualList(t, c.want, c.rule.Places(made), c.rule)
	}
}
