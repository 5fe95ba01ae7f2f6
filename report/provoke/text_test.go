package provoke

import (
	"strings"
	"testing"

	"laggard/injector/provoke"
	"laggard/internal/golden"
	"laggard/internal/musttest"
)

func rule(kind string, rank int, count uint64, value int64, call, where string) provoke.Rule {
	return provoke.Rule{Kind: kind, Rank: rank, Site: provoke.Site{Offset: 1}, Count: count, Value: value, Call: call, Where: where}
}

// results are what searches may end with.
func results() map[string]*Report {
	failed := func(rules ...provoke.Rule) *provoke.Result {
		return &provoke.Result{
			Runs: 3, LongestUS: 250_000, BudgetUS: 2_500_000, Failed: &provoke.Outcome{Failure: provoke.Hangs, Dir: "out/run-9"},
			Schedule: &provoke.Schedule{Rules: rules}, With: provoke.Ratio{Failed: 10, Runs: 10}, Without: provoke.Ratio{Runs: 20},
			Tried: []provoke.Tried{{Kind: "send", Sites: 2, Open: 3, Made: 120, Choices: 400}, {Kind: "delay", Open: 9, Choices: 1200}},
		}
	}
	job := []string{"mpirun", "-np", "4", "./app"}
	ratio := func(failed, runs int) *provoke.Ratio { return &provoke.Ratio{Failed: failed, Runs: runs} }
	collective := provoke.Rule{Kind: "collective", Rank: provoke.EveryRank, Site: provoke.Site{Communicator: "1f"}, Count: 7,
		Call: "MPI_Bcast", Where: "setup.c:12"}
	out := map[string]*Report{
		"send": New(failed(rule("send", 2, 0, 0, "MPI_Send", "exchange.c:88"), rule("send", 3, 0, 0, "MPI_Send", "exchange.c:88")),
			"out/provoked.toml", job, nil),
		"late": New(failed(rule("delay", 1, 4, 200_000, "MPI_Send", "work.c:7"), rule("ends", 0, 1, 90_000, "MPI_Init", "main.c:3")),
			"out/provoked.toml", job, nil),
		"match": New(failed(rule("match", 0, 2, 3, "MPI_Recv", "master.c:40")), "out/provoked.toml", job, nil),
		"completion": New(failed(rule("completion", 1, 1, 100, "MPI_Test", "poll.c:5"),
			rule("completion", 1, 0, 100, "MPI_Waitany", "poll.c:9")), "out/provoked.toml", job, nil),
		"buffer": New(failed(rule("buffer", 2, 0, 0, "MPI_Isend", "halo.c:31"), rule("buffer", 0, 3, 0, "MPI_Irecv", "halo.c:30")),
			"out/provoked.toml", job, nil),
		"epoch":      New(failed(rule("epoch", 1, 0, 2, "MPI_Get", "table.c:14")), "out/provoked.toml", job, nil),
		"collective": New(failed(collective), "out/provoked.toml", job, nil),
		"nothing": New(&provoke.Result{Runs: 50, LongestUS: 20_000, BudgetUS: 250_000, Unconfirmed: []*provoke.Outcome{
			{Failure: provoke.Crashes, Dir: "out/run-4"},
			{Failure: provoke.Fails, Dir: "out/run-9", With: ratio(3, 40), Without: ratio(1, 40)},
			{Failure: provoke.Fails, Dir: "out/run-70", With: ratio(0, 10), Without: ratio(0, 10)},
			{Failure: provoke.Hangs, Dir: "out/run-90", With: ratio(0, 0), Without: ratio(1, 40)},
		}, Voided: 2, OutOfTime: true,
			Tried: []provoke.Tried{{Kind: "match", Sites: 1, Open: 1, Made: 50, Choices: 30}}}, "", job,
			[]string{"match: another thread may take the message meanwhile"}),
	}
	out["closed"] = New(&provoke.Result{Closed: []string{"match", "epoch"}, Without: *ratio(0, 1)}, "", job, nil)
	out["sure"] = New(&provoke.Result{Runs: 50, Tried: out["nothing"].Tried}, "", job, nil)
	many := failed()
	for i := range uint64(9) {
		many.Schedule.Rules = append(many.Schedule.Rules, rule("send", 0, i+1, 0, "MPI_Isend", "a.c:1"))
	}
	many.With = provoke.Ratio{}
	alone := &provoke.Outcome{Failure: provoke.Fails, Status: 1, Dir: "out/run-1"}
	out["alone"] = New(&provoke.Result{Unperturbed: alone, Failed: alone, With: provoke.Ratio{Failed: 2, Runs: 3},
		Without: provoke.Ratio{Failed: 2, Runs: 3}}, "", job, nil)
	flaky := failed(rule("send", 2, 0, 0, "MPI_Send", "exchange.c:88"))
	flaky.Unperturbed, flaky.Without = alone, provoke.Ratio{Failed: 1, Runs: 10}
	out["flaky"] = New(flaky, "out/provoked.toml", job, nil)
	out["many"] = New(many, "out/provoked.toml", job, nil)
	return out
}

func TestText(t *testing.T) {
	for name, r := range results() {
		var b strings.Builder
		musttest.Succeed(t, r.Text(&b))
		golden.Check(t, name+".txt", []byte(b.String()))
	}
}

// TestHTML: the page escapes what comes from the job.
func TestHTML(t *testing.T) {
	for _, name := range []string{"send", "late", "nothing", "alone"} {
		var b strings.Builder
		musttest.Succeed(t, results()[name].HTML(&b, "Rank 2 <waits>\n\x1b[2J"))
		if strings.Contains(b.String(), "<waits>") || strings.Contains(b.String(), "\x1b") {
			t.Errorf("%s: the diagnosis is not escaped", name)
		}
		golden.Check(t, name+".html", []byte(b.String()))
	}
}
