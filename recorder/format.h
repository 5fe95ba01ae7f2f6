/* The run-file format, as the recorder writes it. docs/format.md describes it
 * for readers; model/format.go reads it. Both sides change together, and any
 * change that an old reader would misread raises LG_VERSION.
 *
 * A run directory holds one file per node. A file is a 4096-byte header and
 * then chunks; a chunk belongs to one slot (one process) and holds records,
 * appended and never moved. A record has a fixed part, covered by a CRC-32C,
 * and a mutable part behind it that the live program updates in place. All
 * integers are little-endian. A process that dies at any instruction leaves a
 * readable file: a record counts only when the chunk's `used` covers it, and
 * blocks of more than one word that change together carry a sequence number
 * that is odd while they change. */
#ifndef LAGGARD_FORMAT_H
#define LAGGARD_FORMAT_H

#include <stdint.h>

#define LG_MAGIC 0x3144524147474c4cull /* "LLGGARD1" */
#define LG_CHUNK_MAGIC 0x4b43474cu     /* "LGCK" */
#define LG_STREAM_MAGIC 0x4d53474cu    /* "LGSM" */
#define LG_VERSION 1
#define LG_PAGE 4096          /* chunks start and end on multiples of this */
#define LG_FIRST_CHUNK 16384  /* size of a slot's first chunk, bytes */
#define LG_CHUNK 65536        /* size of the later ones, unless one record needs more */
#define LG_BLOCK 262144       /* bytes of events in one block of a stream, at most */
#define LG_MAX_FRAMES 64      /* innermost frames kept of a stack */
#define LG_MAX_PENDING 128    /* pending operations listed in a thread record */
#define LG_CHANNELS 64        /* channels in one channel record */
#define LG_TAKEN 32           /* messages that wildcards took, in one record */
#define LG_LOCKS 64           /* locks in one record of locks */
#define LG_BEGUN 32           /* collectives kept of one communicator, the latest ones */
#define LG_MARK_LEVELS 10     /* of checkpoints of the hashes of those before them */
#define LG_MARK_STEP 16       /* collectives between two checkpoints of the lowest level */
#define LG_MAX_NEIGHBOURS 4096 /* listed of one communicator, each way */
#define LG_MAX_ARGUMENTS 4096  /* bytes kept of the program's arguments */
#define LG_ENDINGS 512        /* slots whose end the kernel notes in the header */
#define LG_MAX_RAISED 16       /* frames kept of those that an exception came through */
#define LG_MAX_RAISED_TYPE 64  /* bytes kept of the name of its type, and a zero byte */

/* File header. Everything up to `crc` is fixed once `magic` is written. */
struct lg_file {
  uint64_t magic; /* written last by the creator */
  uint32_t version;
  uint32_t page;       /* LG_PAGE */
  uint64_t run_id;     /* same in all files of a run */
  uint64_t created_ns; /* CLOCK_REALTIME */
  char host[64];       /* NUL-terminated host name */
  uint32_t crc;        /* CRC-32C of the bytes from `version` up to here */
  uint32_t pad;
  /* mutable */
  uint64_t end;    /* first byte behind the last reserved chunk; atomic */
  uint32_t nslots; /* slots handed out; atomic */
  uint32_t pad2;
  uint32_t endings[LG_ENDINGS]; /* of each slot: a futex of the recorder's thread there, on its robust list
                                   (set_robust_list(2)); the kernel sets FUTEX_OWNER_DIED when the thread ends */
};

struct lg_chunk {
  uint32_t magic; /* LG_CHUNK_MAGIC, written last */
  uint32_t size;  /* bytes, this header included */
  uint32_t slot;
  uint32_t seq; /* 0, 1, 2 … within the slot */
  uint32_t crc; /* CRC-32C of the 16 bytes above */
  uint32_t pad;
  uint64_t used; /* bytes behind this header filled with committed records */
};

