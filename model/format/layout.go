// Code generated from model/format/format.tbl by recorder/gen; DO NOT EDIT.

package format

// Constants of the format.
const (
	Magic          = 0x3144524147474c4c // begins a file: the bytes "LLGGARD1"
	MagicChunk     = 0x4b43474c         // begins a chunk of records: the bytes "LGCK"
	MagicStream    = 0x4d53474c         // begins a chunk of a stream: the bytes "LGSM"
	Version        = 1                  // of the format
	PageSize       = 4096               // chunks start and end on multiples of this
	FirstChunkSize = 16384              // of a slot's first chunk
	NextChunkSize  = 65536              // of the later ones, unless one record needs more
	BlockSize      = 262144             // bytes of events in one block of a stream, at most
	Endings        = 512                // slots whose end the kernel notes in the file header
	MaxFrames      = 64                 // innermost frames kept of a stack
	MaxPending     = 128                // pending operations listed in a THREAD record
	Channels       = 64                 // entries that a recorder makes in a CHANNELS record
	Taken          = 32                 // entries that a recorder makes in a TAKEN record
	Locks          = 64                 // entries that a recorder makes in a LOCKS record
	Probed         = 32                 // entries that a recorder makes in a PROBED record
	Wildcards      = 64                 // entries that a recorder makes in a WILDCARDS record
	Origins        = 64                 // entries that a recorder makes in an ORIGINS record
	Persistents    = 64                 // entries that a recorder makes in a PERSISTENTS record
	Begun          = 32                 // latest collectives that a recorder keeps in a HISTORY record
	MarkLevels     = 10                 // levels of checkpoints in a HISTORY record
	MarkStep       = 16                 // collectives between two checkpoints of the lowest level
	Intervals      = 60                 // entries that a recorder makes in a SERIES record
	MaxNeighbours  = 4096               // listed of one communicator, each way
	MaxArguments   = 4096               // bytes kept of the program's arguments
	MaxRaised      = 16                 // frames kept of those that an exception of Python came through
	MaxRaisedType  = 64                 // bytes kept of the name of its type, one zero byte included
	MaxRaisedText  = 200                // bytes kept of what it says, one zero byte included
	MaxThrown      = 64                 // exceptions of a process that are recorded where they are thrown: of C++, and likewise of threads that never called MPI
	MaxCommand     = 16                 // bytes kept of the name of a process, one zero byte included
	MaxLocked      = 256                // bytes kept of the name of a file with a lock, the last ones, one zero byte included
	MaxErrorText   = 1024               // bytes kept of the text of an error
	MaxSignal      = 64                 // largest number of a signal on Linux
	NoIndex        = 0xffffffff         // an index that names nothing
	NoThread       = 0xffff             // the thread of a stream or an exception: one that never called MPI
	NoModule       = 0xffff             // the module of a frame word: none, the rest is the address itself
	OffsetBits     = 48                 // low bits of a frame word that hold the offset, below the module index
	PythonID       = "python"           // begins the build-id of a MODULE record that is a function in Python
	None           = -32000             // no peer, no tag
	Any            = -32001             // MPI_ANY_SOURCE, MPI_ANY_TAG
	ProcNull       = -32002             // MPI_PROC_NULL
	TagPost        = -32003             // tag of the message that MPI_Win_post sends to each member of its group
	TagComplete    = -32004             // tag of the message that MPI_Win_complete sends to each member of its group
	OpOwn          = 255                // the operation of a reduction: one that the program made
	UseNull        = -1                 // the null handle
	UseInvalid     = -2                 // no handle that MPI knows
	UseBottom      = -3                 // MPI_BOTTOM
	UseInPlace     = -4                 // MPI_IN_PLACE
	UseRoot        = -32005             // MPI_ROOT
	UseNoStatus    = -32006             // the source of a status that is not known
	MoveOrder      = 0x40               // with the kind of an event: u follows, how many events of other threads of the process came since the event before
	MoveTime       = 0x80               // with the kind of an event: s follows, the microseconds since the event before
)

// stream_kind: what the events of a stream are about
const (
	StreamUsage    = 1 // MPI calls with their arguments, see usage.md
	StreamMovement = 2 // data movements, see movement.md
)

// mpi_family: the ABI of the MPI library
const (
	FamilyUnknown  = 0
	FamilyOpenmpi  = 1 // Open MPI's own
	FamilyMpich    = 2 // that of MPICH
	FamilyStandard = 3 // the standard one of MPI-5
)

// status: where the process is in its life
const (
	Starting   = 1 // in MPI_Init, with the rank from the launcher's environment
	Running    = 2
	Finalizing = 3 // in MPI_Finalize
	Finalized  = 4 // MPI_Finalize returned; the process may live on
)

// end: how the process ended, as far as it could still say
const (
	Alive     = 0 // nothing was said: alive, or ended by SIGKILL
	Exited    = 1
	Signalled = 2 // a fatal signal arrived
	Aborted   = 3 // MPI_Abort was called
)

// sender: who sent a signal
const (
	SenderNone   = 0 // there was no signal
	SenderKernel = 1 // the kernel: a fault, a limit, a terminal
	SenderSelf   = 2 // the process itself
	SenderParent = 3 // the process that started this one, as a rule a launcher's
	SenderAbove  = 4 // a process that started that one, up to laggard or the leader of a session
	SenderOther  = 5 // another process; with pid 0 one outside the container
	SenderChild  = 6 // a process that this one started, or one that such a process did
)

// ender: whose thread exited, or took the signal that ended the process
const (
	EnderUnknown = 0
	EnderProgram = 1 // the program's
	EnderLibrary = 2 // one that the MPI library made for itself
	EnderExec    = 3 // the program's, which did not exit but became another program (exec)
)

