package model

import "hash/crc32"

// The layout of a node file, as recorder/format.h defines it and
// docs/format.md explains it. TestLayoutMatchesRecorder compares the two. The
// names are those of the C fields; offsets are in bytes from the start of the
// structure that the prefix names.
const (
	fileMagic   = 0x3144524147474c4c // "LLGGARD1"
	chunkMagic  = 0x4b43474c         // "LGCK"
	streamMagic = 0x4d53474c         // "LGSM"
	version     = 1

	pageSize       = 4096
	firstChunkSize = 16384
	chunkSize      = 65536
	maxFrames      = 64
	maxPending     = 128
	channelsPerRec = 64
	locksPerRec    = 64
	takenPerRec    = 32
	begunPerRec    = 32 // collectives of a history
	markLevels     = 10 // of its checkpoints
	markStep       = 16 // collectives between two of the lowest level
	maxNeighbours  = 4096
	maxArguments   = 4096

	// SlotCountAt is where in a node file a number of 32 bits counts its slots.
	SlotCountAt = fileNSlots

	// EndingsAt is where there is a number of 32 bits for each of the first MaxEndings
	// slots, in which the kernel notes that a thread of its process has ended.
	EndingsAt = fileEndings

	// MaxEndings bounds the slots that have such a number.
	MaxEndings = 512

	noModule = 0xffff
	noIndex  = 1<<32 - 1 // an index field that names nothing

	offsetBits = 48 // of a frame word; the module index is above them

	// MaxOffset is the largest Offset of a Frame.
	MaxOffset = 1<<offsetBits - 1
)

// struct lg_file.
const (
	fileVersion = 8
	filePage    = 12
	fileRunID   = 16
	fileCreated = 24
	fileHost    = 32
	fileHostLen = 64
	fileCRC     = 96
	fileEnd     = 104
	fileNSlots  = 112
	fileEndings = 120 // readers of what was recorded need nothing from here on
)

// struct lg_chunk.
const (
	chunkSizeAt = 4
	chunkSlot   = 8
	chunkSeq    = 12
	chunkCRC    = 16
	chunkUsed   = 24
	chunkHeader = 32
)

// struct lg_stream_chunk.
const (
	streamKindAt = 12
	streamThread = 14
	streamNumber = 16
	streamPacked = 20
	streamCRC    = 24
	streamCut    = 28
	streamBlock  = 32
	streamUsed   = 40
	streamHeader = 48

	blockSize = 262144 // most bytes of one block
	noThread  = 0xffff
)

// struct lg_rec.
const (
	recThread = 2
	recSize   = 4
	recFixed  = 8
	recCRC    = 12
	recHeader = 16
)

// recType is the type of a record, enum lg_type.
type recType uint16

const (
	recRank recType = iota + 1
	recThreadRec
	recModule
	recState
	recEdge
	recComm
	recChannels
	recNote
	recLocks
	recSite
	recSent
	recArguments
	recHistory
	recLibrary
	recTaken
	recRaised
)

// Types of records that no recorder writes: those of files written in one go,
// see Folder.
const (
	recRest recType = iota + 64
	recLike
	recTypes // one more than the last
)

var recNames = [recTypes]string{recRank: "RANK", recThreadRec: "THREAD", recModule: "MODULE", recState: "STATE",
	recEdge: "EDGE", recComm: "COMM", recChannels: "CHANNELS", recNote: "NOTE", recLocks: "LOCKS",
	recSite: "SITE", recSent: "SENT", recArguments: "ARGUMENTS", recHistory: "HISTORY", recLibrary: "LIBRARY",
	recTaken: "TAKEN", recRaised: "RAISED", recRest: "REST", recLike: "LIKE"}

// recTexts are the names with what they name. They are made once: a reader asks for one
// with every index that it follows, in case it leads nowhere.
var recTexts = func() (texts [recTypes]string) {
	for t, name := range recNames {
		if name != "" {
			texts[t] = name + " record"
		}
	}
	return texts
}()

// known tells whether this version knows the type.
func (t recType) known() bool { return t < recTypes && recNames[t] != "" }

// String returns the name that errors and dumps use.
func (t recType) String() string {
	if t.known() {
		return recTexts[t]
	}
	return "record"
}

// minSize says how many bytes the fixed and the mutable part of a record have
// at least. A later recorder may add fields behind those of either part.
var minSize = [recTypes]struct{ fixed, live uint32 }{
	recRank:      {rankFixed, rankPIDSpace},
	recThreadRec: {threadFixed, threadLive},
	recModule:    {moduleFixed, 0},
	recState:     {stateFixed, 8},
	recEdge:      {edgeFixed, 8},
	recComm:      {commFixed, commLive},
	recChannels:  {0, channelSize},
	recLocks:     {0, lockSize},
	recTaken:     {0, takeSize},
	recSite:      {stateFixed, trafficSize},
	recSent:      {sentFixed, sentLive},
	recArguments: {argumentsFixed, 0},
	recHistory:   {historyFixed, historyBegun},
	recRaised:    {raisedFixed, 0},
	recRest:      {restFixed, 0},
	recLike:      {likeFixed, 0},
}

// struct lg_rank: fixed part, then mutable part, each from its own start.
const (
	rankPID    = 0
	rankSlot   = 4
	rankStart  = 8
	rankFamily = 16
	rankExeLen = 20
	rankExe    = 24
	rankExeMax = 232
	rankFixed  = 256

	rankRank        = 0
	rankSize        = 4
	rankStatus      = 8
	rankEnd         = 12
	rankDetail      = 16
	rankThreadLevel = 20
	rankHeartbeat   = 24
	rankEndTime     = 32
	rankQuietSince  = 40
	rankLongest     = 48
	rankEvicted     = 56
	rankLost        = 64
	rankOff         = 72
	rankSpawned     = 76
	rankPIDSpace    = 80 // from here on not in older records
	rankLive        = 88
)

