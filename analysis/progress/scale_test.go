package progress

import (
	"fmt"
	"testing"

	"laggard/analysis/progress/facts"
	"laggard/model"
)

// spmdJob makes an SPMD job: every rank has gone through a loop of many call
// sites; the ranks at the two ends of each row have other edges. Rank lag
// computes, the others wait for it in a collective, or for a neighbour.
func spmdJob(ranks, sites, lag int) []*model.Rank {
	world := make([]int, ranks)
	for i := range world {
		world[i] = i
	}
	states := make([]*model.State, sites)
	for i := range states {
		states[i] = stateNamed(fmt.Sprintf("MPI_Call#%d", i))
	}
	out := make([]*model.Rank, ranks)
	for r := range out {
		out[r] = spmdRank(r, lag, world, states)
	}
	return out
}

func spmdRank(r, lag int, world []int, states []*model.State) *model.Rank {
	iterations := uint64(50)
	m := model.Model{States: states, Visits: make([]uint64, len(states))}
	for i := range states {
		m.Visits[i] = iterations
		step, count := 1, iterations
		if i%8 == 3 && r%64 == 0 {
			step = 2 // ranks at the end of a row leave a call out
		}
		if i == len(states)-1 {
			count--
		}
		m.Edges = append(m.Edges, model.Edge{From: i, To: (i + step) % len(states), Count: count})
	}
	last := len(states) - 1
	t := &model.Thread{Model: m, Calls: 1000, Progress: 1000,
		Op: model.Op{State: last, InMPI: true, Kind: model.Collective,
			Pending: []model.Pending{{Kind: model.Collective, Peer: model.None, Tag: model.None, Seq: iterations,
				State: last}}}}
	c := &model.Comm{ID: 1, Kind: model.World, Rank: r, Members: world, Coll: iterations, State: -1}
	out := &model.Rank{Rank: r, Size: len(world), Host: fmt.Sprintf("n%d", r/64), Phase: model.Running, EndDetail: -1,
		Threads: []*model.Thread{t}, Comms: []*model.Comm{c}}
	switch {
	case r == lag:
		t.Op, c.Coll = model.Op{State: last - 1}, iterations-1
	case r%2 == 1:
		peer := (r + 1) % len(world)
		t.Op = model.Op{State: last - 1, InMPI: true, Kind: model.Recv,
			Pending: []model.Pending{{Kind: model.Recv, Peer: peer, Tag: 1, Seq: iterations, State: last - 1}}}
		c.Coll = iterations - 1
		out.Channels = []model.Channel{{Peer: peer, Tag: 1, Received: iterations, Sent: iterations}}
	}
	return out
}

// BenchmarkScale times the steps of a diagnosis of 32,768 ranks:
//
//	go test ./analysis/progress -run '^$' -bench Scale -benchtime 1x
func BenchmarkScale(b *testing.B) {
	ranks := spmdJob(32768, 120, 1000)
	sum, part := analyseBlocks(b, [][]*model.Rank{ranks}, Options{}, nil)
	bytes := mustEncode(b, sum, facts.EncodeSummary)
	steps := []struct {
		name string
		run  func()
	}{
		{"Summarise", func() { _, _ = summarise(ranks) }},
		{"EncodeSummary", func() { _, _ = facts.EncodeSummary(sum) }},
		{"DecodeSummary", func() { _, _ = facts.DecodeSummary(bytes) }},
		{"MergeSummaries", func() { _, _ = facts.MergeSummaries(sum, facts.Summary{}) }},
		{"Local", func() { _, _ = localPartial(ranks, &sum, Options{}) }},
		{"FindLP", func() { _, _ = FindLP(sum, part, Options{}) }},
		{"Conclude", func() { _, _ = concludeDiagnosis(sum, part, Options{}) }},
	}
	for _, s := range steps {
		b.Run(s.name, func(b *testing.B) {
			for range b.N {
				s.run()
			}
		})
	}
	b.Run("bytes", func(b *testing.B) { b.ReportMetric(float64(len(bytes)), "bytes") })
}
