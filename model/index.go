package model

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// NodeFiles is the pattern of the names of node files in a run directory.
const NodeFiles = "node-*.lgd"

// SlotInfo is what Scan finds out about a slot.
type SlotInfo struct {
	File       string // name of the node file
	Slot       int
	Rank, Size int // in MPI_COMM_WORLD; -1 unknown
	Host       string
	Start      time.Time
	Spawned    bool // started by MPI_Comm_spawn: Rank is one of another world
}

// Index tells what is in a run directory. Slots come in order of rank, one for
// each rank, the latest; behind them those that become Run.Others, in order of
// file and slot.
type Index struct {
	Dir      string
	ID       uint64
	Manifest *Manifest // nil if there is none
	Slots    []SlotInfo
	Size     int     // of MPI_COMM_WORLD, as most ranks or else the manifest say; 0 unknown
	Seen     RankSet // ranks that have a slot
	Problems []Problem
	bytes    int64 // of all node files
	open     func(name string) (*image, error)
}

// scanned is one file as Scan sees it.
type scanned struct {
	layout *layout
	slots  []SlotInfo
}

// Scan looks through a run directory without decoding it: file headers, chunk
// headers, and of each slot the records up to that of MPI_COMM_WORLD. What is
// damaged is in Problems; an error means that dir is no run directory (it wraps
// ErrNoRun) or cannot be read.
func Scan(dir string) (*Index, error) {
	names, err := nodeFiles(dir)
	if err != nil {
		return nil, err
	}
	x := &Index{Dir: dir, open: func(name string) (*image, error) { return openImage(filepath.Join(dir, name), name) }}
	var manifestErr error
	if x.Manifest, manifestErr = readManifest(dir); manifestErr != nil {
		x.Problems = append(x.Problems, Problem{File: ManifestName, Rank: -1, Err: manifestErr})
	}
	if len(names) == 0 && x.Manifest == nil && manifestErr == nil {
		return nil, fmt.Errorf("model: %s: %w: it has neither %s nor %s", dir, ErrNoRun, ManifestName, NodeFiles)
	}
	x.scan(names)
	return x, nil
}

// scan looks through the files and tells how many could be used.
func (x *Index) scan(names []string) (usable int) {
	files := make([]scanned, len(names))
	probs := make([]problems, len(names))
	parallel(len(names), func(i int) {
		probs[i] = problems{file: names[i], slot: -1}
		files[i] = x.scanFile(names[i], &probs[i])
	})
	x.ID = x.commonID(files)
	x.merge(files, probs)
	for _, f := range files {
		if f.layout != nil {
			usable++
		}
	}
	return usable
}

