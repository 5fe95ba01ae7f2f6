package progress

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"laggard/analysis/progress/facts"
	"laggard/analysis/progress/inference"
	"laggard/internal/checktest"
	"laggard/internal/musttest"
	"laggard/model"
)

// randomScript writes ranks with random models, positions and waits.
func randomScript(rng *rand.Rand) string {
	n := 1 + rng.IntN(20)
	var b strings.Builder
	fmt.Fprintf(&b, "size %d\ncomm even members=%s\ncomm win members=0-%d window\ncomm down order=%s\n",
		n, evenNumbers(n), n-1, fallingNumbers(n))
	for i := range 3 {
		fmt.Fprintf(&b, "model m%d", i)
		for range 1 + rng.IntN(8) {
			fmt.Fprintf(&b, " %c>%c:%d", 'A'+rng.IntN(5), 'A'+rng.IntN(5), 1+rng.IntN(9))
		}
		b.WriteString("\n")
	}
	for r := range n {
		fmt.Fprintf(&b, "rank %d model=m%d at=%c host=n%d coll=world:%d beat=%d stack=%c,g ", r, rng.IntN(3),
			'A'+rng.IntN(5), rng.IntN(2), rng.IntN(3), 100+rng.IntN(4), 'a'+rng.IntN(3))
		peer, seq := rng.IntN(n), 1+rng.IntN(3)
		switch rng.IntN(9) {
		case 0:
			fmt.Fprintf(&b, "kind=recv pend=recv:world:%d:1:%d took=world:%d:1:%d:E", peer, seq, peer, seq)
		case 1:
			b.WriteString("kind=recv pend=recv:world:any:any:0")
		case 2:
			fmt.Fprintf(&b, "kind=wait pend=send:world:%d:1:%d:MPI_Isend pend=recv:world:any:1:0", peer, seq)
		case 3:
			fmt.Fprintf(&b, "kind=coll pend=coll:world:none:none:%d", seq)
		case 4:
			fmt.Fprintf(&b, "after=%c", 'A'+rng.IntN(5))
		case 5:
			fmt.Fprintf(&b, "near=world:%d:%d kind=coll pend=coll:world:none:none:%d:MPI_Neighbor_allgather", peer,
				n-1, seq)
		case 6:
			fmt.Fprintf(&b, "kind=rma pend=rma:win:%d:exclusive:0:MPI_Win_lock lock=win:none:shared", peer)
		case 7:
			fmt.Fprintf(&b, "kind=wait pend=recv:win:%d:post:%d:MPI_Win_start lock=win:%d:exclusive", peer, seq,
				rng.IntN(n))
		case 8:
			fmt.Fprintf(&b, "kind=coll pend=coll:down:none:none:%d:MPI_Scan coll=down:%d", seq, seq)
		}
		fmt.Fprintf(&b, " ch=world:%d:1:%d:%d\n", rng.IntN(n), rng.IntN(4), rng.IntN(4))
	}
	return b.String()
}

func evenNumbers(n int) string {
	out := "0"
	for i := 2; i < n; i += 2 {
		out += fmt.Sprintf(",%d", i)
	}
	return out
}

func fallingNumbers(n int) string {
	out := strconv.Itoa(n - 1)
	for i := n - 2; i >= 0; i-- {
		out += fmt.Sprintf(",%d", i)
	}
	return out
}

// TestMergeLaws: whatever the blocks, the order and the tree, and through the
// encodings, the bytes are the same, and so is the conclusion.
func TestMergeLaws(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	for i := range 60 {
		opts := Options{Algorithm: []string{inference.LoopAware, inference.PDI}[i%2]}
		text := randomScript(rng)
		ranks := parseScript(text).buildRanks()
		sum, part := analyseBlocks(t, [][]*model.Rank{ranks}, opts, nil)
		want := musttest.Get(concludeDiagnosis(sum, part, opts))(t)
		for p := 1; p <= 9; p++ {
			s, q := analyseBlocks(t, blocksOf(ranks, p, rng), opts, rng)
			musttest.Equal(t, encodeBoth(t, sum, part), encodeBoth(t, s, q), p, "blocks", text)
			got := musttest.Get(concludeDiagnosis(s, q, opts))(t)
			musttest.Equal(t, describeDiagnosis(want), describeDiagnosis(got), p, "blocks", text)
		}
	}
}