/* Events of one thread, in the order they happened, go through blocks of at most
 * LG_BLOCK bytes. The live chunk of a stream holds the block that is being
 * filled; when it is full it is packed into a chunk of its own by zstd, and the
 * live chunk is used again for the next. Without zstd the chunk stays as it is
 * and a new one is begun. A process that is killed in between leaves a block
 * both packed and live: they are the same. */
struct lg_stream_chunk {
  uint32_t magic; /* LG_STREAM_MAGIC, written last */
  uint32_t size;  /* bytes, this header included */
  uint32_t slot;
  uint16_t kind;   /* enum lg_stream_kind */
  uint16_t thread; /* index of the thread; LG_NO_THREAD for one that never called MPI */
  uint32_t number; /* of the stream within the slot: 0, 1, 2 ... */
  uint32_t packed; /* bytes of the block when packed by zstd, 0 if it is not */
  uint32_t crc;    /* CRC-32C of the 24 bytes above */
  uint32_t cut;    /* 1: the stream ended here, for want of room */
  uint64_t block;  /* number of the block: 0, 1, 2 ...; changes in a live chunk */
  uint64_t used;   /* bytes behind this header that are filled */
};

enum lg_stream_kind { LG_STREAM_USAGE = 1, LG_STREAM_MOVEMENT = 2 };

#define LG_NO_THREAD 0xffffu

/* Events of LG_STREAM_USAGE: a number, kind | value << 3, and what docs/format.md
 * says of the kind. Every block begins with LG_USE_BLOCK. */
enum lg_use {
  LG_USE_BLOCK = 0,  /* the counters, from which the events behind it go on */
  LG_USE_BEGIN = 1,  /* of a call; value: its state */
  LG_USE_END = 2,    /* the call that was begun last has returned */
  LG_USE_EMPTY = 3,   /* likewise, with the flag false and nothing done */
  LG_USE_FAILED = 4, /* likewise, with an error; value: its code */
  LG_USE_AGAIN = 5,  /* how often the call before was repeated unsuccessfully */
  LG_USE_DEFINE = 6, /* value: enum lg_use_define */
  LG_USE_PART = 7,   /* values of a long array of the event that follows */
};

enum lg_use_define { LG_DEF_TYPE = 1, LG_DEF_COMM = 2, LG_DEF_NAME = 3, LG_DEF_NOTE = 4, LG_DEF_WITHIN = 5 };

/* Values of handles and addresses in these events. */
#define LG_USE_NULL (-1)
#define LG_USE_INVALID (-2)
#define LG_USE_BOTTOM (-3)
#define LG_USE_IN_PLACE (-4)
#define LG_USE_ROOT (-32005)   /* MPI_ROOT */
#define LG_USE_NO_STATUS (-32006) /* the source of a status that is not known */

enum lg_type {
  LG_REC_RANK = 1,
  LG_REC_THREAD = 2,
  LG_REC_MODULE = 3,
  LG_REC_STATE = 4,
  LG_REC_EDGE = 5,
  LG_REC_COMM = 6,
  LG_REC_CHANNELS = 7,
  LG_REC_NOTE = 8, /* fixed part: text, why the recorder gave something up */
  LG_REC_LOCKS = 9,
  LG_REC_SITE = 10,
  LG_REC_SENT = 11,
  LG_REC_ARGUMENTS = 12,
  LG_REC_HISTORY = 13,
  LG_REC_LIBRARY = 14, /* fixed part: text, the first line of MPI_Get_library_version */
  LG_REC_TAKEN = 15,
  LG_REC_RAISED = 16,
};

/* Every record starts with this and is padded to a multiple of 8 bytes. */
struct lg_rec {
  uint16_t type;
  uint16_t thread; /* index of the thread it belongs to; 0 where it does not matter */
  uint32_t size;   /* bytes, this header included */
  uint32_t fixed;  /* bytes of the fixed part behind this header */
  uint32_t crc;    /* CRC-32C of type, thread, size, fixed (12 bytes) and the fixed part */
};

