package runfiles

import (
	"slices"
	"testing"
	"time"

	"laggard/internal/checktest"
	"laggard/internal/musttest"
	"laggard/model"
	"laggard/model/modeltest"
	"laggard/model/nodefile"
)

// The names of the worlds of the job below.
const (
	firstName, childName, secondName = 11, 22, 33
	spawnComm, mergedComm            = 101, 102
)

// spawningJob are the processes of a job: two ranks, whose rank 1 started two processes with both, merged with them, and then
// started one by itself.
func spawningJob() []*model.Rank {
	at := func(s int) time.Time { return modeltest.Time(s) }
	state := func(call string) *model.Thread {
		s := &model.State{Call: call}
		return &model.Thread{Model: model.Model{States: []*model.State{s}, Visits: []uint64{1}}, Op: model.Op{State: -1}}
	}
	rank := func(rank, size int, start time.Time, world uint64) *model.Rank {
		var members []int
		for i := range size {
			members = append(members, i)
		}
		return &model.Rank{Rank: rank, Size: size, Host: testHeader.Host, Start: start, Phase: model.Running, EndDetail: -1,
			World: world, ParentRank: -1,
			Threads: []*model.Thread{state("MPI_Intercomm_merge")},
			Comms:   []*model.Comm{{ID: world, Kind: model.World, Rank: rank, Members: members, Size: size, State: -1}}}
	}
	child := func(r *model.Rank) *model.Rank {
		r.Spawned, r.ParentWorld, r.ParentRank = true, firstName, 1
		return r
	}
	var all []*model.Rank
	for i := range 2 {
		r := rank(i, 2, at(0), firstName)
		r.Comms = append(r.Comms,
			&model.Comm{ID: spawnComm, Parent: firstName, Kind: model.Inter, Rank: i, Members: []int{0, 1}, Size: 2,
				Remote: []int{-1, -1}, RemoteSize: 2,
				State: -1},
			&model.Comm{ID: mergedComm, Parent: spawnComm, Rank: i, Members: []int{0, 1, -1, -1}, Size: 4})
		all = append(all, r)
	}
	all[1].Spawns, all[1].Comms[1].Spawned = 2, at(20)
	all[1].Comms = append(all[1].Comms, &model.Comm{
		ID: 104, Parent: 5, Kind: model.Inter, Members: []int{1}, Size: 1, Remote: []int{-1}, RemoteSize: 1,
		Spawned: at(40), State: -1})
	for i := range 2 {
		r := child(rank(i, 2, at(10+i), childName))
		r.Comms = append(r.Comms,
			&model.Comm{ID: 203, Kind: model.Inter, ToParent: true, Rank: i, Members: []int{0, 1}, Size: 2,
				Remote: []int{-1, -1}, RemoteSize: 2, State: -1},
			&model.Comm{ID: 204, Parent: 203, Rank: 2 + i, Members: []int{-1, -1, 0, 1}, Size: 4})
		all = append(all, r)
	}
	last := child(rank(0, 1, at(30), secondName))
	last.Comms = append(last.Comms,
		&model.Comm{ID: 304, Kind: model.Inter, ToParent: true, Members: []int{0}, Size: 1, Remote: []int{-1}, RemoteSize: 1, State: -1})
	return append(all, last)
}

// openJoined writes ranks to one node file and reads them as one job.
func openJoined(t *testing.T, ranks []*model.Rank) (*Index, *model.Run) {
	t.Helper()
	dir := t.TempDir()
	musttest.Get(nodefile.WriteNode(dir, testHeader, ranks))(t)
	x := musttest.Get(Scan(dir))(t)
	x.JoinWorlds()
	run, err := x.loadAll()
	if err != nil || len(run.Problems) > 0 {
		t.Fatal(err, run.Problems)
	}
	return x, run
}

