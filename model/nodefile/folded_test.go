package nodefile

import (
	"errors"
	"math/rand/v2"
	"testing"

	"laggard/internal/checktest"
	"laggard/internal/musttest"
	"laggard/model"
	"laggard/model/format"
	"laggard/model/modeltest"
)

func TestFoldedRoundTrip(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 3))
		ranks := modeltest.RandomTwins(r, modeltest.Ample, 2+r.IntN(6))
		data := musttest.Get(NewFolder().Encode(testHeader, ranks))(t)
		run := mustDecode(t, data)
		if len(run.Problems) > 0 {
			t.Fatalf("seed %d: %v", seed, run.Problems[0].Err)
		}
		musttest.EqualBy(t, modeltest.SharedStates, ranks, run.Ranks, "seed", seed)
		if whole := mustEncode(t, testHeader, ranks); len(data) > len(whole) {
			t.Errorf("seed %d: %d bytes folded, %d not", seed, len(data), len(whole))
		}
	}
}

// TestFoldedBaseDamaged: a rank that is like a damaged one loses its model, and
// says so; what its own slot tells stays.
func TestFoldedBaseDamaged(t *testing.T) {
	ranks := modeltest.RandomTwins(rand.New(rand.NewPCG(5, 3)), modeltest.Lean, 6)
	data := musttest.Get(NewFolder().Encode(testHeader, ranks))(t)
	img := newImage("node-a.lgd", data)
	for slot := range uint32(2) {
		l := musttest.Get(img.readLayout(new(problems)))(t)
		c := newCursor(img, l, slot, new(problems))
		for rec, ok := c.next(); ok; rec, ok = c.next() {
			if rec.typ == format.StateRecord || rec.typ == format.EdgeRecord {
				data[rec.off+format.SizeofRec] ^= 1
				break
			}
		}
	}
	run := mustDecode(t, data)
	lost := map[int]bool{}
	for _, p := range run.Problems {
		lost[p.Rank] = lost[p.Rank] || errors.Is(p.Err, model.ErrLost)
	}
	for i := 2; i < len(ranks); i++ {
		got := run.Ranks[i]
		if !lost[i] || len(got.Threads[0].Model.States) > 0 {
			t.Errorf("rank %d: lost %v, %d states", i, lost[i], len(got.Threads[0].Model.States))
		}
		checktest.Equal(t, ranks[i].Comms, got.Comms, "rank", i)
	}
}

// TestFoldedCircle: slots that are like each other are complained about.
func TestFoldedCircle(t *testing.T) {
	ranks := modeltest.RandomTwins(rand.New(rand.NewPCG(7, 3)), modeltest.Lean, 3)
	file := make([]byte, format.PageSize)
	for slot := range uint32(2) {
		w := &slotWriter{file: file, slot: slot, fold: NewFolder()}
		w.writeRankRecord(ranks[slot])
		w.writeLike(&foldBase{slot: 1 - slot, rank: ranks[slot]}, ranks[slot])
		w.closeChunk()
		file = w.file
	}
	putHeader(file, testHeader, 2)
	run := mustDecode(t, file)
	for _, r := range append(run.Ranks, run.Others...) {
		if len(r.Threads) == 0 || len(r.Threads[0].Model.States) > 0 {
			t.Errorf("rank %d: %+v", r.Rank, r.Threads)
		}
	}
	if len(run.Problems) < 2 {
		t.Errorf("problems: %v", run.Problems)
	}
}
