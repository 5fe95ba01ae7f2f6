package runfiles

import (
	"cmp"
	"fmt"
	"math"
	"path/filepath"
	"slices"

	"laggard/internal/parallel"
	"laggard/model"
	"laggard/model/nodefile"
)

// batchSlots is how many slots are decoded before the next ones are begun.
// Their states are joined with those of the slots before, so a load holds
// little more than the states that differ.
const batchSlots = 64

// Open reads a run directory: Scan, then Load of every slot. A damaged or
// missing part is in Run.Problems and takes nothing else with it; see Scan for
// the errors.
func Open(dir string) (*model.Run, error) {
	l, err := List(dir)
	if err != nil {
		return nil, err
	}
	return l.ScanPart(0, 1).loadJobs()
}

// OpenPresent is Open of what the ranks have recorded by now, also if a hang was
// noticed before.
func OpenPresent(dir string) (*model.Run, error) {
	l, err := ListPresent(dir)
	if err != nil {
		return nil, err
	}
	return l.ScanPart(0, 1).loadJobs()
}

// loadJobs loads every slot of the job that is looked at, if the part is all there is, and of the others that did not finish.
func (p *Part) loadJobs() (*model.Run, error) {
	unfinished := p.unfinishedIndexes()
	run, err := p.wholeIndex().loadAll()
	if err != nil {
		return nil, err
	}
	for _, x := range unfinished {
		other, err := x.loadAll()
		if err != nil {
			return nil, err
		}
		run.Unfinished = append(run.Unfinished, other)
	}
	return run, nil
}

// loadAll loads every slot; the problems of the scan come first.
func (x *Index) loadAll() (*model.Run, error) {
	run, err := x.LoadSlots(0, len(x.Slots))
	if err != nil {
		return nil, err
	}
	run.Problems = slices.Concat(x.Problems, run.Problems)
	return run, nil
}

// Decode reads one node file that is in memory; name is for the errors. The
// error means that nothing in it can be used.
func Decode(name string, data []byte) (*model.Run, error) {
	return decodeFile(name, func(string) *nodefile.File { return nodefile.FromBytes(name, data) })
}

// OpenFile reads one node file, which ranks may be writing, and of that only what the model needs: it may have gigabytes of events. The
// error means that nothing in it can be used.
func OpenFile(path string) (*model.Run, error) {
	return decodeFile(filepath.Base(path), func(name string) *nodefile.File { return nodefile.Open(path, name, "") })
}

func decodeFile(name string, open func(name string) *nodefile.File) (*model.Run, error) {
	p := &Part{listing: &Listing{}, files: []filePart{{name: name, to: math.MaxInt64}}, open: open}
	p.scanFiles()
	usable := p.files[0].Usable
	if !usable {
		x := p.wholeIndex()
		return nil, x.Problems[len(x.Problems)-1].Err
	}
	return p.loadJobs()
}

// LoadSlots decodes the slots from <= i < to of Index.Slots. The problems are those
// of these slots only; Index.Problems has those of files. An error means that
// from and to are no such interval.
func (x *Index) LoadSlots(from, to int) (*model.Run, error) {
	if from < 0 || to < from || to > len(x.Slots) {
		return nil, fmt.Errorf("model: load of slots %d to %d of %d", from, to, len(x.Slots))
	}
	run := x.emptyRun()
	x.decodeBatches(x.Slots[from:to], false, func(batch *model.Run) {
		run.Ranks = append(run.Ranks, batch.Ranks...)
		run.Others = append(run.Others, batch.Others...)
		run.Problems = append(run.Problems, batch.Problems...)
	})
	slices.SortFunc(run.Ranks, func(a, b *model.Rank) int { return a.Rank - b.Rank })
	return run, nil
}