// activity: what shows that a call that lasts is at work
const (
	ActiveNot    = 0 // nothing
	ActiveBytes  = 1 // threads in MPI calls read or wrote 16 KB within 5 s, through system calls
	ActiveFile   = 2 // any thread is in a system call on a file or waits for a disk, for at most 300 s in one call
	ActiveMemory = 3 // threads in MPI calls touched 256 new pages within 5 s
	ActiveCopy   = 4 // a register of such a thread advances through memory, a system call has just moved 16 KB, or it is busy in the kernel
)

// bad: what is wrong with an argument
const (
	BadNot         = 0 // nothing that is known
	BadNegative    = 1 // value is below zero; limit as for BAD_LARGE
	BadLarge       = 2 // value is too large: of a tag limit is MPI_TAG_UB, of a rank the size of the communicator
	BadShort       = 3 // the buffer that a message went into has room for limit bytes; value is how many it has, all ones unknown
	BadOverflow    = 4 // value is a displacement below zero; limit is the sum of the displacement and the count before it, which no int holds
	BadNull        = 5 // a handle is null
	BadFreed       = 6 // a handle was freed; limit is the state of the thread in which it was, all ones unknown
	BadNoHandle    = 7 // a handle is none that the process made; or, of a request, none that is pending
	BadOverwritten = 8 // value is below zero, and the call may have overwritten it: it is behind a buffer that the call writes
)

// memory: what memory is at an address
const (
	MemoryUnknown = 0
	MemoryNull    = 1 // the address is 0
	MemoryNone    = 2 // none that can be read
	MemoryMapping = 3 // room is up to the end of what is mapped
	MemoryBlock   = 4 // a block of malloc, by what glibc notes beside it; room is up to its end
	MemoryFreed   = 5 // likewise a block that is not in use
	MemoryStack   = 6 // the stack of the thread; room is up to its end
	MemoryGone    = 7 // that stack, below the frame of the function that called MPI: of a function that has returned
)

// buffer_flag: bits
const (
	BufferWritten  = 1 // the call writes the buffer
	BufferReadOnly = 2 // the memory cannot be written
	BufferUnsure   = 4 // low and high follow from arguments in memory that the call may have overwritten
)

// kind: what a blocked or pending operation is
const (
	OpLocal    = 0  // waits for nobody
	OpSend     = 1  // peer and tag: the destination
	OpRecv     = 2  // peer and tag: the source, perhaps wildcards
	OpProbe    = 3  // as OP_RECV
	OpColl     = 4  // seq: number of the collective on comm; peer: root or NONE
	OpWait     = 5  // for all pending operations
	OpWaitany  = 6  // for any pending operation
	OpPoll     = 7  // a test or probe that does not block, for any pending operation
	OpInit     = 8  // MPI_Init
	OpFinalize = 9  // MPI_Finalize
	OpRMA      = 10 // one-sided, the target takes no part; peer: target or NONE for all members; tag: type of the lock that it is under or asks for, or NONE
	OpOther    = 11 // may block, for reasons that the recorder does not follow
	OpAbort    = 12 // MPI_Abort
)

// lock_type: of a lock of a window
const (
	LockExclusive = 1
	LockShared    = 2
	LockEither    = 3 // one of these, in a record that was made from outside
)

// why: why a stack was taken
const (
	WhyQuiet = 1 // no progress
	WhyAsked = 2 // asked for by a signal
	WhyFatal = 3 // a fatal signal arrived
	WhyError = 4 // MPI wrote to stderr, or ends the process, within a call
	WhyExit  = 5 // the program ends the process, outside a call or in a handler or another callback within one
)

// stack_flag: bits
const (
	StackPartial     = 1 // the unwinding ended before the outermost frame
	StackIdle        = 2 // in a system call that yields, sleeps, polls or waits for another process: to be found there again shows nothing
	StackOther       = 4 // of a thread that never called MPI, and took the fatal signal; it stands in the record of the thread with the most progress
	StackInterpreter = 8 // of a call of the C library: an interpreter's own code made it, of which no frame need be recorded
)

// awaited: what a thread outside MPI waited for when its stack was taken
const (
	AwaitedNone        = 0 // no other thread, or it is not known
	AwaitedOwner       = 1 // the owner of a mutex
	AwaitedGone        = 2 // the owner of a mutex, a thread that has ended
	AwaitedEnd         = 3 // the end of a thread that it joins
	AwaitedFileLock    = 4 // the lock of a file, which FILELOCK names; awaited_tid is the process that has it, 0 unknown
	AwaitedInterpreter = 5 // the thread that has the lock of the Python interpreter (GIL)
	AwaitedProcess     = 6 // the owner of a mutex that processes share, in another process; awaited_tid is that process
)

// comm_flag: bits
const (
	CommInter    = 1   // intercommunicator
	CommWorld    = 2   // MPI_COMM_WORLD
	CommSelf     = 4   // MPI_COMM_SELF
	CommUnknown  = 8   // members unknown
	CommWindow   = 16  // no communicator but a window over the members of parent
	CommFile     = 32  // likewise a file
	CommForming  = 64  // likewise a communicator that these members alone are making
	CommTopology = 128 // with a topology, whose neighbours are listed
	CommToParent = 256 // an intercommunicator whose remote group has spawned this process
)

// persistent_flag: bits
const (
	PersistentSends       = 1 // the requests are for sends; else for receives
	PersistentPartitioned = 2 // they are partitioned
)

// wild: bits: what a receive left open
const (
	AnySource = 1 // the source
	AnyTag    = 2 // the tag
)