// The zero values are neutral.
func TestNeutralElements(t *testing.T) {
	ranks := parseScript(randomScript(rand.New(rand.NewPCG(15, 16)))).buildRanks()
	sum, part := analyseBlocks(t, [][]*model.Rank{ranks}, Options{}, nil)
	left := musttest.Get(facts.MergeSummaries(facts.Summary{}, sum))(t)
	right := musttest.Get(MergePartials(part, Partial{}))(t)
	checktest.Equal(t, encodeBoth(t, sum, part), encodeBoth(t, left, right))
}

func TestErrors(t *testing.T) {
	ranks := parseScript("rank 0-1 at=A\n").buildRanks()
	sum, part := analyseBlocks(t, [][]*model.Rank{ranks}, Options{}, nil)
	checktest.Fails(facts.MergeSummaries(sum, sum))(t, facts.ErrOverlap, "merging a block with itself")
	checktest.Fails(summarise(append(ranks, ranks[0])))(t, facts.ErrOverlap, "a rank twice")
	checktest.Fails(localPartial(ranks, &sum, Options{Algorithm: "tarot"}))(t, inference.ErrUnknownAlgorithm, "unknown algorithm")
	checktest.Fails(concludeDiagnosis(sum, part, Options{Algorithm: "tarot"}))(t, inference.ErrUnknownAlgorithm, "unknown algorithm")
	foreign := Partial{Partial: inference.Partial{Edges: []inference.PairEdge{{A: 0, B: 7, Code: inference.Forward}}}}
	checktest.Fails(concludeDiagnosis(sum, foreign, Options{}))(t, inference.ErrMismatch, "partial of another summary")
}

// Text that is no UTF-8 gives the same bytes whether or not it travelled.
func TestOddText(t *testing.T) {
	ranks := parseScript("rank 0-3 at=A\nrank 2 after=B\n").buildRanks()
	for _, r := range ranks {
		r.Host = "n\xff"
		r.Threads[0].Model.States[0].Call = "\xfe"
	}
	whole, part := analyseBlocks(t, [][]*model.Rank{ranks}, Options{}, nil)
	rng := rand.New(rand.NewPCG(17, 18))
	s, p := analyseBlocks(t, blocksOf(ranks, 3, rng), Options{}, rng)
	checktest.Equal(t, encodeBoth(t, whole, part), encodeBoth(t, s, p))
}

// Twenty thousand ranks, half of them waiting for the other half, in a chain
// and in collectives: time and edges stay linear in the ranks.
func TestManyRanks(t *testing.T) {
	const half = manyRanks / 2
	expectQuick(t, "MPI_Barrier", func(i int) bool { return i >= half }) // those below are a chain
	expectQuick(t, "MPI_Scan", func(i int) bool { return i%2 == 1 })
}

const manyRanks = 20000

// expectQuick has some ranks in a collective, and each other one in a receive from the rank before; rank 0 computes.
func expectQuick(t *testing.T, collective string, inside func(rank int) bool) {
	t.Helper()
	members := make([]int, manyRanks)
	for i := range members {
		members[i] = i
	}
	states := []*model.State{stateNamed("MPI_Recv"), stateNamed(collective)}
	var ranks []*model.Rank
	for i := range manyRanks {
		th := &model.Thread{Model: model.Model{States: states, Visits: []uint64{1, 1}}}
		world := &model.Comm{ID: 1, Kind: model.World, Rank: i, Members: members}
		switch {
		case i == 0:
			th.Op = model.Op{State: 0}
		case !inside(i):
			th.Op = model.Op{State: 0, InMPI: true, Kind: model.Recv,
				Pending: []model.Pending{{Kind: model.Recv, Peer: i - 1, Tag: 1, Seq: 1}}}
		default:
			world.Coll = 1
			th.Op = model.Op{State: 1, InMPI: true, Kind: model.Collective,
				Pending: []model.Pending{{Kind: model.Collective, Peer: model.None, Seq: 1, State: 1}}}
		}
		ranks = append(ranks, &model.Rank{Rank: i, Size: manyRanks, Phase: model.Running, Threads: []*model.Thread{th},
			Comms: []*model.Comm{world}})
	}
	began := time.Now()
	sum, part := analyseBlocks(t, [][]*model.Rank{ranks}, Options{}, nil)
	r := musttest.Get(concludeDiagnosis(sum, part, Options{}))(t)
	if r.LeastProgressed == nil || r.LeastProgressed.Ranks.String() != "0" || len(r.Groups) > 5 || len(r.Edges) > 10 {
		t.Errorf("%s: least %+v, %d groups, %d edges", collective, r.LeastProgressed, len(r.Groups), len(r.Edges))
	}
	if took := time.Since(began); took > 30*time.Second {
		t.Errorf("%s: it took %v", collective, took)
	}
}
