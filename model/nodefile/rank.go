package nodefile

import (
	"fmt"
	"math"
	"slices"
	"time"

	"laggard/model"
	"laggard/model/format"
	"laggard/model/mpi"
)

// families are the values of Rank.Family, by their numbers.
var families = [...]mpi.Family{
	format.FamilyUnknown: "", format.FamilyOpenmpi: mpi.OpenMPI, format.FamilyMpich: mpi.MPICH, format.FamilyStandard: mpi.Standard,
}

func (r *slotReader) takeRank(rec record) error {
	if r.ranked {
		return fmt.Errorf("%w: a second one in the slot", model.ErrCorrupt)
	}
	r.ranked = true
	le32, le64 := wordReaders(rec.fixed)
	rank := r.rank
	rank.PID = int(le32(format.RankPID))
	rank.Start = timeOf(le64(format.RankStart))
	rank.Exe = string(rec.fixed[format.RankExe:][:min(le32(format.RankExeLen), format.SizeofRankExe)])
	family := le32(format.RankFamily)
	if family < uint32(len(families)) {
		rank.Family = families[family]
	} else {
		r.probs.addErrorf(rec.typ.String(), rec.off, model.ErrUnknown, "MPI family %d", family)
	}
	if slot := le32(format.RankSlot); slot != r.slot {
		r.probs.addCorrupt(rec.typ.String(), rec.off, "it says slot %d", slot)
	}
	r.takeRankLive(rec)
	return nil
}

// takeRankLive reads the mutable fields, which change one by one.
func (r *slotReader) takeRankLive(rec record) {
	rank := r.rank
	i32 := func(at int64) int { return int(int32(r.img.u32(rec.live + at))) }
	clock := func(at int64) time.Time { return timeOf(r.img.u64(rec.live + at)) }
	rank.Rank = r.checkRange(rec, "rank", i32(format.RankRank), -1, model.MaxRank, -1)
	rank.Size = r.checkRange(rec, "size", i32(format.RankSize), -1, model.MaxRank, -1)
	rank.Phase = model.Phase(r.checkRange(rec, "status", i32(format.RankStatus), int(model.Starting), int(model.Finalized), 0))
	rank.End = model.End(r.checkRange(rec, "end", i32(format.RankEnd), int(model.NoEnd), int(model.Aborted), 0))
	rank.EndDetail = i32(format.RankDetail)
	rank.ThreadLevel = r.checkRange(rec, "thread level", i32(format.RankThreadLevel), -1, model.ThreadMultiple, -1)
	rank.Heartbeat = clock(format.RankHeartbeat)
	rank.EndTime = clock(format.RankEndTime)
	rank.QuietSince = clock(format.RankQuietSince)
	rank.LongestQuiet = time.Duration(min(r.img.u64(rec.live+format.RankLongestQuietNS), math.MaxInt64))
	rank.Evicted = r.img.u64(rec.live + format.RankEvicted)
	rank.LostRequests = r.img.u64(rec.live + format.RankLostRequests)
	rank.Off = i32(format.RankOff) != 0
	rank.Spawned = i32(format.RankSpawned) != 0
	if rec.hasField(format.RankPIDSpace) {
		rank.PIDSpace = r.img.u64(rec.live + format.RankPIDSpace)
	}
	r.takesBack = rec.hasField(format.RankEndedBy)
	if rec.hasField(format.RankOrphaned) {
		rank.Ended = r.takeEnded(rec)
	}
	if rec.hasField(format.RankProcessors) {
		rank.Processors = i32(format.RankProcessors)
	}
	if rec.hasField(format.RankSpawns) {
		rank.World, rank.ParentWorld = r.img.u64(rec.live+format.RankWorld), r.img.u64(rec.live+format.RankParentWorld)
		rank.ParentRank = r.checkRange(rec, "rank of the parent", i32(format.RankParentRank), -1, model.MaxRank, -1)
		rank.Spawns = r.img.u32(rec.live + format.RankSpawns)
	}
	if rec.hasField(format.RankStarter) {
		rank.Starter = r.img.u64(rec.live + format.RankStarter)
	}
	if rec.hasField(format.RankActiveHow) {
		rank.Activity = r.takeActivity(rec)
	}
	if rec.hasField(format.RankBadLimit) {
		rank.Bad = r.takeBadArgument(rec)
	}
}