// LoadRanks decodes the slots of some ranks of the job, each file once, and returns those that are there in order of rank.
func (x *Index) LoadRanks(ranks model.RankSet) []*model.Rank {
	var slots []nodefile.SlotInfo
	for _, s := range x.Slots {
		if s.IsWorldRank(x.bound) && ranks.Contains(s.Rank) {
			slots = append(slots, s)
		}
	}
	var out []*model.Rank
	x.decodeBatches(slots, false, func(batch *model.Run) { out = append(out, batch.Ranks...) })
	slices.SortFunc(out, func(a, b *model.Rank) int { return a.Rank - b.Rank })
	return out
}

// EachBatch decodes all slots of the index, some at a time and in the order of the
// files, and gives them to f, which may keep what it needs of them. While f runs,
// Streams reads what the ranks of the Run recorded beyond their progress. One Each
// runs at a time.
func (x *Index) EachBatch(f func(*model.Run)) { x.decodeBatches(x.Slots, false, f) }

// EachBatchBriefly is EachBatch, but of a [model.History] there is only the latest call: that of all is
// most of what a rank in many communicators has recorded, and no [model.Rank.Series]. What is wrong
// with the other calls is left to Load. The next batch is decoded in the same memory: of a rank, f keeps its states with
// their modules and the lists of members at most, and counts by value.
func (x *Index) EachBatchBriefly(f func(*model.Run)) { x.decodeBatches(x.Slots, true, f) }

func (x *Index) emptyRun() *model.Run {
	return &model.Run{Dir: x.Dir, ID: x.ID, Manifest: x.Manifest, Size: x.Size, Seen: x.Seen}
}

func (x *Index) decodeBatches(slots []nodefile.SlotInfo, brief bool, f func(*model.Run)) {
	decoder, worlds := nodefile.NewDecoder(x.bytes), newWorldJoiner(x)
	decoder.Brief = brief
	slots = slices.Clone(slots)
	slices.SortFunc(slots, func(a, b nodefile.SlotInfo) int { return cmp.Or(cmp.Compare(a.File, b.File), a.Slot-b.Slot) })
	for len(slots) > 0 {
		n := batchSize(slots)
		run := x.emptyRun()
		x.files = x.openFiles(slots[:n])
		decoder.DecodeSlots(x.files, slots[:n], func(i int, r *model.Rank, wrong *nodefile.SlotProblems) {
			x.addSlot(run, slots[i], r)
			run.Problems = append(run.Problems, wrong.OfRank(r.Rank)...)
			worlds.joinRank(r, slots[i])
		})
		f(run)
		x.files.close()
		x.files = nil
		slots = slots[n:]
	}
}

// batchSize returns how many slots to read together: those of whole files, so that
// no file is opened twice.
func batchSize(slots []nodefile.SlotInfo) int {
	n := min(batchSlots, len(slots))
	for n < len(slots) && slots[n].File == slots[n-1].File {
		n++
	}
	return n
}

// addSlot puts a slot where the scan decided it belongs, also if it is of a live
// process that has learnt its rank since.
func (x *Index) addSlot(run *model.Run, s nodefile.SlotInfo, r *model.Rank) {
	if s.IsWorldRank(x.bound) {
		r.Rank = s.Rank
		run.Ranks = append(run.Ranks, r)
	} else {
		run.Others = append(run.Others, r)
	}
}

// openFiles are the files of a batch of slots, by name.
type openFiles map[string]*nodefile.File

// openFiles opens each file of the slots once.
func (x *Index) openFiles(slots []nodefile.SlotInfo) openFiles {
	var names []string
	for _, s := range slots {
		if len(names) == 0 || names[len(names)-1] != s.File {
			names = append(names, s.File)
		}
	}
	opened := make([]*nodefile.File, len(names))
	parallel.ForEach(len(names), func(i int) { opened[i] = x.open(names[i]) })
	files := openFiles{}
	for i, name := range names {
		files[name] = opened[i]
	}
	return files
}

func (files openFiles) close() {
	for _, f := range files {
		f.Close()
	}
}