// raised_how: how a thread has to do with an exception
const (
	RaisedNone    = 0 // there is none any more
	RaisedSet     = 1 // it is on its way, and C code is at work
	RaisedHandled = 2 // code is at work that handles it, or through which it is on its way (except, finally, with)
	RaisedLast    = 3 // nothing caught it, and it was printed (sys.last_value); no other has been raised since
	RaisedThrown  = 4 // one of C++, which may have been caught since
	RaisedFatal   = 5 // no exception: an error of a run-time library, or a statement such as STOP, which ends the process
	RaisedThread  = 6 // one of Python that nothing caught in a thread, which it ended
	RaisedFuture  = 7 // one of Python that a thread put into a future (concurrent.futures)
)

// raised_flag: bits
const (
	RaisedCut   = 1 // before the last frame, which is the outermost, some are left out
	RaisedHabit = 2 // of C++: the thread had thrown one of that type from a function at the same place on the stack at least twice before
)

// use: An event begins with u = kind + 8 × value.
const (
	UseBlock  = 0 // value: 2 × version (1) + numbered. u clock, u state of the call in progress plus one. The first event of every block; also when numbered changes
	UseBegin  = 1 // value: state of the call. body, number
	UseEnd    = 2 // body, number. The call that was begun last has returned
	UseEmpty  = 3 // number. The call was a poll that found nothing: its flag, or its outcount, is 0
	UseFailed = 4 // value: error code, as s. u 1 and a body (MPI_ERR_IN_STATUS), or u 0; number
	UseAgain  = 5 // 8 bytes, little-endian, mutable: how often the poll before was repeated unsuccessfully with the same arguments
	UseDefine = 6 // value: what is defined, see below
	UsePart   = 7 // value: 8 × values + width. s each value, less the one width before it: a piece of an array of the next event that has more than 512 values
)

// use_define: What a USE_DEFINE event defines.
const (
	DefType   = 1 // a datatype. u number, u combiner (as in OpenMPI, 0 NAMED; 19 VALUE_INDEX), u length and bytes of the name, s size, lb, extent, true lb, true extent, then integers, addresses and datatypes as arrays, in the form of MPI_Type_get_contents of types without large counts
	DefComm   = 2 // a communicator, window or file. u number, u index of its COMM record, u id, u parent, u thread, u state plus one. The record may serve another one later
	DefName   = 3 // a predefined handle. u kind of parameter, s value, u length and bytes of the name
	DefNote   = 4 // a note. u 1 (a buffer changed while it was sent) or 2 (the program wrote to a buffer that was being received into) or 3 (a null pointer for what the call returns) or 4 (the program touched a buffer that MPI used, as ThreadSanitizer saw), u number of the begin of that operation, u of the call it was seen at (for 4: before it), s elements, or for 3 the parameter, for 4 the address of the code × 4 + 2 if it is received there + 1 if the program wrote
	DefWithin = 5 // nothing follows. The call that begins next is made by a callback of the program, within the call in progress, which goes on when it has ended
)

// move: An event begins with a byte: its kind, with MOVE_ORDER and MOVE_TIME added if these follow.
const (
	MoveAlloc  = 1 // a buffer was allocated: site u, to, bytes u
	MoveFree   = 2 // it is gone: to
	MoveResize = 3 // it has another size, in place: to, bytes u
	MoveCopy   = 4 // bytes were copied: site u, from, to, bytes u
	MoveEnd    = 5 // an end of a connection, in a block before the first event that names it: number u, kind (a byte, see below), length (a byte), the own end, the other end, each so many bytes: address and port, or the process number
	MoveOut    = 6 // bytes went into a connection: site u, connection u, offset u of the first byte among all that went that way, from, bytes u
	MoveIn     = 7 // bytes came out of it: the same with to
	MoveSend   = 8 // an MPI message was begun: thread u, state u of the call, comm u, peer s, tag s, seq u (its number on the channel, from 1; 0 unknown), from, bytes u
	MoveRecv   = 9 // one is complete: the same with to
)

// end_kind: What a connection is.
const (
	EndOther   = 0 // cannot be told from others
	EndStream  = 1 // a byte stream; the names are address and port, or the path
	EndLocal   = 2 // the same, within one host
	EndProcess = 3 // the memory of another process, named by its number; the offset is the address there
)

// The file header. Bytes up to crc are fixed once magic is written.
const (
	FileMagic      = 0  // MAGIC; written last
	FileVersion    = 8  // VERSION
	FilePage       = 12 // PAGE_SIZE
	FileRunID      = 16 // the same in all files of a run, and in the manifest
	FileCreated    = 24
	FileHost       = 32 // name of the node, ended by a zero byte
	SizeofFileHost = 64
	FileCRC        = 96  // CRC of bytes 8 to 95
	FileEnd        = 104 // mutable: first byte behind the last reserved chunk
	FileNslots     = 112 // mutable: slots handed out; slots are 0, 1, 2 …
	FileEndings    = 120 // mutable, one for each of the first ENDINGS slots: 0, or a futex on the robust list (set_robust_list(2)) of the recorder's thread: the thread's number and bit 31. The kernel sets bit 30 (FUTEX_OWNER_DIED) when that thread ends, with its process or by itself
	SizeofFile     = 2168
)

// The header of a chunk of records.
const (
	ChunkMagic  = 0 // MAGIC_CHUNK; written last
	ChunkSize   = 4 // of the chunk with this header, a multiple of PAGE_SIZE
	ChunkSlot   = 8
	ChunkSeq    = 12 // 0, 1, 2 … within the slot
	ChunkCRC    = 16 // CRC of bytes 0 to 15, with the magic in place
	ChunkUsed   = 24 // mutable: bytes behind this header that hold committed records, a multiple of 8
	SizeofChunk = 32
)

