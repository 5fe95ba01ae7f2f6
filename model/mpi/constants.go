// Code generated from model/mpi/constants.tbl by recorder/gen; DO NOT EDIT.

package mpi

// The constants of MPI by the numbers that a run directory has for them.
const (
	AnySource          = -1
	ProcNull           = -2
	Root               = -4
	AnyTag             = -1
	LockExclusive      = 1
	LockShared         = 2
	ThreadSingle       = 0
	ThreadFunneled     = 1
	ThreadSerialized   = 2
	ThreadMultiple     = 3
	ModeCreate         = 1
	ModeRdonly         = 2
	ModeWronly         = 4
	ModeRdwr           = 8
	ModeDeleteOnClose  = 16
	ModeUniqueOpen     = 32
	ModeExcl           = 64
	ModeAppend         = 128
	ModeSequential     = 256
	ModeNocheck        = 1
	ModeNoprecede      = 2
	ModeNoput          = 4
	ModeNostore        = 8
	ModeNosucceed      = 16
	OrderC             = 0
	OrderFortran       = 1
	DistributeBlock    = 0
	DistributeCyclic   = 1
	DistributeNone     = 2
	DistributeDfltDarg = -1
	Cart               = 1
	Graph              = 2
	DistGraph          = 3
	ErrBuffer          = 1
	ErrCount           = 2
	ErrType            = 3
	ErrTag             = 4
	ErrComm            = 5
	ErrRank            = 6
	ErrRequest         = 7
	ErrRoot            = 8
	ErrGroup           = 9
	ErrOp              = 10
	ErrTopology        = 11
	ErrDims            = 12
	ErrArg             = 13
	ErrUnknown         = 14
	ErrTruncate        = 15
	ErrOther           = 16
	ErrIntern          = 17
	ErrInStatus        = 18
	ErrPending         = 19
	Undefined          = -32766
	CombinerNamed      = 0
	LeastBsendOverhead = 88
	BufferAutomatic    = 4
	TagUb              = 0
)
