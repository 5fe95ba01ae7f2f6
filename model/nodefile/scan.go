package nodefile

import (
	"maps"
	"slices"
	"time"

	"laggard/model"
	"laggard/model/format"
)

// SlotInfo is what a scan finds out about a slot.
type SlotInfo struct {
	File       string // name of the node file, relative to the run directory
	Slot       int
	Rank, Size int // in MPI_COMM_WORLD; -1 unknown
	Host       string
	Start      time.Time
	Spawned    bool // started by MPI_Comm_spawn: Rank is one of another world
	Finished   bool // it has left MPI_Finalize
	// What Rank has of how the process gets on.
	Ended     bool // it said that it ended
	Still     bool // it makes no progress
	Heartbeat time.Time
	// What Rank has of the worlds of a process, and the spawns that it was the root of.
	World, ParentWorld uint64
	ParentRank         int
	Starter            uint64
	Spawns             []Spawn
	Events             [streamKinds]int64 // bytes of its events, unpacked, by their kind
}

// StartNanos returns Start in ns since 1970; 0 unknown.
func (s *SlotInfo) StartNanos() int64 { return int64(unixNanos(s.Start)) }

// IsWorldRank reports whether the slot is a rank of the job's world, whose ranks are below bound.
func (s *SlotInfo) IsWorldRank(bound int) bool {
	return !s.Spawned && s.Rank >= 0 && s.Rank < bound
}

// Spawn is an MPI_Comm_spawn, as its root recorded it.
type Spawn struct {
	World   uint64 `json:"world"`   // of the root
	Rank    int    `json:"rank"`    // of the root there
	At      int64  `json:"at"`      // when the processes had started, ns since 1970
	Comm    uint64 `json:"comm"`    // id of the intercommunicator
	Size    int    `json:"size"`    // of the processes
	Parents []int  `json:"parents"` // ranks in the world of the root
}

// Scan is what a look through a node file finds without decoding it: headers, chunk headers, and of each slot the
// records up to that of MPI_COMM_WORLD.
type Scan struct {
	Header
	Usable   bool  // else there are only Problems
	Sound    bool  // the checksum of the header is right
	Bytes    int64 // of the file
	Slots    []SlotInfo
	Problems []model.Problem // of the file as a whole
}

// Scan looks through the slots whose first chunk begins at from <= offset < to.
func (f *File) Scan(from, to int64) Scan {
	var s Scan
	if f.layout != nil {
		f.guardReads(func() error {
			s.Slots = f.scanSlots(from, to)
			return nil
		})
	}
	if s.Problems = f.probs.asProblems(-1); f.layout == nil {
		return Scan{Problems: s.Problems}
	}
	s.Header, s.Sound, s.Usable, s.Bytes = f.layout.header, f.layout.sure, true, f.layout.size
	return s
}

func (f *File) scanSlots(from, to int64) (out []SlotInfo) {
	out = make([]SlotInfo, 0, len(f.layout.slots))
	r := slotReader{brief: true, threads: map[uint32]*threadReader{}}
	for _, slot := range f.layout.slotOrder() {
		if off := f.layout.slots[slot][0].off; off >= from && off < to {
			info := r.scanSlot(f.img, f.layout, slot)
			info.Events = f.img.countEvents(f.layout.streams[slot])
			out = append(out, info)
		}
	}
	return out
}

// slotOrder lists the slots of a file.
func (l *layout) slotOrder() []uint32 { return slices.Sorted(maps.Keys(l.slots)) }

// scanSlot reads a slot as far as it says which rank it is. Problems are left
// to the load, which meets them again.
func (r *slotReader) scanSlot(m *image, l *layout, slot uint32) SlotInfo {
	r.begin(m, l, slot)
	r.preload(l)
	for world := false; !world || r.rank.Spawns > 0; {
		rec, ok := r.cursor.next()
		if !ok {
			break
		}
		r.leaveTrail(rec.off)
		if rec.typ != format.RankRecord && rec.typ != format.CommRecord || r.takeRecord(rec) != nil {
			continue
		}
		world = world || len(r.comms.list) > 0 && r.comms.list[len(r.comms.list)-1].comm.Kind == model.World
	}
	for _, c := range r.comms.list {
		r.rank.Comms = append(r.rank.Comms, c.comm)
	}
	r.identifyRank()
	spawns := r.findSpawns()
	k := r.rank
	return SlotInfo{File: m.name, Slot: int(slot), Rank: k.Rank, Size: k.Size, Host: k.Host, Start: k.Start,
		Spawned: k.Spawned, Finished: k.Phase >= model.Finalized, Ended: k.End != model.NoEnd, Still: !k.QuietSince.IsZero(),
		Heartbeat: k.Heartbeat, Starter: k.Starter, World: k.World, ParentWorld: k.ParentWorld,
		ParentRank: k.ParentRank, Spawns: spawns}
}

// findSpawns lists the spawns of which this process was the root and whose communicators it still knows.
func (r *slotReader) findSpawns() (out []Spawn) {
	for i := range r.comms.list {
		c := &r.comms.list[i]
		if c.comm.Kind != model.Inter || r.rank.Spawns == 0 {
			continue
		}
		if _, ok := c.takeLive(r); !ok || c.comm.Spawned.IsZero() || memberCount(c.local, c.comm.Size) != nil {
			continue
		}
		out = append(out, Spawn{r.rank.World, r.rank.Rank, int64(unixNanos(c.comm.Spawned)), c.comm.ID, c.comm.RemoteSize,
			expandRanges(c.local, c.comm.Size)})
	}
	return out
}