// struct lg_thread: fixed part, then the two blocks of the mutable part, each
// from its own start, which is its sequence number.
const (
	threadIndex = 0
	threadFirst = 4 // first_tid
	threadFixed = 8

	opCalls    = 8
	opProgress = 16
	opPolls    = 24
	opInMPI    = 32
	opState    = 36
	opKind     = 40
	opNPending = 44
	opNListed  = 48
	opTID      = 52
	opLight    = 56
	opPending  = 64
	opSize     = opPending + maxPending*pendingSize

	stackTime    = 8
	stackCalls   = 16
	stackWhy     = 24
	stackSame    = 28
	stackInMPI   = 32
	stackFlags   = 36
	stackSignal  = 40
	stackNFrames = 44
	stackFrames  = 48
	stackSize    = stackFrames + 8*maxFrames

	threadLive = opSize + stackSize
)

// A REST record, all of it fixed: the fixed part of THREAD, then its two blocks
// with the pending operations and the frames that are in use. A LIKE record,
// all of it fixed too: the slot it refers to, how many counts follow, and these.
const (
	restFixed = threadFixed + opPending + stackFrames

	likeSlot   = 0
	likeCounts = 4
	likeFixed  = 8
)

// struct lg_pending.
const (
	pendingKind  = 0
	pendingComm  = 4
	pendingPeer  = 8
	pendingTag   = 12
	pendingSeq   = 16
	pendingState = 24
	pendingSize  = 32
)

// struct lg_module, struct lg_state and struct lg_edge: fixed part, without the
// parts of varying length.
const (
	moduleIndex      = 0
	moduleBuildIDLen = 4
	modulePathLen    = 6
	moduleBase       = 8
	moduleSize       = 16
	moduleFixed      = 24

	stateIndex   = 0
	stateNFrames = 4
	stateNameLen = 6
	stateFlags   = 8
	stateBinding = 12
	stateFixed   = 16

	edgeFrom  = 0
	edgeTo    = 4
	edgeFixed = 8

	flagPartial = 1
)

// struct lg_comm: fixed part without the ranges and neighbours; struct
// lg_comm_live; struct lg_range.
const (
	commIndex      = 0
	commFlags      = 4
	commRank       = 8
	commSize       = 12
	commRemoteSize = 16
	commNRanges    = 20
	commNRemote    = 24
	commNSources   = 28
	commNDests     = 30
	commFixed      = 32

	commFreed  = 0
	commColl   = 8
	commID     = 16
	commParent = 24
	commThread = 32
	commState  = 36
	commLive   = 40

	rangeStart  = 0
	rangeStride = 4
	rangeCount  = 8
	rangeSize   = 12

	flagInter    = 1
	flagWorld    = 2
	flagSelf     = 4
	flagUnknown  = 8
	flagWindow   = 16
	flagFile     = 32
	flagForming  = 64
	flagTopology = 128

	captureIdle = 2 // of a captured stack; flagPartial is there too
)

// struct lg_channel.
const (
	channelComm     = 4
	channelPeer     = 8
	channelTag      = 12
	channelSent     = 16
	channelReceived = 24
	channelSize     = 32
)

// struct lg_take.
const (
	takeComm   = 4
	takePeer   = 8
	takeTag    = 12
	takeNumber = 16
	takeState  = 24
	takeThread = 28
	takeWild   = 30
	takeSize   = 32
)

// enum lg_wild: what a receive left open.
const (
	anySource = 1
	anyTag    = 2
)

// struct lg_lock.
const (
	lockComm   = 4
	lockTarget = 8
	lockType   = 12
	lockSize   = 16
)

// struct lg_raised without its frames and the name of the type.
const (
	raisedCalls   = 0
	raisedHow     = 8
	raisedNFrames = 12
	raisedTypeLen = 14
	raisedFlags   = 16
	raisedOrder   = 20
	raisedFixed   = 24
)

// struct lg_history, its mutable part from its own start; struct lg_mark; struct
// lg_begun.
const (
	historyComm  = 0
	historyFixed = 8

	historyMarked = 8
	historyMarks  = 16
	historyBegun  = historyMarks + 2*markLevels*markSize
	historyLive   = historyBegun + begunPerRec*begunSize

	markCalls = 0
	markSites = 8
	markSize  = 16

	begunNumber = 0
	begunOrder  = 4
	begunState  = 8
	begunThread = 12
	begunOp     = 14
	begunBytes  = 16
	begunRoot   = 24
	begunCalls  = 32
	begunSites  = 40
	begunSize   = 48

	opOwn = 255 // an operation of a reduction that the program made
)

// struct lg_site_rec has the fields of struct lg_state but for the binding;
// struct lg_sent and lg_arguments: fixed part; struct lg_traffic.
const (
	sentState = 0
	sentFixed = 8

	trafficCalls = 0
	trafficBytes = 8
	trafficSize  = 16
	sentDistance = 16
	sentLive     = 24

	argumentsBytes = 0
	argumentsFixed = 8
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// recordCRC is the checksum of a record: 12 bytes of its header, then the
// fixed part.
func recordCRC(header, fixed []byte) uint32 {
	return crc32.Update(crc32.Checksum(header[:recCRC], castagnoli), castagnoli, fixed)
}

// pad8 rounds up to a multiple of 8.
func pad8[T ~int | ~int64 | ~uint32 | ~uint64](n T) T { return (n + 7) &^ 7 }
