package mpi

import "slices"

// CollectiveOn returns what all members of must call a function: Comm, Win or File;
// 0 if it is no collective.
func (f *Function) CollectiveOn() Kind {
	if f == nil {
		return 0
	}
	switch c := f.Class; {
	case c.isOneOf(ClassColl, ClassIcoll, ClassNewcomm, ClassNewcommNb, ClassNewcommDynamic, ClassNewcommSpawn, ClassNewcommLeaders,
		ClassNewwin, ClassNewfile, ClassCommFree):
		return Comm
	case c.isOneOf(ClassWinColl, ClassWinFree):
		return Win
	case c.isOneOf(ClassFileColl, ClassFileIcoll, ClassFileFree):
		return File
	}
	return 0
}

// NeedsPartner reports whether a rank that waits in a call of a function waits for others to make a call like it: a collective, or
// one that also sends.
func (f *Function) NeedsPartner() bool {
	return f.CollectiveOn() != 0 || f != nil && f.Class.SendsMessage() && f.Class.ReceivesMessage()
}

// OnFile reports whether a function is called on a file of MPI-IO, or opens one.
func (f *Function) OnFile() bool { return f.hasParamKind(File) }

// OnWindow reports whether a function is called on a window, or makes one.
func (f *Function) OnWindow() bool { return f.hasParamKind(Win) }

func (f *Function) hasParamKind(k Kind) bool {
	return f != nil && slices.ContainsFunc(f.Params, func(p Param) bool { return p.Kind == k })
}

// IsLocal reports whether a call of a function returns whatever other ranks do, and moves no data of a file, as MPI_Wtime, MPI_Get_count
// and MPI_Comm_rank: a loop that waits for ever may make such calls as well.
func (f *Function) IsLocal() bool {
	return f.InClass(ClassLocal, ClassLight) && !f.HasTrait(Reads|Writes)
}

// SpawnsProcesses reports whether a function starts processes, and returns when they have called MPI_Init.
func (f *Function) SpawnsProcesses() bool {
	return f.InClass(ClassNewcommSpawn)
}

// AwaitsConnection reports whether a function connects processes, and returns when other ones, perhaps of another job, ask for that.
func (f *Function) AwaitsConnection() bool {
	return f.InClass(ClassNewcommDynamic)
}

// TellsOfMembers reports whether a function is a collective that gives members data of single other ones, rather than a sum over all.
func (f *Function) TellsOfMembers() bool {
	const single = SendsBlocks | SendsSum | SendsEach | OwnBlock | OwnOfBlocks | Neighbours | FromRoot
	return f.CollectiveOn() != 0 && f.HasTrait(single)
}

// HasOwnCounts reports whether a function is a collective in which members may give counts of their own, which nothing relates to those of
// the others but the matrix of all.
func (f *Function) HasOwnCounts() bool {
	return f != nil && f.Operation.CollectiveOn() == Comm && f.HasTrait(Sends) && !f.HasTrait(AlikeSent|AlikeReceived)
}

// MatchesByTag reports whether a function makes a communicator of those members that give it the same tag.
func (f *Function) MatchesByTag() bool { return f.InClass(ClassNewcommGroups, ClassNewcommLeaders) }

// HasPartitions reports whether a function makes a request for a message of several partitions.
func (f *Function) HasPartitions() bool { return f != nil && f.ParamIndex("partitions") >= 0 }