// The header of a chunk with one block of a stream.
const (
	StreamChunkMagic  = 0 // MAGIC_STREAM; written last
	StreamChunkSize   = 4 // of the chunk with this header, a multiple of PAGE_SIZE
	StreamChunkSlot   = 8
	StreamChunkKind   = 12 // of the events
	StreamChunkThread = 14 // index of the thread record, or NO_THREAD
	StreamChunkNumber = 16 // tells apart the streams of a slot
	StreamChunkPacked = 20 // bytes of the block when packed by zstd; 0: it is as it was written
	StreamChunkCRC    = 24 // CRC of bytes 0 to 23
	StreamChunkCut    = 28 // mutable: 1, the stream ended here because room ran out (LAGGARD_STREAM_MB)
	StreamChunkBlock  = 32 // number of the block: 0, 1, 2 … in the stream; mutable in a live chunk
	StreamChunkUsed   = 40 // mutable: bytes behind this header that hold the block
	SizeofStreamChunk = 48
)

// The header of a record, which is padded to a multiple of 8 bytes.
const (
	RecType   = 0  // number of the type of record
	RecThread = 2  // index of the thread it belongs to; 0 where it does not matter
	RecSize   = 4  // of the record with this header, a multiple of 8
	RecFixed  = 8  // size of the fixed part behind this header
	RecCRC    = 12 // CRC of bytes 0 to 11, then of the fixed part
	SizeofRec = 16
)

// A signal, and who sent it.
const (
	SignalSignal = 0 // number; 0: there was none
	SignalSender = 4
	SignalCode   = 8  // si_code
	SignalPID    = 12 // si_pid; 0 unknown, or a process outside the container
	SignalTime   = 16
	SizeofSignal = 24
)

// RANK: The process: the first record of a slot. Each mutable field is a word of its own.
const (
	RankPID            = 0
	RankSlot           = 4 // as in the chunk
	RankStart          = 8 // first MPI call
	RankFamily         = 16
	RankExeLen         = 20 // bytes of exe in use
	RankExe            = 24 // path of the program, cut if longer
	SizeofRankExe      = 232
	SizeofRankFixed    = 256
	RankRank           = 0 // in MPI_COMM_WORLD; -1 unknown
	RankSize           = 4 // of MPI_COMM_WORLD; -1 unknown
	RankStatus         = 8
	RankEnd            = 12
	RankDetail         = 16  // exit status, signal number or error code; -1 unknown
	RankThreadLevel    = 20  // 0 single … 3 multiple; -1 unknown
	RankHeartbeat      = 24  // about once a second, by the watch thread
	RankEndTime        = 32  // when end was set
	RankQuietSince     = 40  // no progress since then; 0 while it progresses
	RankLongestQuietNS = 48  // longest such time that ended by itself, nanoseconds
	RankEvicted        = 56  // channels dropped, or locks, probed messages or receives with a wildcard left out, because the table was full
	RankLostRequests   = 64  // requests not followed because the table was full
	RankOff            = 72  // 1: the recorder turned itself off; a note says why
	RankSpawned        = 76  // 1: started by MPI_Comm_spawn
	RankPIDSpace       = 80  // inode of the pid namespace in which pid counts (/proc/self/ns/pid), that of a container for instance; 0 unknown
	RankAsked          = 88  // the first signal of another process, a terminal or a limit that asks a process to end; a later one replaces SIGUSR1 and SIGUSR2, which may mean anything
	RankFatal          = 112 // the signal that detail names
	RankEnder          = 136
	RankOrphaned       = 140 // 1: the process that had started this one was gone when it ended
	RankActive         = 144 // when the rank was last seen active inside an MPI call, since quiet_since
	RankCallRead       = 152 // bytes that threads inside MPI calls read since quiet_since, through system calls
	RankCallWritten    = 160 // bytes that they wrote
	RankActiveHow      = 168
	RankProcessors     = 176 // on which the process could run when it started; 0 unknown
	RankWorld          = 184 // a hash of the launcher's name for the MPI_COMM_WORLD of the process, the same on all nodes; 0 unknown
	RankParentWorld    = 192 // the same of the world whose process spawned this one; 0 unknown, or none did
	RankParentRank     = 200 // the rank of that process there, the root of MPI_Comm_spawn; -1 unknown
	RankSpawns         = 204 // how often the process was such a root
	RankBad            = 208 // what is wrong with an argument of the call within which the process faults, or over which MPI ends the job
	RankBadPosition    = 212 // of the argument in the prototype in C, from 0
	RankBadElement     = 216 // of an array, from 0; -1: it is none
	RankBadValue       = 224 // a number below zero in two's complement
	RankBadLimit       = 232 // none where it has none, or it is unknown
	RankEndedBy        = 240 // name of the process that sent asked or fatal, the first whose sender is SENDER_PARENT or SENDER_ABOVE; empty: none is
	SizeofRankEndedBy  = 16
	RankStarter        = 256 // a hash of the process of the launcher that started the ranks of the job on this node, for launchers that give jobs no names; 0 unknown
	SizeofRankLive     = 264
)

// An operation that a thread waits for.
const (
	PendingKind   = 0  // OP_SEND, OP_RECV, OP_PROBE, OP_COLL, OP_RMA or OP_OTHER
	PendingComm   = 4  // index of the communicator
	PendingPeer   = 8  // rank in the communicator (in the remote group of an intercommunicator), or NONE, ANY, PROC_NULL
	PendingTag    = 12 // or NONE, ANY, TAG_POST, TAG_COMPLETE
	PendingSeq    = 16 // send, receive: its number on its channel, from 1; collective: its number on the communicator; 0 unknown
	PendingState  = 24 // state of the call that started it; none: it was another thread's
	SizeofPending = 32
)