enum lg_status {
  LG_STARTING = 1,  /* in MPI_Init, rank from the launcher's environment */
  LG_RUNNING = 2,
  LG_FINALIZING = 3,
  LG_FINALIZED = 4, /* MPI_Finalize returned; the process may live on */
};

enum lg_end { /* how the process ended, as far as it could still say */
  LG_ALIVE = 0, /* nothing was said: it lives, or it was SIGKILLed */
  LG_EXITED = 1,
  LG_SIGNALLED = 2, /* a fatal signal arrived (detail = signal number) */
  LG_ABORTED = 3,   /* MPI_Abort was called (detail = its error code) */
};

/* LG_REC_RANK: first record of a slot. */
struct lg_rank {
  struct lg_rec h;
  /* fixed */
  uint32_t pid;
  uint32_t slot;
  uint64_t start_ns; /* CLOCK_REALTIME at the first MPI call */
  uint32_t family;   /* 1 OpenMPI, 2 MPICH ABI, 3 the standard ABI */
  uint32_t exe_len;  /* bytes of exe that are used */
  char exe[232];     /* path of the executable, cut if longer */
  /* mutable; every field is a word of its own */
  int32_t rank; /* in MPI_COMM_WORLD; -1 unknown */
  int32_t size; /* of MPI_COMM_WORLD; -1 unknown */
  uint32_t status; /* enum lg_status */
  uint32_t end;    /* enum lg_end */
  int32_t detail;  /* exit status, signal number or error code; -1 unknown */
  int32_t thread_level; /* provided by MPI_Init_thread, 0..3 single..multiple */
  uint64_t heartbeat_ns; /* CLOCK_REALTIME, from the watch thread, about once a second */
  uint64_t end_ns;       /* when `end` was set */
  uint64_t quiet_since_ns; /* no progress seen since then; 0 while it progresses */
  uint64_t longest_quiet_ns; /* longest such time that ended by itself */
  uint64_t evicted;   /* channels dropped, or locks left out, because the table was full */
  uint64_t lost_requests; /* requests not tracked because the table was full */
  uint32_t off;       /* 1: the recorder turned itself off; a note says why */
  int32_t parent_world; /* 1: started by MPI_Comm_spawn; 0 not */
  uint64_t pid_space; /* inode of the pid namespace in which `pid` counts, that of a container perhaps; 0 unknown */
};

enum lg_kind { /* what a blocked or pending operation is */
  LG_OP_LOCAL = 0,
  LG_OP_SEND = 1,  /* peer, tag: destination */
  LG_OP_RECV = 2,  /* peer, tag: source, possibly wildcards */
  LG_OP_PROBE = 3, /* as LG_OP_RECV */
  LG_OP_COLL = 4,  /* seq: number of the collective on comm; peer: root or LG_NONE */
  LG_OP_WAIT = 5,  /* AND over the pending list */
  LG_OP_WAITANY = 6, /* OR over the pending list */
  LG_OP_POLL = 7,  /* test or probe that does not block: OR over the pending list */
  LG_OP_INIT = 8,
  LG_OP_FINALIZE = 9,
  LG_OP_RMA = 10,  /* one-sided, with a target that takes no part: peer, or LG_NONE for all of
                      comm; tag: enum lg_lock_type of the lock that it is under, or asks for */
  LG_OP_OTHER = 11, /* may block, for reasons the recorder does not follow */
  LG_OP_ABORT = 12,
};

#define LG_NONE (-32000)       /* no peer, no tag */
#define LG_ANY (-32001)        /* MPI_ANY_SOURCE, MPI_ANY_TAG */
#define LG_PROC_NULL (-32002)

/* Synchronisation of a window between some members is kept as messages on the
 * window: MPI_Win_post sends one to each of its group, which MPI_Win_start
 * receives; MPI_Win_complete sends one back, for MPI_Win_wait to receive. */