// takeBadArgument reads what is wrong with an argument of the call that ended the process.
func (r *slotReader) takeBadArgument(rec record) model.BadArgument {
	i32 := func(at int64) int { return int(int32(r.img.u32(rec.live + at))) }
	how := r.checkRange(rec, "flaw of an argument", i32(format.RankBad), int(model.BadNot), int(model.BadOverwritten), 0)
	return model.BadArgument{
		How:      model.BadHow(how),
		Position: r.checkRange(rec, "position of an argument", i32(format.RankBadPosition), 0, math.MaxInt8, 0),
		Element:  r.checkRange(rec, "element of an argument", i32(format.RankBadElement), -1, model.MaxRank, -1),
		Value:    int64(r.img.u64(rec.live + format.RankBadValue)), Limit: int64(r.img.u64(rec.live + format.RankBadLimit)),
	}
}

// identifyRank settles which rank this is. The RANK record says it in words that no
// checksum covers, because they are filled in late; the record of
// MPI_COMM_WORLD says it under a checksum.
func (r *slotReader) identifyRank() {
	for _, c := range r.rank.Comms {
		if c.Kind != model.World || c.Rank < 0 {
			continue
		}
		if r.rank.Rank >= 0 && r.rank.Phase != model.Starting && (r.rank.Rank != c.Rank || r.rank.Size != c.Size) {
			r.probs.addCorrupt(format.RankRecord.String(), -1, "rank %d of %d, but MPI_COMM_WORLD has it as %d of %d",
				r.rank.Rank, r.rank.Size, c.Rank, c.Size)
		}
		r.rank.Rank, r.rank.Size = c.Rank, c.Size
		return
	}
	if r.rank.Size >= 0 && r.rank.Rank >= r.rank.Size {
		r.probs.addCorrupt(format.RankRecord.String(), -1, "rank %d of %d", r.rank.Rank, r.rank.Size)
		r.rank.Rank = -1
	}
}

// writeRankRecord writes the RANK record.
func (w *slotWriter) writeRankRecord(r *model.Rank) {
	family := slices.Index(families[:], r.Family)
	if family < 0 {
		w.setError("family %q", r.Family)
	}
	w.checkRange("length of the path of the program", len(r.Exe), 0, format.SizeofRankExe)
	if w.err != nil {
		return
	}
	fixed := make(part, format.SizeofRankFixed)
	fixed.i32(format.RankPID, r.PID)
	fixed.u32(format.RankSlot, w.slot)
	fixed.putTime(format.RankStart, r.Start)
	fixed.i32(format.RankFamily, family)
	fixed.i32(format.RankExeLen, len(r.Exe))
	copy(fixed[format.RankExe:], r.Exe)
	w.writeRecord(format.RankRecord, 0, fixed, rankLive(r))
}

func rankLive(r *model.Rank) part {
	live := make(part, format.SizeofRankLive)
	live.i32(format.RankRank, r.Rank)
	live.i32(format.RankSize, r.Size)
	live.u32(format.RankStatus, uint32(r.Phase))
	live.u32(format.RankEnd, uint32(r.End))
	live.i32(format.RankDetail, r.EndDetail)
	live.i32(format.RankThreadLevel, r.ThreadLevel)
	live.putTime(format.RankHeartbeat, r.Heartbeat)
	live.putTime(format.RankEndTime, r.EndTime)
	live.putTime(format.RankQuietSince, r.QuietSince)
	live.u64(format.RankLongestQuietNS, uint64(r.LongestQuiet))
	live.u64(format.RankEvicted, r.Evicted)
	live.u64(format.RankLostRequests, r.LostRequests)
	live.putFlag(format.RankOff, r.Off)
	live.putFlag(format.RankSpawned, r.Spawned)
	live.u64(format.RankPIDSpace, r.PIDSpace)
	live.putEnded(r.Ended)
	live.putActivity(r.Activity)
	live.i32(format.RankProcessors, r.Processors)
	live.u64(format.RankWorld, r.World)
	live.u64(format.RankParentWorld, r.ParentWorld)
	live.i32(format.RankParentRank, r.ParentRank)
	live.u32(format.RankSpawns, r.Spawns)
	live.u64(format.RankStarter, r.Starter)
	live.u32(format.RankBad, uint32(r.Bad.How))
	live.i32(format.RankBadPosition, r.Bad.Position)
	live.i32(format.RankBadElement, r.Bad.Element)
	live.u64(format.RankBadValue, uint64(r.Bad.Value))
	live.u64(format.RankBadLimit, uint64(r.Bad.Limit))
	return live
}