// The last captured stack of a thread.
const (
	CaptureSeq     = 0  // sequence number of this block
	CaptureTime    = 8  // when the stack was taken; 0: there is none
	CaptureCalls   = 16 // calls of the thread at that moment
	CaptureWhy     = 24
	CaptureSame    = 28 // captures in a row that showed this stack; one before which the thread did not get to run, though it would have, is not counted
	CaptureInMPI   = 32 // that of the thread at that moment
	CaptureFlags   = 36
	CaptureSignal  = 40 // its number, for WHY_FATAL; for WHY_EXIT of the handler that ends the process, 0 none
	CaptureNframes = 44
	CaptureFrames  = 48 // frame words, innermost first
	SizeofCapture  = 560
)

// THREAD: What a thread that calls MPI does. The live part is two blocks, each with a sequence number: down to pending, and stack.
const (
	ThreadIndex       = 0 // as thread in the header
	ThreadFirstTID    = 4 // the system's number of the thread that had the index first
	SizeofThreadFixed = 8
	ThreadSeq         = 0  // sequence number of the block down to pending
	ThreadCalls       = 8  // MPI calls that are states, begun
	ThreadProgress    = 16 // of these, communicating ones that were no empty poll
	ThreadPolls       = 24 // empty polls
	ThreadInMPI       = 32 // 1 inside the call, 0 in the computation behind it
	ThreadState       = 36 // index of the current or last state
	ThreadKind        = 40
	ThreadNpending    = 44 // operations it waits for
	ThreadNlisted     = 48 // of these, listed in pending
	ThreadTID         = 52 // the system's number of the thread that has the index now; 0: first_tid; -1: that thread has ended
	ThreadLight       = 56 // MPI calls that are no states, such as MPI_Wtime
	ThreadPending     = 64 // the first nlisted are in use
	ThreadStack       = 4160
	ThreadAwaited     = 4720 // what the thread waited for when that stack was taken; in the block of the stack
	ThreadAwaitedTID  = 4724 // the system's number of the thread that it waited for, or of the process
	SizeofThreadLive  = 4728
)

// MODULE: A mapped program or library, or a function in Python.
const (
	ModuleIndex       = 0
	ModuleBuildIDLen  = 4
	ModulePathLen     = 6
	ModuleBase        = 8  // added to a file address gives the address in the process
	ModuleSize        = 16 // of the mapped image
	SizeofModuleFixed = 24
)

// STATE: A communication state of a thread.
const (
	StateIndex       = 0 // within the thread: 0, 1, 2 … in order of the first visit
	StateNframes     = 4 // at most MAX_FRAMES
	StateNameLen     = 6
	StateFlags       = 8  // 1: the unwinding ended before the outermost frame
	StateBinding     = 12 // 0 C, 1 mpif.h or use mpi, 2 use mpi_f08
	SizeofStateFixed = 16
	StateVisits      = 0
	StateComputing   = 8  // samples (see SERIES) of the thread in the computation behind the call
	StateWaiting     = 12 // samples inside the call, or between empty polls
	StateUnfreed     = 16 // requests that calls of this state began or made and that are neither complete nor freed, or datatypes that they made and that are not freed
	StateRounds      = 20 // of datatypes and persistent requests: how often such a call came after communication while some of earlier ones were left, plus one
	SizeofStateLive  = 24
)

// EDGE: A passage between two states of a thread.
const (
	EdgeFrom        = 0 // index of a state
	EdgeTo          = 4 // index of a state
	SizeofEdgeFixed = 8
	EdgeCount       = 0
	SizeofEdgeLive  = 8
)

// World ranks start, start + stride, …; start -1 with stride 0: processes outside MPI_COMM_WORLD.
const (
	RangeStart  = 0
	RangeStride = 4
	RangeCount  = 8
	SizeofRange = 12
)

// COMM: A communicator, a window or a file.
const (
	CommIndex       = 0
	CommFlags       = 4
	CommRank        = 8  // own rank in it
	CommSize        = 12 // of the local group
	CommRemoteSize  = 16 // of the remote group, else 0
	CommNranges     = 20 // ranges of the local group
	CommNremote     = 24 // ranges of the remote group
	CommNsources    = 28 // neighbours that it receives from, at most MAX_NEIGHBOURS; 0 without a topology
	CommNdests      = 30 // neighbours that it sends to, likewise
	SizeofCommFixed = 32
	CommFreed       = 0  // 1 after it was freed, and while the other fields change
	CommColl        = 8  // collective operations begun on it
	CommID          = 16 // the same at all members
	CommParent      = 24 // id of what it was made from; 0 none
	CommByThread    = 32 // index of the thread that made it, and
	CommState       = 36 // the state of the call that made it
	CommSpawned     = 40 // when MPI_Comm_spawn had started the remote group, of which this process was the root; else 0
	CommPlace       = 48 // which of the communicators of parent with these members it is, from 0
	SizeofCommLive  = 56
)

// A call, as the members of a communicator must make it alike.
const (
	ToldState  = 0  // of the thread; of a persistent collective the call that made it
	ToldThread = 4  // index of the thread
	ToldOp     = 6  // of a reduction: 1 MPI_MAX, 2 MIN, 3 SUM, 4 PROD, 5 LAND, 6 BAND, 7 LOR, 8 BOR, 9 LXOR, 10 BXOR, 11 MINLOC, 12 MAXLOC, 13 REPLACE, 14 NO_OP, or OP_OWN; else 0
	ToldBytes  = 8  // of one block, which all members must give alike; none where they may differ (counts for each member, neighbours, intercommunicators)
	ToldRoot   = 16 // rank in the communicator, or NONE: there is none, or an intercommunicator
	SizeofTold = 24
)