#define LG_TAG_POST (-32003)
#define LG_TAG_COMPLETE (-32004)

enum lg_lock_type { LG_LOCK_EXCLUSIVE = 1, LG_LOCK_SHARED = 2, LG_LOCK_EITHER = 3 /* not known which; not of a recorder */ };

struct lg_pending {
  uint32_t kind; /* LG_OP_SEND, LG_OP_RECV, LG_OP_PROBE, LG_OP_COLL, LG_OP_RMA, LG_OP_OTHER */
  uint32_t comm; /* index of the communicator record */
  int32_t peer;  /* rank in the communicator (remote group of an intercommunicator) */
  int32_t tag;
  uint64_t seq;  /* send/recv: how many went before it on its channel, plus one;
                    collective: its number on the communicator; 0 unknown */
  uint32_t state; /* state of the call that started it; UINT32_MAX: another thread's */
  uint32_t pad;
};

/* LG_REC_THREAD: one for each thread that calls MPI. */
struct lg_thread {
  struct lg_rec h;
  /* fixed */
  uint32_t index;
  uint32_t first_tid; /* the thread that had it first; a later one may reuse it */
  /* mutable */
  uint64_t seq;      /* odd while the fields down to `pending` change */
  uint64_t calls;    /* MPI calls that are states, begun */
  uint64_t progress; /* of these, communicating ones that were no empty poll */
  uint64_t polls;    /* empty polls */
  uint32_t in_mpi;   /* 1 inside the call, 0 in the computation behind it */
  uint32_t state;    /* index of the current or last state; UINT32_MAX none */
  uint32_t kind;     /* enum lg_kind */
  uint32_t npending; /* how many operations it waits for */
  uint32_t nlisted;  /* how many of them are in `pending` */
  uint32_t tid;      /* the thread that has it now */
  uint64_t light;    /* MPI calls that are no states (MPI_Wtime and the like) */
  struct lg_pending pending[LG_MAX_PENDING];
  /* the last captured stack of the thread */
  uint64_t stack_seq; /* odd while the fields below change */
  uint64_t stack_ns;  /* CLOCK_REALTIME; 0 never captured */
  uint64_t stack_calls; /* `calls` at that moment */
  uint32_t stack_why; /* 1 no progress, 2 asked for by signal, 3 fatal signal, 4 MPI reported an error */
  uint32_t stack_same; /* captures in a row that showed this same stack; one before which the thread did not get to run is not counted */
  uint32_t stack_in_mpi; /* `in_mpi` at that moment */
  uint32_t stack_flags; /* enum lg_stack_flag */
  uint32_t stack_signal; /* signal number for stack_why 3 */
  uint32_t nframes;
  uint64_t frames[LG_MAX_FRAMES]; /* innermost first: module index << 48 | offset */
};

enum lg_stack_flag {
  LG_STACK_PARTIAL = 1, /* the unwinding ended before the outermost frame */
  LG_STACK_IDLE = 2,    /* in a system call that yields, sleeps, polls or waits for another process: that it is found there again says nothing */
};

/* LG_REC_MODULE: fixed part = this, then build-id bytes, then path bytes, padded
 * to 8 with zero bytes; no mutable part. */
struct lg_module {
  struct lg_rec h;
  uint32_t index;
  uint16_t buildid_len;
  uint16_t path_len;
  uint64_t base; /* what to add to an offset (file address) to get the address */
  uint64_t size; /* of the mapped image, bytes */
  /* unsigned char buildid[buildid_len]; char path[path_len]; */
};

/* A module record whose build-id begins with LG_PYTHON_ID is no file that is mapped but a
 * function that an interpreter of Python runs: its path is that of the source, ":" and the
 * qualified name of the function, in which there is no ":"; behind LG_PYTHON_ID stands a
 * hash of that. The offset of a frame in it is a line of the source, 0 if it has none. */
#define LG_PYTHON_ID "python"