// TestJoinWorlds: spawned processes get ranks behind those of the first world, and both sides of a communicator
// agree on its id and its members.
func TestJoinWorlds(t *testing.T) {
	x, run := openJoined(t, spawningJob())
	want := []SpawnedWorld{
		{Name: childName, First: 2, Size: 2, Seen: model.NewRankSet(2, 3), Root: 1, Comm: spawnComm, Parents: []int{0, 1}},
		{Name: secondName, First: 4, Size: 1, Seen: model.NewRankSet(4), Root: 1, Comm: 104, Parents: []int{1}},
	}
	checktest.Equal(t, want, x.Worlds)
	if len(run.Ranks) != 5 || len(run.Others) > 0 || run.Size != 5 || run.MissingRanks().Len() > 0 {
		t.Fatalf("%d ranks, %d others, size %d, %s missing", len(run.Ranks), len(run.Others), run.Size, run.MissingRanks())
	}
	for i, r := range run.Ranks {
		if r.Rank != i || r.Size != 5 || r.Spawned {
			t.Errorf("rank %d of %d, spawned %v, at %d", r.Rank, r.Size, r.Spawned, i)
		}
	}
	merged := run.Ranks[0].Comms[2].ID
	for i, r := range run.Ranks[:4] {
		inter, all := r.Comms[1], r.Comms[2]
		sides := [][]int{{0, 1}, {2, 3}}
		if inter.ID != spawnComm || !slices.Equal(inter.Members, sides[i/2]) || !slices.Equal(inter.Remote, sides[1-i/2]) {
			t.Errorf("rank %d: communicator %d of %d and %d", i, inter.ID, inter.Members, inter.Remote)
		}
		if all.ID != merged || merged == mergedComm || !slices.Equal(all.Members, []int{0, 1, 2, 3}) {
			t.Errorf("rank %d: merged communicator %d of %d, rank 0 has %d", i, all.ID, all.Members, merged)
		}
		if r.Comms[0].ID == run.Ranks[(i+2)%4].Comms[0].ID || !slices.Equal(r.Comms[0].Members, sides[i/2]) {
			t.Errorf("rank %d: world %d of %d", i, r.Comms[0].ID, r.Comms[0].Members)
		}
	}
}

// TestJoinUnknownWorlds: what does not say who started it stays outside the job, and where a communicator of the root is gone, or the
// new one may have its members in another order, they stay unknown.
func TestJoinUnknownWorlds(t *testing.T) {
	unknown := spawningJob()
	unknown[4].World, unknown[4].ParentWorld = 0, 0
	if x, run := openJoined(t, unknown); len(run.Others) != 1 || x.Size != 4 {
		t.Errorf("%d others, size %d", len(run.Others), x.Size)
	}
	gone := spawningJob()
	gone[1].Comms[1].Spawned = modeltest.Time(50) // the record of its communicator serves a later one
	_, run := openJoined(t, gone)
	if c := run.Ranks[2].Comms[1]; c.ID != 203 || !slices.Equal(c.Remote, []int{-1, -1}) {
		t.Errorf("communicator %d of %d", c.ID, c.Remote)
	}
	split := spawningJob()
	split[2].Threads[0].Model.States[0].Call = "MPI_Comm_split"
	_, run = openJoined(t, split)
	if c := run.Ranks[2].Comms[2]; !slices.Equal(c.Members, []int{-1, -1, 2, 3}) {
		t.Errorf("split communicator of %d", c.Members)
	}
}

// TestWorldCensus: the census of worlds is the same however the slots are divided.
func TestWorldCensus(t *testing.T) {
	var slots []nodefile.SlotInfo
	for i, r := range spawningJob() {
		slots = append(slots, nodefile.SlotInfo{Slot: i, Rank: r.Rank, Size: r.Size, Start: r.Start, Spawned: r.Spawned, World: r.World,
			ParentWorld: r.ParentWorld, ParentRank: r.ParentRank})
	}
	slots[1].Spawns = []nodefile.Spawn{{
		World: firstName, Rank: 1, At: modeltest.Time(20).UnixNano(), Comm: spawnComm, Size: 2, Parents: []int{0, 1},
	}}
	var whole RunCensus
	whole.countSlots(slots)
	want := whole.findWorlds(2, []uint64{firstName}, nil)
	if len(want) != 2 || want[0].Comm != spawnComm {
		t.Fatal(want)
	}
	for cut := range slots {
		var a, b RunCensus
		a.countSlots(slots[cut:])
		b.countSlots(slots[:cut])
		a.merge(&b)
		checktest.Equal(t, want, a.findWorlds(2, []uint64{firstName}, nil), "cut at", cut)
	}
}

// TestProgramsInTurn: of several programs that a script runs one behind the other, the one that has not finished is the job, however small.
func TestProgramsInTurn(t *testing.T) {
	var slots []nodefile.SlotInfo
	add := func(size int, finished bool) {
		for rank := range size {
			n := len(slots)
			slots = append(slots, nodefile.SlotInfo{Slot: n, Rank: rank, Size: size, Finished: finished, Start: modeltest.Time(n)})
		}
	}
	decide := func() Verdict {
		var all RunCensus
		all.countSlots(slots)
		all.Files = 1
		return Census{Runs: map[uint64]RunCensus{7: all}}.DecideRun(nil)
	}
	add(16, true)
	add(4, false)
	v := decide()
	checktest.Equal(t, []int{4, 16}, []int{v.Size, v.Strangers}, "while the second one runs: size, and others")
	add(1, false)
	add(1, false)
	add(1, false)
	add(1, false)
	v = decide()
	checktest.Equal(t, 4, v.Size, "while each of its ranks runs a program of its own")
	slots = slots[:20]
	for i := range slots {
		slots[i].Finished = true
	}
	v = decide()
	checktest.Equal(t, []int{16, 4}, []int{v.Size, v.Strangers}, "behind both")
}