// A collective that was begun. The hashes are of all that were begun so far, this one included.
const (
	BegunNumber = 0  // on the communicator, from 1, its low 32 bits; 0 not in use, or changing
	BegunOrder  = 4  // among all collectives of the process, from 1, its low 32 bits
	BegunState  = 8  // of the thread; of a persistent collective the call that made it
	BegunThread = 12 // index of the thread
	BegunOp     = 14 // of a reduction: 1 MPI_MAX, 2 MIN, 3 SUM, 4 PROD, 5 LAND, 6 BAND, 7 LOR, 8 BOR, 9 LXOR, 10 BXOR, 11 MINLOC, 12 MAXLOC, 13 REPLACE, 14 NO_OP, or OP_OWN; else 0
	BegunBytes  = 16 // of one block, which all members must give alike; none where they may differ (counts for each member, neighbours, intercommunicators)
	BegunRoot   = 24 // rank in the communicator, or NONE: there is none, or an intercommunicator
	BegunCalls  = 32 // hash of function, root, operation and bytes
	BegunSites  = 40 // hash of the call stacks
	SizeofBegun = 48
)

// A checkpoint: the hashes after that many collectives.
const (
	MarkCalls  = 0
	MarkSites  = 8
	SizeofMark = 16
)

// HISTORY: What collectives were begun on a communicator, window or file.
const (
	HistoryComm        = 0 // index of the COMM record
	SizeofHistoryFixed = 8
	HistorySeq         = 0   // sequence number; odd while marked and the checkpoints change
	HistoryMarked      = 8   // collectives before the last checkpoint
	HistoryMarks       = 16  // level k has a checkpoint every MARK_STEP · 4^k collectives and keeps the last two: the n-th of a level is at n mod 2
	HistoryBegun       = 336 // the latest collectives: number n is at (n - 1) mod BEGUN
	SizeofHistoryLive  = 1872
)

// Messages between this rank and a peer on a communicator and tag. The two counts change by themselves.
const (
	ChannelSeq      = 0 // sequence number; odd while the entry is given to another channel
	ChannelComm     = 4 // index of the communicator plus 1; 0: not in use
	ChannelPeer     = 8 // as in a pending operation
	ChannelTag      = 12
	ChannelSent     = 16 // sends begun
	ChannelReceived = 24 // receives begun; those with a wildcard, once matched
	SizeofChannel   = 32
)

// The call that messages of a channel come from.
const (
	OriginSeq    = 0 // sequence number; odd while the entry changes
	OriginComm   = 4 // index of the communicator plus 1; 0: not in use
	OriginPeer   = 8 // as in the channel
	OriginTag    = 12
	OriginNumber = 16 // the first message, from 1, that this call sent after another one had sent some; a later one may be from a call that had sent on the channel before
	OriginState  = 24 // the call: a state of the thread
	OriginThread = 28 // index of the thread
	SizeofOrigin = 32
)

// Persistent or partitioned requests for the messages of a channel, in one direction, that one call made. The numbers started, made, freed and idle change by themselves.
const (
	PersistentSeq     = 0 // sequence number; odd while the entry changes
	PersistentComm    = 4 // index of the communicator plus 1; 0: not in use
	PersistentPeer    = 8 // as the call named it
	PersistentTag     = 12
	PersistentStarted = 16 // how often one of them was started
	PersistentState   = 24 // the call that made them: a state of the thread
	PersistentThread  = 28 // index of the thread
	PersistentFlags   = 30
	PersistentMade    = 32 // how many there were
	PersistentFreed   = 36 // how many of them are gone
	PersistentIdle    = 40 // how often the program has waited for one of them that was not started, since one was started last
	SizeofPersistent  = 48
)

// A lock of a window, from the return of the call that took it to that of the one that gives it up.
const (
	LockSeq    = 0 // sequence number; odd while the entry changes
	LockComm   = 4 // index of the window plus 1; 0: not in use
	LockTarget = 8 // rank in the window, or NONE: every member
	LockType   = 12
	SizeofLock = 16
)

// A message that a receive with a wildcard, or a matched probe, took.
const (
	TakeSeq    = 0  // sequence number; odd while the entry changes
	TakeComm   = 4  // index of the communicator plus 1; 0: not in use
	TakePeer   = 8  // rank in the communicator that sent it
	TakeTag    = 12 // of the message
	TakeNumber = 16 // on its channel, from 1
	TakeState  = 24 // the receive, the call that began it, or the probe: a state of the thread
	TakeThread = 28 // index of the thread
	TakeWild   = 30
	SizeofTake = 32
)

// Receives with a wildcard that one call began and that are not complete. The count changes by itself.
const (
	WildcardSeq    = 0 // sequence number; odd while the entry changes
	WildcardComm   = 4 // index of the communicator plus 1; 0: not in use
	WildcardPeer   = 8 // as in a pending operation
	WildcardTag    = 12
	WildcardCount  = 16 // how many there are
	WildcardState  = 24 // the call that began them, or made them: a state of the thread
	WildcardThread = 28 // index of the thread
	SizeofWildcard = 32
)

// FAILED: Errors of one class that MPI returned to a state of the thread, or the one over which it ends the job.
const (
	FailedState       = 0 // index of the state
	FailedClass       = 4 // of the errors, as this MPI library numbers them
	FailedTextLen     = 8 // at most MAX_ERROR_TEXT
	SizeofFailedFixed = 16
	FailedCount       = 0 // how many were returned
	FailedCalls       = 8 // of the thread, at the last one; of the call that the thread is in, and that did not return: MPI ends the job over it
	SizeofFailedLive  = 16
)

