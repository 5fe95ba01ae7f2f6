//go:build e2e

package e2e

import (
	"path/filepath"
	"testing"

	"laggard/internal/checktest"
	"laggard/model"
)

// TestWildcards: the receives with a wildcard that a rank has not completed are in its record, and no others; if they are of too many
// kinds, the record says that it is not complete.
func TestWildcards(t *testing.T) {
	t.Parallel()
	eachFamily(t, func(t *testing.T, f family) {
		t.Parallel()
		program := f.buildProgram(t, "wildcards.c", "-O1")
		recordOf := func(args ...string) *model.Rank {
			dir := filepath.Join(t.TempDir(), "run")
			f.startRecorded(t, dir, f.runEnvironment(t), 2, nil, append([]string{program}, args...)...).wait()
			return openRun(t, dir).Ranks[0]
		}
		type kind struct {
			comm      model.CommKind
			peer, tag int
			call      string
		}
		found, r := map[kind]uint64{}, recordOf()
		for _, w := range r.Wildcards {
			found[kind{r.Comms[w.Comm].Kind, w.Peer, w.Tag, r.Threads[w.Thread].Model.States[w.State].Call}] += w.Count
		}
		checktest.Equal(t, map[kind]uint64{
			{model.World, model.Any, 1, "MPI_Irecv"}: 2, {model.World, model.Any, 4, "MPI_Irecv"}: 1,
			{model.World, model.Any, 6, "MPI_Recv_init"}: 1, {model.Intra, 1, model.Any, "MPI_Irecv"}: 1,
		}, found, "not complete")
		checktest.Equal(t, uint64(0), r.Evicted, "left out")
		r = recordOf("many")
		checktest.Equal(t, 64, len(r.Wildcards), "of many")
		checktest.Equal(t, uint64(1), r.Evicted, "left out of many")
	})
}
