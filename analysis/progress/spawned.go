package progress

import (
	"slices"

	"laggard/model"
	"laggard/model/mpi"
	"laggard/model/runfiles"
	"laggard/reduce"
)

// Spawned is an MPI_COMM_WORLD of processes that a rank started.
type Spawned struct {
	runfiles.SpawnedWorld
	Call *model.State // of MPI_Comm_spawn at the root; nil unknown
}

// findSpawned says where the worlds of spawned processes were started, all analysis ranks together; the answer
// is at rank 0. Each reads again the roots in its share.
func (l *looker) findSpawned(failed error) ([]Spawned, error) {
	calls := map[int]*model.State{} // by the first rank of the world
	for i, slot := range l.Index.Slots {
		started := slices.DeleteFunc(slices.Clone(l.Index.Worlds), func(w runfiles.SpawnedWorld) bool { return w.Root != slot.Rank })
		if slot.Spawned || len(started) == 0 {
			continue
		}
		run, err := l.Index.LoadSlots(i, i+1)
		if err != nil || len(run.Ranks) != 1 {
			continue
		}
		for _, w := range started {
			if s := spawnCallOf(run.Ranks[0], w); s != nil {
				calls[w.First] = s
			}
		}
	}
	all, err := reduce.Reduce(l.Tree, spawnCalls, calls, failed)
	if err != nil || l.Comm.Rank() != 0 {
		return nil, err
	}
	var out []Spawned
	for _, w := range l.Index.Worlds {
		out = append(out, Spawned{w, all[w.First]})
	}
	return out, nil
}

// spawnCallOf returns the call by which a rank started a world: it made the communicator, or goes on.
func spawnCallOf(r *model.Rank, w runfiles.SpawnedWorld) *model.State {
	for _, c := range r.Comms {
		if s := r.MakerOf(c); w.Comm != 0 && c.ID == w.Comm && s != nil {
			return s
		}
	}
	for _, t := range r.Threads {
		if t.Op.InMPI && w.Comm == 0 && mpi.FindFunction(t.CurrentCall()).InClass(mpi.ClassNewcommSpawn) {
			return t.Model.States[t.Op.State]
		}
	}
	return nil
}