// BUFFER: A buffer of the call within which the process faulted or over which MPI ends the job, or of an operation that was pending then.
const (
	BufferAddress     = 0
	BufferLow         = 8  // first byte that may be used, from the address, in two's complement
	BufferHigh        = 16 // behind the last one, likewise
	BufferRoom        = 24 // bytes from the address to the end of the memory there; none unknown
	BufferMemory      = 32 // what is there
	BufferFlags       = 36
	BufferState       = 40 // state of the call that began the operation; none: the buffer is an argument of the call that the thread is in
	BufferPosition    = 44 // of the argument in the prototype in C, from 0
	BufferElement     = 48 // of the array of displacements that gives high, from 0; -1: there is none
	BufferFrame       = 52 // of a stack: which frame of the stack of the call the address is in, from 0 the innermost; none: it is not known
	BufferInFrame     = 56 // the address less the canonical frame address of that frame, in two's complement
	BufferVariable    = 64 // the frame word of that frame; of memory of a module, one that has the address in place of a program counter; none: of neither
	SizeofBufferFixed = 72
)

// What samples of the process over a length of time say. Counts are of samples unless they have a unit.
const (
	IntervalBegin          = 0  // seconds since 1970, a multiple of the step; 0 not in use, or changing
	IntervalSamples        = 4  // taken; fewer than step × hz if the process was stopped, or had no processor
	IntervalComputing      = 6  // outside MPI
	IntervalWaiting        = 8  // inside an MPI call, or between polls that found nothing
	IntervalIO             = 10 // in MPI-IO, or asleep on a disk
	IntervalCPUMs          = 12 // processor time of all threads, milliseconds
	IntervalStarvedMs      = 16 // time in which the thread would have run but had no processor, milliseconds
	IntervalFaults         = 20 // major page faults
	IntervalCalls          = 24 // MPI calls of the thread that were no empty polls
	IntervalThread         = 28 // index of the thread that was sampled: the one that calls MPI most
	IntervalAtState        = 30 // samples at state
	IntervalState          = 32 // the state that was sampled most: inside its call, or in the computation behind it
	IntervalComm           = 36 // index of the communicator that most of waiting was on
	IntervalPeer           = 40 // rank in it that was waited for most, or NONE: several, as in a collective
	IntervalForPeer        = 44 // samples that waited for it
	IntervalMhz            = 46 // clock of the processor; 0 unknown
	IntervalAnchor         = 48 // a state of the thread that comes once in each iteration of its loop
	IntervalTurns          = 52 // visits of anchor
	IntervalCPUPressure    = 56 // parts of 1,000 of the time in which some process of the node had no processor (/proc/pressure); 0 if unknown
	IntervalIOPressure     = 58 // likewise waited for a disk
	IntervalMemoryPressure = 60 // likewise for memory
	SizeofInterval         = 64
)

// SERIES: What the process did over time, in steps of equal length. Four kinds of steps; of each the oldest record is used again when the recorder has written as many as it keeps.
const (
	SeriesStep        = 0 // seconds
	SeriesHz          = 4 // samples a second
	SizeofSeriesFixed = 8
)

// Bytes that were moved. Both words change by themselves.
const (
	TrafficCalls  = 0 // that moved bytes
	TrafficBytes  = 8
	SizeofTraffic = 16
)

// SITE: A call of a function of the C library by its call stack, in any thread.
const (
	SiteRecIndex       = 0 // within the process: 0, 1, 2 …
	SiteRecNframes     = 4 // at most MAX_FRAMES
	SiteRecNameLen     = 6
	SiteRecFlags       = 8 // enum stack_flag
	SizeofSiteRecFixed = 16
	SiteRecCalls       = 0 // that moved bytes
	SiteRecBytes       = 8
	SizeofSiteRecLive  = 16
)

// SENT: What the MPI calls of a state of the thread sent, by their arguments.
const (
	SentState       = 0 // index of the state
	SizeofSentFixed = 8
	SentCalls       = 0 // that moved bytes
	SentBytes       = 8
	SentDistance    = 16 // summed over point-to-point and one-sided calls: how far the peer is away in the communicator, as on a ring (|peer - rank|, or size less that)
	SizeofSentLive  = 24
)

// ARGUMENTS: The program's arguments, without its name.
const (
	ArgumentsBytes       = 0 // of the arguments, their zero bytes included; at most MAX_ARGUMENTS
	SizeofArgumentsFixed = 8
)

// RAISED: An exception of Python or C++, or an error that ends the process. The last record of a thread counts; those of NO_THREAD all do.
const (
	RaisedCalls       = 0 // calls of the thread at that moment, of NO_THREAD of all threads; of C++ when it was thrown
	RaisedHow         = 8
	RaisedNframes     = 12 // at most MAX_FRAMES
	RaisedTypeLen     = 14
	RaisedFlags       = 16
	RaisedOrder       = 20 // collectives that the process had begun at that moment, as in HISTORY
	SizeofRaisedFixed = 24
)

// OTHER: The stack of a thread that does not call MPI and was in a system call, or its frames of Python wherever it was, while a thread that calls MPI waited for another one outside of MPI. The last record of a thread counts; of threads with like stacks one has a record.
const (
	OtherTID         = 0 // the system's number of the thread; of one that runs Python another number of its own
	OtherNframes     = 4 // at most MAX_FRAMES
	OtherFlags       = 8
	SizeofOtherFixed = 16
	OtherTime        = 0 // when the thread was last seen there
	SizeofOtherLive  = 8
)

// FILELOCK: The lock of a file that a thread waited for. The last record of a thread counts, while it waits (AWAITED_FILE_LOCK).
const (
	FilelockHolder      = 0 // number of the process that has the lock; 0 unknown: it is on another node, or the lock belongs to no process
	FilelockCommandLen  = 4
	SizeofFilelockFixed = 8
)