/* Frame word: module index (16 bits) << 48 | file address (48 bits). Module
 * 0xffff means no module: the low bits are the raw address. Return addresses
 * are stored as they are; subtract one before asking for a line, except for
 * the innermost frame of a captured stack. */
#define LG_NO_MODULE 0xffffu

/* LG_REC_STATE: fixed part = this, then frames, then the name of the MPI
 * function, padded to 8; mutable part = one uint64_t, the visits. */
struct lg_state {
  struct lg_rec h;
  uint32_t index; /* within the thread: 0, 1, 2 … in order of first visit */
  uint16_t nframes;
  uint16_t name_len;
  uint32_t flags; /* 1: the unwinding ended before the outermost frame */
  uint32_t binding; /* 0 C, 1 mpif.h or use mpi, 2 use mpi_f08 */
  /* uint64_t frames[nframes]; char name[name_len]; */
};

struct lg_edge {
  struct lg_rec h;
  uint32_t from, to; /* state indices within the thread */
  uint64_t count;    /* mutable */
};

struct lg_range {
  int32_t start, stride, count; /* world ranks start, start+stride, …; start -1: not in MPI_COMM_WORLD */
};

/* LG_REC_COMM: fixed part = this, then the ranges, then the neighbours, padded
 * to 8; mutable part = struct lg_comm_live. */
struct lg_comm {
  struct lg_rec h;
  uint32_t index;
  uint32_t flags; /* enum lg_comm_flag */
  int32_t rank;    /* own rank in it */
  int32_t size;    /* of the local group */
  int32_t remote_size; /* of the remote group, 0 for an intracommunicator */
  uint32_t nranges, nremote; /* ranges of the local, then of the remote group */
  uint16_t nsources, ndests; /* neighbours; with LG_COMM_TOPOLOGY only */
  /* struct lg_range ranges[nranges + nremote]; */
  /* int32_t sources[nsources], dests[ndests]: ranks in it, ascending */
};

enum lg_comm_flag {
  LG_COMM_INTER = 1,
  LG_COMM_WORLD = 2,
  LG_COMM_SELF = 4,
  LG_COMM_UNKNOWN = 8, /* members unknown */
  LG_COMM_WINDOW = 16, /* no communicator but a window over the members of `parent` */
  LG_COMM_FILE = 32,   /* likewise a file */
  LG_COMM_FORMING = 64, /* likewise a communicator that these members alone are making */
  LG_COMM_TOPOLOGY = 128, /* has a topology: its neighbours are listed */
};

/* A program that makes and frees communicators for ever would fill the file, so
 * the record of a freed one serves a later one with the same members: `freed`
 * is 1 while the other fields change. */
struct lg_comm_live {
  uint64_t freed;  /* 1 after MPI_Comm_free */
  uint64_t coll;   /* collective operations begun on it */
  uint64_t id;     /* the same at all members */
  uint64_t parent; /* id of the communicator it was made from, 0 none */
  uint32_t thread, state; /* the call that made it; state UINT32_MAX: none */
};

/* A collective that was begun on a communicator, window or file. The hashes are
 * of all that were begun on it so far, this one included: `calls` of function,
 * root, operation and bytes; `sites` of the call stacks. Members with equal
 * histories have equal hashes. */
struct lg_begun {
  uint32_t number; /* on the communicator, from 1, its low bits; 0 while the entry changes */
  uint32_t order;  /* of all collectives of the process, from 1, its low bits */
  struct lg_told { /* the call */
    uint32_t state; /* of the thread */
    uint16_t thread;
    uint16_t op;    /* 0 none; 1, 2, ...: MPI_MAX, ... as docs/format.md lists them; LG_OP_OWN */
    uint64_t bytes; /* of one block, which all members must give alike; UINT64_MAX: nothing must */
    int32_t root;   /* rank in it; LG_NONE where there is none, or members may differ in it */
    uint32_t pad;
  } told;
  uint64_t calls, sites;
};

