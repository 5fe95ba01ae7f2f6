package runfiles

import (
	"cmp"

	"laggard/model"
	"laggard/model/nodefile"
)

// Census counts what the files of a run directory say of the job they belong
// to. The censuses of parts merge; a file is counted where it begins.
type Census struct {
	// Runs are by run id, as sound file headers tell it.
	Runs map[uint64]RunCensus `json:"runs"`
	// Unsure is of the files with a damaged header, which are taken to belong.
	Unsure RunCensus `json:"unsure"`
}

// RunCensus counts what is there of one run.
type RunCensus struct {
	Files int           `json:"files"`
	Bytes int64         `json:"bytes"`
	Sizes map[int]int   `json:"sizes"` // slots by the size of MPI_COMM_WORLD that they tell
	Open  map[int]int   `json:"open"`  // likewise those of processes that have not left MPI_Finalize
	Seen  model.RankSet `json:"seen"`  // ranks that have a slot, and
	Twice model.RankSet `json:"twice"` // several
	worldCensus
}

// TakeCensus counts the part.
func (p *Part) TakeCensus() Census {
	c := Census{Runs: map[uint64]RunCensus{}}
	for i := range p.files {
		f := &p.files[i]
		if !f.Usable {
			continue
		}
		r := c.Unsure
		if f.Sound {
			r = c.Runs[f.RunID]
		}
		if f.from == 0 {
			r.Files++
			r.Bytes += f.Bytes
		}
		r.countSlots(f.Slots)
		if f.Sound {
			c.Runs[f.RunID] = r
		} else {
			c.Unsure = r
		}
	}
	return c
}

func (r *RunCensus) countSlots(slots []nodefile.SlotInfo) {
	if r.Sizes == nil {
		r.Sizes, r.Open = map[int]int{}, map[int]int{}
	}
	for _, s := range slots {
		r.countWorld(&s)
		if s.Spawned {
			continue
		}
		if s.Size > 0 {
			r.Sizes[s.Size]++
		}
		if s.Size > 0 && !s.Finished {
			r.Open[s.Size]++
		}
		if r.Seen.Contains(s.Rank) {
			r.Twice.Add(s.Rank)
		}
		r.Seen.Add(s.Rank)
	}
}

// MergeCensuses adds up two censuses. It may change a.
func MergeCensuses(a, b Census) Census {
	if a.Runs == nil {
		a.Runs = map[uint64]RunCensus{}
	}
	for id, r := range b.Runs {
		sum := a.Runs[id]
		sum.merge(&r)
		a.Runs[id] = sum
	}
	a.Unsure.merge(&b.Unsure)
	return a
}

func (r *RunCensus) merge(t *RunCensus) {
	if r.Sizes == nil {
		r.Sizes, r.Open = map[int]int{}, map[int]int{}
	}
	for size, n := range t.Sizes {
		r.Sizes[size] += n
	}
	for size, n := range t.Open {
		r.Open[size] += n
	}
	r.Files += t.Files
	r.Bytes += t.Bytes
	r.Twice = r.Twice.Union(t.Twice).Union(r.Seen.Intersect(t.Seen))
	r.Seen = r.Seen.Union(t.Seen)
	r.mergeWorlds(&t.worldCensus)
}

// Verdict is what is known of the job once all files were looked at.
type Verdict struct {
	ID         uint64
	Size       int            // of MPI_COMM_WORLD, as most ranks or else the manifest say; 0 unknown
	Claimed    int            // what they say where it is not credible, see CredibleRanks; else 0
	Seen       model.RankSet  // ranks that have a slot, and
	Twice      model.RankSet  // several
	Duplicates int            // slots of a world of that size beyond one for each rank
	Strangers  int            // slots of worlds of other sizes, but for those of spawned processes
	Foreign    model.RankSet  // ranks that have one only in files of other runs
	Worlds     []SpawnedWorld // of spawned processes
	bytes      int64
	most       int // CredibleRanks of those seen
}

// CredibleRanks is how many ranks a job may have of which so many left a record. What is said of missing ranks takes
// memory for each, so a size beyond that is taken for damage.
func CredibleRanks(recorded int) int {
	const always, each = 1 << 20, 16
	return min(max(always, each*recorded), model.MaxRanks)
}

// DecideRun decides which run the files belong to: that of the manifest, or that
// of most files if no file is of the manifest's or there is none.
func (c Census) DecideRun(m *model.Manifest) Verdict {
	v := Verdict{ID: c.commonID(m)}
	own := RunCensus{}
	own.merge(&c.Unsure)
	if r, ok := c.Runs[v.ID]; ok {
		own.merge(&r)
	}
	v.bytes = own.Bytes
	if v.Size = own.worldSize(); v.Size == 0 && m != nil {
		v.Size = m.Ranks
	}
	v.most = CredibleRanks(own.Seen.Len())
	if v.Size > v.most {
		v.Claimed, v.Size = v.Size, 0
	}
	v.Seen, v.Twice = v.inWorld(own.Seen), v.inWorld(own.Twice)
	v.Duplicates = max(0, own.Sizes[v.Size]-v.Seen.Len())
	for size, n := range own.Sizes {
		if size != v.Size {
			v.Strangers += n
		}
	}
	v.Worlds = own.findWorlds(v.Size)
	for id, r := range c.Runs {
		if id != v.ID {
			v.Foreign = v.Foreign.Union(v.inWorld(r.Seen).Minus(v.Seen))
		}
	}
	return v
}

// worldSize is the size of MPI_COMM_WORLD: that of the most processes that have not left MPI_Finalize, as a script may run several programs
// one behind the other; of all if none is left. Of two that are as common it is the larger one: ranks may each have started a program
// of one rank. 0: no process tells one.
func (r *RunCensus) worldSize() (size int) {
	counts := r.Open
	if len(counts) == 0 {
		counts = r.Sizes
	}
	for s, n := range counts {
		if most := counts[size]; n > most || n == most && s > size {
			size = s
		}
	}
	return size
}

// inWorld leaves out what are no ranks of the job.
func (v *Verdict) inWorld(ranks model.RankSet) model.RankSet {
	var world model.RankSet
	world.AddRange(0, v.rankBound()-1)
	return ranks.Intersect(world)
}

// rankBound is what all ranks of the job are below.
func (v *Verdict) rankBound() int { return cmp.Or(v.Size, v.most) }

func (c Census) commonID(m *model.Manifest) uint64 {
	files := map[uint64]int{}
	for id, r := range c.Runs {
		files[id] = r.Files
	}
	if m != nil {
		if id, _ := m.ID(); files[id] > 0 || len(files) == 0 { // checked by ParseManifest
			return id
		}
	}
	return mostCommon(files)
}
