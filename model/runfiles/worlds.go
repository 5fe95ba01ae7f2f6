package runfiles

import (
	"cmp"
	"maps"
	"slices"

	"laggard/model"
	"laggard/model/nodefile"
)

// SpawnedWorld is an MPI_COMM_WORLD of processes that MPI_Comm_spawn started. Behind the ranks of
// the job's first world they have ranks of the job, First to First+Size-1.
type SpawnedWorld struct {
	Name        uint64 // see [model.Rank.World]
	First, Size int
	Seen        model.RankSet // ranks of the job that have a slot
	Root        int           // the rank in the job that was the root of the spawn; -1 unknown
	Comm        uint64        // the id of the intercommunicator between both sides, as Root knows it; 0 unknown
	Parents     []int         // ranks in the job of its members on that side; nil unknown
}

// Ranks returns the ranks in the job of all processes of the world.
func (w *SpawnedWorld) Ranks() model.RankSet {
	var all model.RankSet
	all.AddRange(w.First, w.First+w.Size-1)
	return all
}

// worldCensus counts what the slots say of worlds.
type worldCensus struct {
	Worlds map[uint64]worldCount `json:"worlds,omitempty"` // of spawned processes, by their names
	Spawns []nodefile.Spawn      `json:"spawns,omitempty"`
}

// worldCount is what is there of one world.
type worldCount struct {
	Size       int           `json:"size"`
	Start      int64         `json:"start"` // of its first process, ns since 1970
	Parent     uint64        `json:"parent"`
	ParentRank int           `json:"parent_rank"`
	Seen       model.RankSet `json:"seen"`
}

func (c *worldCensus) countWorld(s *nodefile.SlotInfo) {
	c.Spawns = append(c.Spawns, s.Spawns...)
	if s.Spawned && s.World != 0 && s.Rank >= 0 && s.Size > s.Rank && s.ParentWorld != 0 {
		c.addWorld(s.World, worldCount{s.Size, s.StartNanos(), s.ParentWorld, s.ParentRank, model.NewRankSet(s.Rank)})
	}
}

func (c *worldCensus) addWorld(name uint64, more worldCount) {
	if c.Worlds == nil {
		c.Worlds = map[uint64]worldCount{}
	}
	if known, ok := c.Worlds[name]; ok {
		more.Size, more.Start = max(more.Size, known.Size), min(more.Start, known.Start)
		more.Parent, more.ParentRank = max(more.Parent, known.Parent), max(more.ParentRank, known.ParentRank)
		more.Seen = more.Seen.Union(known.Seen)
	}
	c.Worlds[name] = more
}

func (c *worldCensus) mergeWorlds(t *worldCensus) {
	c.Spawns = append(c.Spawns, t.Spawns...)
	for name, more := range t.Worlds {
		c.addWorld(name, more)
	}
}

// leaveOutWorlds adds to the names of worlds of other jobs those of the processes that they have spawned.
func (c *worldCensus) leaveOutWorlds(others map[uint64]bool) {
	for more := len(others) > 0; more; { // those of one may have spawned those of the next
		more = false
		for name, w := range c.Worlds {
			if others[w.Parent] && !others[name] {
				others[name], more = true, true
			}
		}
	}
}

// findWorlds gives the spawned processes their ranks in a job whose first world has that
// size and one of these names: in the order in which the worlds were started, so that ranks stay the same while more are.
func (c *worldCensus) findWorlds(size int, first []uint64, others map[uint64]bool) []SpawnedWorld {
	if size == 0 {
		return nil
	}
	names := slices.SortedFunc(maps.Keys(c.Worlds), func(a, b uint64) int {
		return cmp.Or(cmp.Compare(c.Worlds[a].Start, c.Worlds[b].Start), cmp.Compare(a, b))
	})
	firsts := map[uint64]int{}
	for _, name := range first {
		firsts[name] = 0
	}
	var out []SpawnedWorld
	for _, name := range names {
		w := c.Worlds[name]
		if others[name] || w.Size > CredibleRanks(w.Seen.Len()) || size+w.Size > model.MaxRanks {
			continue
		}
		firsts[name] = size
		out = append(out, SpawnedWorld{Name: name, First: size, Size: w.Size, Seen: w.Seen.Shifted(size), Root: -1})
		size += w.Size
	}
	for i := range out {
		c.findParents(&out[i], firsts)
	}
	return out
}

// findParents says who spawned the processes of a world.
func (c *worldCensus) findParents(w *SpawnedWorld, firsts map[uint64]int) {
	child := c.Worlds[w.Name]
	first, known := firsts[child.Parent]
	if !known || child.ParentRank < 0 {
		return
	}
	w.Root = first + child.ParentRank
	if s := c.spawnOf(w.Name); s != nil && !slices.Contains(s.Parents, -1) {
		w.Comm = s.Comm
		for _, rank := range s.Parents {
			w.Parents = append(w.Parents, first+rank)
		}
	}
}

// spawnOf finds the spawn that started a world: the first of its root that was over behind the start, and
// did not start a later world; nil: it is not over, or its communicator is gone.
func (c *worldCensus) spawnOf(name uint64) (found *nodefile.Spawn) {
	w := c.Worlds[name]
	for i := range c.Spawns {
		s := &c.Spawns[i]
		if s.World == w.Parent && s.Rank == w.ParentRank && s.At > w.Start && (found == nil || s.At < found.At) {
			found = s
		}
	}
	if found == nil || found.Size != w.Size {
		return nil
	}
	for _, other := range c.Worlds {
		if other.Parent == w.Parent && other.ParentRank == w.ParentRank && other.Start > w.Start && other.Start < found.At {
			return nil
		}
	}
	return found
}

// JoinWorlds makes ranks of the job of spawned processes whose world is known: those of Worlds. Ranks that are
// decoded from then on have all members of their communicators, and the ids of communicators, in terms of the job.
func (x *Index) JoinWorlds() {
	if len(x.Worlds) == 0 {
		return
	}
	byName := map[uint64]*SpawnedWorld{}
	x.Seen = x.Seen.Clone()
	for i := range x.Worlds {
		w := &x.Worlds[i]
		byName[w.Name] = w
		x.Size = w.First + w.Size
		x.Seen = x.Seen.Union(w.Seen)
	}
	x.bound = x.Size
	for i := range x.Slots {
		s := &x.Slots[i]
		if w := byName[s.World]; w != nil && s.Spawned && s.Size == w.Size && s.Rank >= 0 {
			s.Spawned, s.Rank = false, s.Rank+w.First
		}
	}
	x.joined = byName
	x.Slots = latestSlots(x.Slots, Verdict{Size: x.Size})
}