// LIKE: The model of this slot is that of another slot but for the counts.
const (
	LikeSlot        = 0 // in the same file; it must not have a LIKE record itself
	LikeCounts      = 4 // how many numbers follow
	SizeofLikeFixed = 8
)

// The types of records.
const (
	RankRecord        Record = 1  // The process: the first record of a slot. Each mutable field is a word of its own.
	ThreadRecord      Record = 2  // What a thread that calls MPI does. The live part is two blocks, each with a sequence number: down to pending, and stack.
	ModuleRecord      Record = 3  // A mapped program or library, or a function in Python.
	StateRecord       Record = 4  // A communication state of a thread.
	EdgeRecord        Record = 5  // A passage between two states of a thread.
	CommRecord        Record = 6  // A communicator, a window or a file.
	HistoryRecord     Record = 13 // What collectives were begun on a communicator, window or file.
	ChannelsRecord    Record = 7  // Messages exchanged.
	OriginsRecord     Record = 18 // Which calls send on the channels: one entry for each channel that sends.
	PersistentsRecord Record = 23 // Persistent and partitioned requests for messages.
	LocksRecord       Record = 9  // Locks of windows that the process has.
	TakenRecord       Record = 15 // The latest messages that wildcards took, in no order. At most one record in a slot.
	ProbedRecord      Record = 17 // Messages that a matched probe took and that no MPI_Mrecv or MPI_Imrecv was begun for. At most one record in a slot.
	WildcardsRecord   Record = 25 // Receives with a wildcard that were begun and are not complete: what each has taken is not known yet. At most one record in a slot.
	FailedRecord      Record = 19 // Errors of one class that MPI returned to a state of the thread, or the one over which it ends the job.
	BufferRecord      Record = 22 // A buffer of the call within which the process faulted or over which MPI ends the job, or of an operation that was pending then.
	SeriesRecord      Record = 20 // What the process did over time, in steps of equal length. Four kinds of steps; of each the oldest record is used again when the recorder has written as many as it keeps.
	NoteRecord        Record = 8  // A text: why the recorder gave something up.
	LibraryRecord     Record = 14 // A text: the first line that MPI_Get_library_version returns.
	SiteRecord        Record = 10 // A call of a function of the C library by its call stack, in any thread.
	SentRecord        Record = 11 // What the MPI calls of a state of the thread sent, by their arguments.
	ArgumentsRecord   Record = 12 // The program's arguments, without its name.
	RaisedRecord      Record = 16 // An exception of Python or C++, or an error that ends the process. The last record of a thread counts; those of NO_THREAD all do.
	OtherRecord       Record = 21 // The stack of a thread that does not call MPI and was in a system call, or its frames of Python wherever it was, while a thread that calls MPI waited for another one outside of MPI. The last record of a thread counts; of threads with like stacks one has a record.
	FilelockRecord    Record = 24 // The lock of a file that a thread waited for. The last record of a thread counts, while it waits (AWAITED_FILE_LOCK).
	RestRecord        Record = 64 // Fixed: a THREAD record without the parts that are not in use.
	LikeRecord        Record = 65 // The model of this slot is that of another slot but for the counts.
)

var records = [...]record{
	RankRecord:        {name: "RANK", leastFixed: 256, leastLive: 80},
	ThreadRecord:      {name: "THREAD", leastFixed: 8, leastLive: 4720},
	ModuleRecord:      {name: "MODULE", leastFixed: 24, leastLive: 0},
	StateRecord:       {name: "STATE", leastFixed: 16, leastLive: 8},
	EdgeRecord:        {name: "EDGE", leastFixed: 8, leastLive: 8},
	CommRecord:        {name: "COMM", leastFixed: 32, leastLive: 40},
	HistoryRecord:     {name: "HISTORY", leastFixed: 8, leastLive: 336},
	ChannelsRecord:    {name: "CHANNELS", leastFixed: 0, leastLive: 32},
	OriginsRecord:     {name: "ORIGINS", leastFixed: 0, leastLive: 32},
	PersistentsRecord: {name: "PERSISTENTS", leastFixed: 0, leastLive: 48},
	LocksRecord:       {name: "LOCKS", leastFixed: 0, leastLive: 16},
	TakenRecord:       {name: "TAKEN", leastFixed: 0, leastLive: 32},
	ProbedRecord:      {name: "PROBED", leastFixed: 0, leastLive: 32},
	WildcardsRecord:   {name: "WILDCARDS", leastFixed: 0, leastLive: 32},
	FailedRecord:      {name: "FAILED", leastFixed: 16, leastLive: 16},
	BufferRecord:      {name: "BUFFER", leastFixed: 72, leastLive: 0},
	SeriesRecord:      {name: "SERIES", leastFixed: 8, leastLive: 64},
	NoteRecord:        {name: "NOTE", leastFixed: 0, leastLive: 0},
	LibraryRecord:     {name: "LIBRARY", leastFixed: 0, leastLive: 0},
	SiteRecord:        {name: "SITE", leastFixed: 16, leastLive: 16},
	SentRecord:        {name: "SENT", leastFixed: 8, leastLive: 24},
	ArgumentsRecord:   {name: "ARGUMENTS", leastFixed: 8, leastLive: 0},
	RaisedRecord:      {name: "RAISED", leastFixed: 24, leastLive: 0},
	OtherRecord:       {name: "OTHER", leastFixed: 16, leastLive: 8},
	FilelockRecord:    {name: "FILELOCK", leastFixed: 8, leastLive: 0},
	RestRecord:        {name: "REST", leastFixed: 0, leastLive: 0},
	LikeRecord:        {name: "LIKE", leastFixed: 8, leastLive: 0},
}
