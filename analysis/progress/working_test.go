package progress

import (
	"testing"

	"laggard/analysis/progress/evidence"
	"laggard/internal/checktest"
	"laggard/internal/musttest"
	"laggard/model"
)

// TestCertain: when it is certain that a job can never go on.
func TestCertain(t *testing.T) {
	const (
		inBarrier = "at=MPI_Barrier kind=coll pend=coll:world:none:none:2 coll=world:2\n"
		recv      = "at=MPI_Recv kind=recv pend=recv:world:"
	)
	for _, c := range []struct {
		name, script string
		dead         []int
		want         bool
	}{
		{"two wait for each other", "rank 0 " + recv + "1:7:1\nrank 1 " + recv + "0:7:1\n", nil, true},
		{"two wait, for one that polls for anything", "rank 0 at=MPI_Iprobe kind=poll pend=probe:world:any:any:1\n" +
			"rank 1 " + recv + "0:7:1\n", nil, false},
		{"two wait for each other, and one computes",
			"rank 0 " + recv + "1:7:1\nrank 1 " + recv + "0:7:1\nrank 2 after=MPI_Send\n", nil, true},
		{"one waits for one that computes", "rank 0 " + recv + "1:7:1\nrank 1 after=MPI_Send\n", nil, false},
		{"all wait for one that computes", "rank 0-3 " + inBarrier + "rank 1 after=MPI_Send coll=world:1\n", nil, false},
		{"all wait for one whose process is dead", "rank 0-3 " + inBarrier + "rank 1 after=MPI_Send coll=world:1\n",
			[]int{1}, true},
		{"all wait for one that exited", "rank 0-3 " + inBarrier + "rank 1 after=MPI_Send coll=world:1 end=exited:0\n",
			nil, true},
		{"all wait for one that finalized", "rank 0-3 " + inBarrier +
			"rank 1 at=MPI_Finalize coll=world:1 phase=finalized\n", nil, true},
		{"all wait for one in a call on a file", "rank 0-3 " + inBarrier +
			"rank 1 at=MPI_File_write_at kind=local coll=world:1\n", nil, false},
		{"all are in the same collective", "rank 0-3 " + inBarrier, nil, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			opts := Options{}
			opts.Liveness = map[int]evidence.Liveness{}
			for _, r := range c.dead {
				opts.Liveness[r] = evidence.Dead
			}
			sum, part := analyseBlocks(t, [][]*model.Rank{parseScript(c.script).buildRanks()}, opts, nil)
			d := musttest.Get(concludeDiagnosis(sum, part, opts))(t)
			checktest.Equal(t, c.want, d.Certain, "certain", describeDiagnosis(d))
		})
	}
}