// nodeFiles lists the node files of a directory by name.
func nodeFiles(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("model: %w: %w", ErrNoRun, err)
	}
	if err != nil {
		return nil, fmt.Errorf("model: %w", err)
	}
	var names []string
	for _, e := range entries {
		if ok, _ := filepath.Match(NodeFiles, e.Name()); ok {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

// scanFile looks through one file. An unusable one has no layout.
func (x *Index) scanFile(name string, p *problems) (out scanned) {
	img, err := x.open(name)
	if err != nil {
		p.add("", -1, err)
		return scanned{}
	}
	defer img.close()
	fault := img.guard(func() { out, err = img.scan(p) })
	if err = errors.Join(err, fault); err != nil {
		p.add("file header", 0, err)
		return scanned{}
	}
	return out
}

func (m *image) scan(p *problems) (scanned, error) {
	l, err := m.readLayout(p)
	if err != nil {
		return scanned{}, err
	}
	out := scanned{layout: l}
	for _, slot := range l.order() {
		out.slots = append(out.slots, scanSlot(m, l, slot))
	}
	return out, nil
}

// order lists the slots of a file.
func (l *layout) order() []uint32 {
	order := make([]uint32, 0, len(l.slots))
	for slot := range l.slots {
		order = append(order, slot)
	}
	slices.Sort(order)
	return order
}

// scanSlot reads a slot as far as it says which rank it is. Problems are left
// to the load, which meets them again.
func scanSlot(m *image, l *layout, slot uint32) SlotInfo {
	r := newSlotReader(m, l, slot)
	for world := false; !world; {
		rec, ok := r.cursor.next()
		if !ok {
			break
		}
		if rec.typ != recRank && rec.typ != recComm || r.take(rec) != nil {
			continue
		}
		world = len(r.comms.list) > 0 && r.comms.list[len(r.comms.list)-1].comm.World
	}
	for _, c := range r.comms.list {
		r.rank.Comms = append(r.rank.Comms, c.comm)
	}
	r.identify()
	k := r.rank
	return SlotInfo{File: m.name, Slot: int(slot), Rank: k.Rank, Size: k.Size, Host: k.Host, Start: k.Start, Spawned: k.Spawned}
}

// commonID returns the run id of the manifest, or else that of most files.
func (x *Index) commonID(files []scanned) uint64 {
	if x.Manifest != nil {
		id, _ := x.Manifest.ID() // checked by ParseManifest
		return id
	}
	var ids []uint64
	for _, f := range files {
		if f.layout != nil && f.layout.sure {
			ids = append(ids, f.layout.header.RunID)
		}
	}
	return mostCommon(ids)
}

// mostCommon returns the value that occurs most often, the smallest of several;
// 0 if there is none.
func mostCommon[T cmp.Ordered](values []T) T {
	var best T
	slices.Sort(values)
	most := 0
	for i, start := 1, 0; i <= len(values); i++ {
		if i < len(values) && values[i] == values[start] {
			continue
		}
		if i-start > most {
			best, most = values[start], i-start
		}
		start = i
	}
	return best
}

// merge puts together what was found in the files.
func (x *Index) merge(files []scanned, probs []problems) {
	var all []SlotInfo
	for i, f := range files {
		if l := f.layout; l != nil {
			if l.sure && l.header.RunID != x.ID {
				probs[i].add("file header", 0, fmt.Errorf("%w: %016x, not %016x", ErrRunID, l.header.RunID, x.ID))
			} else {
				all = append(all, f.slots...)
				x.bytes += l.size
			}
		}
		x.Problems = append(x.Problems, probs[i].done(-1)...)
	}
	x.Size = worldSize(all, x.Manifest)
	x.Slots = latest(all, x.Size)
	for _, s := range x.Slots {
		if s.regular(x.Size) {
			x.Seen.Add(s.Rank)
		}
	}
}

// worldSize is the size most slots know, else the one in the manifest, else 0.
func worldSize(slots []SlotInfo, m *Manifest) int {
	var sizes []int
	for _, s := range slots {
		if s.Size > 0 && !s.Spawned {
			sizes = append(sizes, s.Size)
		}
	}
	if len(sizes) == 0 && m != nil {
		return m.Ranks
	}
	return mostCommon(sizes)
}

// regular tells whether the slot is a rank of the job's world.
func (s *SlotInfo) regular(size int) bool {
	return !s.Spawned && s.Rank >= 0 && (size == 0 || s.Rank < size)
}

// latest sorts the slots as Index has them and leaves out those of a rank that
// was started again.
func latest(slots []SlotInfo, size int) []SlotInfo {
	var ranks, others []SlotInfo
	for _, s := range slots {
		if s.regular(size) {
			ranks = append(ranks, s)
		} else {
			others = append(others, s)
		}
	}
	slices.SortStableFunc(ranks, func(a, b SlotInfo) int {
		return cmp.Or(a.Rank-b.Rank, b.Start.Compare(a.Start), cmp.Compare(b.File, a.File), b.Slot-a.Slot)
	})
	ranks = slices.CompactFunc(ranks, func(a, b SlotInfo) bool { return a.Rank == b.Rank })
	return append(ranks, others...)
}

// Missing returns the ranks of MPI_COMM_WORLD that left nothing in the
// directory.
func (x *Index) Missing() RankSet { return missing(x.Size, x.Seen) }

func missing(size int, seen RankSet) RankSet {
	var all RankSet
	all.AddRange(0, size-1)
	return all.Minus(seen)
}