#define LG_OP_OWN 255 /* an operation that the program made */

struct lg_mark { /* a checkpoint: the hashes after that many collectives */
  uint64_t calls, sites;
};

enum lg_raised_how {
  LG_RAISED_NONE = 0,    /* there is none, any more */
  LG_RAISED_SET = 1,     /* it is on its way, and C code is at work */
  LG_RAISED_HANDLED = 2, /* code is at work that handles it, or through which it is on its way */
  LG_RAISED_LAST = 3,    /* nothing caught it: it was printed, and no other has been since */
  LG_RAISED_THROWN = 4,  /* one of C++: it was thrown, and may have been caught since */
};

/* LG_REC_RAISED: the exception that a thread in Python was in the midst of when its stack was captured,
 * or when the interpreter began to end, or that one of C++ threw last; of several the last counts. Fixed part =
 * this, the frames that it came through, innermost first (of C++: the stack that it was thrown from), then the
 * name of its type (of C++: mangled), padded to 8; no mutable part. */
struct lg_raised {
  struct lg_rec h;
  uint64_t calls; /* `calls` of the thread at that moment; of C++ when it was thrown */
  uint32_t how;   /* enum lg_raised_how */
  uint16_t nframes;
  uint16_t type_len;
  uint32_t flags; /* 1: before the outermost frame, which is the last, some are left out */
  uint32_t order; /* collectives that the process had begun at that moment, as in struct lg_begun */
  /* uint64_t frames[nframes]; char type[type_len]; */
};

/* LG_REC_HISTORY: what collectives were begun on a communicator. Fixed: comm.
 * Mutable: the rest, which begins anew when the record of the communicator serves
 * another one. Checkpoints of level k are taken every LG_MARK_STEP * 4^k
 * collectives, and each level keeps its last two: the n-th of a level at n % 2. */
struct lg_history {
  struct lg_rec h;
  uint32_t comm; /* index of the communicator record */
  uint32_t pad;
  /* mutable */
  uint64_t seq;    /* odd while marked and marks change */
  uint64_t marked; /* collectives before the last checkpoint */
  struct lg_mark marks[LG_MARK_LEVELS][2];
  struct lg_begun begun[LG_BEGUN]; /* number n is at (n - 1) % LG_BEGUN */
};

/* One channel: messages between this rank and a peer on a communicator and tag. */
struct lg_channel {
  uint32_t seq;  /* odd while the entry is given to another channel */
  uint32_t comm; /* communicator index + 1; 0: unused */
  int32_t peer;
  int32_t tag;
  uint64_t sent;     /* sends begun */
  uint64_t received; /* receives begun, wildcard ones counted once they matched */
};

/* LG_REC_CHANNELS: nothing fixed; mutable = LG_CHANNELS entries. */
struct lg_channels {
  struct lg_rec h;
  struct lg_channel entry[LG_CHANNELS];
};

enum lg_wild { LG_ANY_SOURCE = 1, LG_ANY_TAG = 2 };

/* A message that a receive with a wildcard took. */
struct lg_take {
  uint32_t seq;    /* odd while the entry changes */
  uint32_t comm;   /* communicator index + 1; 0: unused */
  int32_t peer;
  int32_t tag;
  uint64_t number; /* on its channel, from 1 */
  uint32_t state;  /* of the thread: the receive */
  uint16_t thread;
  uint16_t wild;   /* enum lg_wild: what the receive left open */
};

/* LG_REC_TAKEN: nothing fixed; mutable = LG_TAKEN entries, the latest. There is one such record, or none. */
struct lg_taken {
  struct lg_rec h;
  struct lg_take entry[LG_TAKEN];
};

/* A lock of a window that this rank has: from the return of the call that took
 * it to the return of the one that gives it up. */
struct lg_lock {
  uint32_t seq;   /* odd while the entry changes */
  uint32_t comm;  /* index of the window + 1; 0: unused */
  int32_t target; /* rank in the window; LG_NONE: every member */
  uint32_t type;  /* enum lg_lock_type */
};

