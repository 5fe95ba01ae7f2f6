package movement

import (
	"testing"

	"laggard/analysis/movement/chain"
	"laggard/analysis/movement/invariant"
	"laggard/analysis/movement/recorded"
	"laggard/internal/checktest"
	"laggard/model"
	"laggard/symbol"
)

// TestCallsOfGoodRuns: sites that only a good run has keep their names, also after its program was built anew.
func TestCallsOfGoodRuns(t *testing.T) {
	book := func(build, place string) (string, recorded.Book) {
		n := recorded.NewNamer(1, func(model.Frame) string { return place })
		stack := []model.Frame{{Module: &model.Module{BuildID: build, Path: "/no/such/app"}, Offset: 0x10}}
		return n.Name("memcpy", stack), n.Book
	}
	own, ownBook := book("aa", "")
	good, goodBook := book("bb", "pack<int, 2> halo.c:12:5")
	inv := invariant.Invariant{Group: chain.NewGroup([]chain.Operation{{Kind: chain.Single, Site: good, Dest: own}})}
	resolver := symbol.New(symbol.Config{})
	defer resolver.Close()
	calls := Calls(Found{Invariants: []invariant.Invariant{inv}}, ownBook.Extended(goodBook), resolver)
	checktest.Equal(t, 2, len(calls))
	checktest.Equal(t, "memcpy", calls[good].Function)
	checktest.Equal(t, symbol.Call{Function: "pack<int, 2>", Signature: "pack<int, 2>", File: "halo.c", Line: 12}, calls[good].Frame.Call)
	checktest.Equal(t, "/no/such/app", calls[own].Frame.Module)
}
