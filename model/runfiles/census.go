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
	Files int                  `json:"files"`
	Bytes int64                `json:"bytes"`
	Jobs  map[uint64]JobCensus `json:"jobs"` // of processes that no rank spawned, by jobKey
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
	for i := range slots {
		s := &slots[i]
		r.countWorld(s)
		if !s.Spawned {
			key := jobKey(s)
			c := r.Jobs[key]
			c.countSlot(s)
			r.setJob(key, c)
		}
	}
}

func (r *RunCensus) setJob(key uint64, c JobCensus) {
	if r.Jobs == nil {
		r.Jobs = map[uint64]JobCensus{}
	}
	r.Jobs[key] = c
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
	r.Files += t.Files
	r.Bytes += t.Bytes
	for key, c := range t.Jobs {
		sum := r.Jobs[key]
		sum.merge(&c)
		r.setJob(key, sum)
	}
	r.mergeWorlds(&t.worldCensus)
}

// allJobs are the processes of all jobs as if they were of one.
func (r *RunCensus) allJobs() job {
	var all job
	for key, c := range r.Jobs {
		all.merge(&c)
		all.keys = append(all.keys, key)
	}
	return all
}

// Verdict is what is known of the job once all files were looked at.
type Verdict struct {
	ID         uint64
	Size       int             // of MPI_COMM_WORLD, as most ranks or else the manifest say; 0 unknown
	Claimed    int             // what they say where it is not credible, see CredibleRanks; else 0
	Seen       model.RankSet   // ranks that have a slot, and
	Twice      model.RankSet   // several
	Duplicates int             // slots of a world of that size beyond one for each rank
	Strangers  int             // slots of the same job that know worlds of other sizes, but for those of spawned processes
	Others     []OtherJob      // the other MPI jobs of the recording
	Foreign    model.RankSet   // ranks that have one only in files of other runs
	Worlds     []SpawnedWorld  // of spawned processes
	others     map[uint64]bool // jobKey of the slots of other jobs
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
// of most files if no file is of the manifest's or there is none; and which MPI job of the run is looked at, see rankJobs.
func (c Census) DecideRun(m *model.Manifest) Verdict {
	own := c.ownRun(m)
	return c.decideJob(m, &own, own.findJobs(), 0)
}

// ownRun counts what is there of the run.
func (c Census) ownRun(m *model.Manifest) (own RunCensus) {
	own.merge(&c.Unsure)
	if r, ok := c.Runs[c.commonID(m)]; ok {
		own.merge(&r)
	}
	return own
}

// decideJob is the verdict about one of the jobs of a run. Processes that do not know of any job are looked at with each.
func (c Census) decideJob(m *model.Manifest, own *RunCensus, jobs []job, at int) Verdict {
	v := Verdict{ID: c.commonID(m), bytes: own.Bytes, others: map[uint64]bool{}}
	this := own.allJobs()
	for i := range jobs {
		if j := &jobs[i]; i == at {
			this = *j
		} else {
			v.Others = append(v.Others, OtherJob{j.worldSize(), j.state()})
			for _, key := range j.keys {
				v.others[key] = true
			}
		}
	}
	if v.Size = this.worldSize(); v.Size == 0 && m != nil {
		v.Size = m.Ranks
	}
	v.most = CredibleRanks(this.Seen.Len())
	if v.Size > v.most {
		v.Claimed, v.Size = v.Size, 0
	}
	v.Seen, v.Twice = v.inWorld(this.Seen), v.inWorld(this.Twice)
	v.Duplicates = max(0, this.Sizes[v.Size].Slots-v.Seen.Len())
	for size, n := range this.Sizes {
		if size != v.Size {
			v.Strangers += n.Slots
		}
	}
	own.leaveOutWorlds(v.others)
	v.Worlds = own.findWorlds(v.Size, this.keys, v.others)
	for id, r := range c.Runs {
		if id != v.ID {
			v.Foreign = v.Foreign.Union(v.inWorld(r.allJobs().Seen).Minus(v.Seen))
		}
	}
	return v
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