/* LG_REC_LOCKS: nothing fixed; mutable = LG_LOCKS entries. */
struct lg_locks {
  struct lg_rec h;
  struct lg_lock entry[LG_LOCKS];
};

struct lg_traffic { /* both change by themselves, atomically */
  uint64_t calls; /* that moved bytes */
  uint64_t bytes;
};

/* LG_REC_SITE: a call stack below MPI, of any thread. Fixed part = this, then
 * frames, then the name of the function that was called, padded to 8; mutable
 * part = struct lg_traffic: what these calls sent. */
struct lg_site_rec {
  struct lg_rec h;
  uint32_t index; /* within the process: 0, 1, 2 … */
  uint16_t nframes;
  uint16_t name_len;
  uint32_t flags; /* 1: the unwinding ended before the outermost frame */
  uint32_t pad;
  /* uint64_t frames[nframes]; char name[name_len]; */
};

/* LG_REC_SENT: what the MPI calls of a state of the thread sent, by their
 * arguments; written when they first send. */
struct lg_sent {
  struct lg_rec h;
  uint32_t state;
  uint32_t pad;
  struct lg_traffic traffic; /* mutable, from here */
  /* Sum over point-to-point and one-sided calls of how far the peer is away in
   * the communicator, as on a ring: |peer - rank| or size less that. */
  uint64_t distance;
};

/* LG_REC_ARGUMENTS: the arguments of the program, without its name. Fixed part =
 * this, then the arguments, each ended by a zero byte and the last one cut if
 * they are too long, padded to 8; no mutable part. */
struct lg_arguments {
  struct lg_rec h;
  uint32_t bytes; /* of the arguments, their zero bytes included */
  uint32_t pad;
};

/* ---- the events of LG_STREAM_MOVEMENT ----
 * An event begins with a byte: its kind, with LG_MOVE_ORDER and LG_MOVE_TIME
 * added if these follow; then its fields. u and s are LEB128 numbers without and
 * with a sign (the sign is the lowest bit). Order: how many events of other
 * threads of the process came since the event before (u); time: microseconds
 * since then (s), CLOCK_REALTIME by a coarse clock. From and to are addresses,
 * less the one that the last event had in that field (s). At the beginning of a
 * block all that is told as a difference counts from 0. */
enum lg_move {
  LG_MOVE_ALLOC = 1,  /* site u, to, bytes u */
  LG_MOVE_FREE = 2,   /* to */
  LG_MOVE_RESIZE = 3, /* to, bytes u: as large is the buffer now */
  LG_MOVE_COPY = 4,   /* site u, from, to, bytes u */
  LG_MOVE_END = 5,    /* end u, kind (byte, enum lg_end_kind), length (byte), and as many bytes that name the own end, then the other */
  LG_MOVE_OUT = 6,    /* site u, end u, offset u, from, bytes u: went into the connection; offset of the first byte */
  LG_MOVE_IN = 7,     /* site u, end u, offset u, to, bytes u: came out of it */
  LG_MOVE_SEND = 8,   /* thread u, state u, comm u, peer s, tag s, seq u, from, bytes u: an MPI message, begun */
  LG_MOVE_RECV = 9,   /* the same with to: complete; seq as in struct lg_pending, 0 unknown */
};
#define LG_MOVE_ORDER 0x40
#define LG_MOVE_TIME 0x80

/* A site is the index of its LG_REC_SITE plus one; 0 is one that is not known. */

enum lg_end_kind {
  LG_END_OTHER = 0,   /* cannot be told from others */
  LG_END_STREAM = 1,  /* a byte stream; the names are address and port, or the path */
  LG_END_LOCAL = 2,   /* the same, within one host */
  LG_END_PROCESS = 3, /* the memory of another process, named by its number; the offset is the address there */
};

#endif
