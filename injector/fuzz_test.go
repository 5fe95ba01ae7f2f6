package injector

import (
	"os"
	"path/filepath"
	"testing"

	"laggard/internal/musttest"
	"laggard/model"
)

// FuzzReadDiagnosis: what a diagnosis says of ranks is ranks, or it is an error.
func FuzzReadDiagnosis(f *testing.F) {
	f.Add(`{"least_progressed": {"ranks": [1], "confidence": 0.9, "locations": [{"rank": 1, "in_mpi": null}]},
		"rank_order": ["1", "0,2-3"], "groups": [{"ranks": "1", "isolated": true}],
		"divergences": [{"kind": "skipped", "sides": [{"ranks": "1", "kind": "skipped", "calls": [
			{"mpi": "MPI_Barrier", "stack": [{"module": "/a", "offset": "0x10"}]}]}]}]}`)
	f.Add(`{"rank_order": ["0-2000000000"]}`)
	f.Fuzz(func(t *testing.T, text string) {
		d, err := ReadDiagnosis("any", []byte(text))
		if err != nil {
			return
		}
		for _, ranks := range [][]int{d.First, d.Isolated} {
			for _, rank := range ranks {
				if rank < 0 || rank >= model.MaxRanks {
					t.Fatalf("rank %d", rank)
				}
			}
		}
	})
}

// FuzzOrder: an order that is read can be followed, and is written as it was.
func FuzzOrder(f *testing.F) {
	f.Add(`{"out": "/o", "strike": {"rank": 1, "target": {"function": "f"}, "fault": "loop", "invocation": 1}}`)
	f.Add(`{"out": "/o", "profile": {"cap": 3}}`)
	f.Fuzz(func(t *testing.T, text string) {
		path := filepath.Join(t.TempDir(), "order.json")
		musttest.Succeed(t, os.WriteFile(path, []byte(text), 0o600))
		o, err := ReadOrder(path)
		if err != nil {
			return
		}
		o.tracesRank(0)
		musttest.Succeed(t, o.Write(path), "of", text)
		musttest.Get(ReadOrder(path))(t, "after writing what was read of", text)
	})
}
