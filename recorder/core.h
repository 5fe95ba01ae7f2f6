/* What the files of the recorder share. The way of a call: a generated wrapper
 * (gen/) hands its arguments to lg_before in call.c; state.c names the state by
 * the verified stack cache, unwinding (unwind.c, by cfi.c and modules.c) only on
 * a miss; p2p.c, wait.c, window.c and comm.c write down what the call waits for,
 * with the tables of requests and channels in request.c and the neighbours that
 * topology.c asks for; site.c names call stacks below MPI, for the second library
 * (libc/, by export.h); file.c keeps all of it in the memory-mapped node file; watch.c looks after the process from a thread of its
 * own, and ends.c records how it ends. family.c reads the handles of each MPI. */
#ifndef LAGGARD_CORE_H
#define LAGGARD_CORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <signal.h>
#include "cache.h"
#include "format.h"

#define LG_HIDDEN __attribute__((visibility("hidden")))
#define LG_EXPORT __attribute__((visibility("default")))
#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

#pragma GCC visibility push(hidden)

/* ---- the function table (generated from model/mpi/functions.tbl) ---- */

enum lg_class {
#define LG_CLASS(name) CLS_##name,
#include "classes.inc"
#undef LG_CLASS
};

enum lg_param_kind {
#define LG_PARAM(name, number) P_##name = number,
#include "params.inc"
#undef LG_PARAM
};

/* A parameter, as package mpi has it: its kind, mpi.Direction, whether it is
 * passed by pointer in C, whether Fortran has an INTEGER for C's address,
 * mpi.Length (kind, parameter and condition), and whether a recording of usage
 * has it: 1 before the call, 2 after it. Kind 0 ends the list. */
struct lg_param {
  uint8_t kind, dir, ref, fortran_int, len, by, only, recorded;
};

/* Positions of arguments by role, -1 where the function has none. They are the
 * same in C and Fortran, but for MPI_Init and its kin, which use none. */
struct lg_desc {
  const char *name;
  int16_t cls;
  int8_t nargs;
  int8_t comm, peer, tag, peer2, tag2; /* peer2, tag2: the receiving half of a sendrecv */
  int8_t count, request, status, flag, index, outcount, indices;
  int8_t newcomm, win, file, message, group, group2; /* group2: the remote one */
  int8_t recv_buf, recv_count, recv_type;
  bool wide; /* counts are MPI_Count, not int */
  /* what it sends; the rest only if that is not 0 */
  uint16_t sends; /* enum lg_sends */
  int8_t send_buf, send_count, send_type, in_place_count, in_place_type, partitions, op;
  uint8_t by_value, results; /* 1: all that is recorded before the call comes by value in C; 1: something is after it */
  const struct lg_param *params;
};

enum lg_sends { /* the bytes a rank sends, by count and type: one of the first, and flags */
  LG_SENDS_ONE = 1,    /* a buffer of count elements */
  LG_SENDS_BLOCKS = 2, /* count elements for each member */
  LG_SENDS_SUM = 3,    /* counts differ by member */
  LG_SENDS_EACH = 4,   /* counts and types do */
  LG_SENDS_SINGLE = 5, /* one element */
  LG_SENDS_TWO = 6,    /* two elements */
  LG_SENDS_FORM = 7,
  LG_SENDS_FROM_ROOT = 8,
  LG_SENDS_TO_ROOT = 16,
  LG_SENDS_NEAR = 32,  /* the members are the neighbours */
  LG_SENDS_LOCAL = 64, /* the members are always those of the local group */
  LG_SENDS_SAME = 128, /* count and type are those of the call in place, too */
  LG_SENDS_OWN_BLOCK = 256,     /* in place it is a block of the receive buffer */
  LG_SENDS_OWN_OF_BLOCKS = 512, /* the own one of blocks of different counts */
};

/* LG_BIND_F08TS is use mpi_f08 with buffers passed as array descriptors. */
enum { LG_BIND_C, LG_BIND_F, LG_BIND_F08, LG_BIND_F08TS };

extern const struct lg_desc lg_descs[];
extern const char *const lg_entry_names[];
extern void *lg_real[];
void *lg_resolve(int entry);
void *lg_find_symbol(const char *name); /* in any loaded object but this one; NULL */

/* ---- the MPI family ---- */

struct lg_family {
  uint32_t id; /* as in struct lg_rank */
  int handle_bytes; /* of a C handle in memory */
  int any_source, any_tag, proc_null, undefined;
  int status_size;                           /* bytes, C and Fortran alike */
  int status_source, status_tag;             /* byte offsets in MPI_Status */
  int status_cancelled, status_cancel_mask;  /* byte offset of an int, and its bits */
  long status_ignore;                        /* C value, for one status and for arrays */
  long comm_world, comm_self, comm_null, request_null;
  long in_place;                             /* MPI_IN_PLACE in C */
  int root;                                  /* MPI_ROOT */
  int err_in_status;                         /* MPI_ERR_IN_STATUS, and the bits of an error code that are its class */
  int class_mask;
  int combiner_named;                        /* MPI_COMBINER_NAMED; the others follow in the same order */
  int lock_exclusive;                        /* MPI_LOCK_EXCLUSIVE */
  long type_null, op_null;                   /* MPI_DATATYPE_NULL, MPI_NO_OP */
  int order_fortran;                         /* MPI_ORDER_FORTRAN */
  int topo_graph, topo_cart, topo_dist_graph; /* what MPI_Topo_test answers */
};

extern struct lg_family lg_fam;
bool lg_family_detect(void);

/* ---- a call in progress ---- */

struct lg_thr;

struct lg_call {
  struct lg_thr *thr;
  const struct lg_desc *desc;
  int binding;
  long *args;
  struct lg_st *st;
  struct lg_comm_ref *comm;
  long handle; /* request or message named by the call, as it was before; of what is begun here, its number */
  uint64_t seq2; /* the number of the receiving half of an Isendrecv */
  int n;       /* requests named by the call; their handles are in thr->handles, that of a single one in handle */
  struct lg_req *req; /* what a single one is known as */
  int peer, tag;   /* as in struct lg_pending; of the receive or probe, if the call is one */
  bool own_status; /* thr->statuses was given in place of MPI_STATUS_IGNORE */
  int code;        /* what the call returned */
  int ierror;      /* stands in for one that a Fortran program left out */
  bool recorded;   /* usage.c has its begin */
};

bool lg_before(struct lg_call *c, const struct lg_desc *d, int binding, long *args, void *ra, void *cfa);
void lg_after(struct lg_call *c);
struct lg_thr *lg_light_begin(void *cfa); /* counts a call that is no state; NULL inside another */

/* Arguments by role; Fortran passes everything by reference. */
static inline int lg_int(const struct lg_call *c, int i)
{
  return c->binding == LG_BIND_C ? (int)c->args[i] : *(int *)c->args[i];
}
long lg_comm_handle(const struct lg_call *c, int i); /* C handle of a communicator argument */
long lg_fortran_comm(int handle);
long lg_comm_made_handle(const struct lg_call *c, int i); /* the same behind a pointer */
bool lg_status_ignored(const struct lg_call *c);
long lg_handle_in(const struct lg_call *c, int i);   /* request, window, file, message passed by value */
long lg_group_handle(const struct lg_call *c, int i);
long lg_session_handle(const struct lg_call *c, int i); /* behind a pointer */
long lg_win_handle(const struct lg_call *c, int i); /* C handle, by value */
bool lg_request_null(const struct lg_call *c, long handle);
bool lg_in_place(const struct lg_call *c, int i);
long lg_type_handle(const struct lg_call *c, int i, int k); /* as given: the k-th of an array, or by value for k < 0 */
long lg_type_size(const struct lg_call *c, long handle); /* bytes of such a handle; 0 unknown */
long lg_op_handle(const struct lg_call *c, int i); /* C handle, by value */
int lg_index(const struct lg_call *c, int v); /* of a request, from 0 in every language; undefined: none */
int64_t lg_status_bytes(const char *status);
void *lg_visible(const char *name); /* a variable of the MPI library; NULL */
long lg_handle_at(const struct lg_call *c, int i, int k); /* k-th handle of an array, or behind a pointer */

/* ---- states ---- */

struct lg_edge_ref {
  uint32_t to;
  uint64_t *count;
};

struct lg_comm_ref;
struct lg_chan;

struct lg_st { /* a state of one thread, with what was found at its last visit */
  uint64_t *visits;
  struct lg_edge_ref last;
  uint32_t index;
  uint16_t func;
  uint8_t binding, partial;
  uint32_t nframes;
  uint64_t hash;
  const uint64_t *frames; /* in the file */
  long comm_arg;
  struct lg_comm_ref *comm;
  uint32_t comm_gen;
  struct lg_chan *chan[2];
  struct lg_sent *sent; /* in the file; NULL before it sends */
  long type;               /* the datatype seen last, with its size */
  uint64_t type_size;
  uint32_t type_gen;
  struct lg_last *said; /* what usage.c recorded last of it */
};

#define LG_VAIN_ARGS 8
#define LG_VAIN_BYTES 256

struct lg_vain { /* the last poll, if it was in vain, to know the next one for the same */
  struct lg_st *st;              /* NULL: the last call was no such */
  long given[LG_VAIN_ARGS];      /* its arguments as the program gave them */
  long args[LG_VAIN_ARGS];       /* and as MPI was given them */
  char requests[LG_VAIN_BYTES];  /* the handles in the program's array */
  uint32_t bytes;
  struct lg_call call;
};

struct lg_thr { /* private half of a thread */
  uint64_t outer_cfa, outer_ra; /* of the MPI call in progress; 0 outside */
  struct lg_thread *pub;
  struct lg_st *prev;
  struct lg_cache cache;       /* of its states */
  struct lg_st *states;        /* block list, see state.c */
  uint32_t nstates;
  struct lg_st **by_hash;
  uint32_t by_hash_size;
  struct lg_edge_slot *edges;
  uint32_t edges_size, nedges;
  struct lg_vain vain;
  uint64_t poll_mark; /* `progress` + 1 when the list of polled things was begun; 0 none */
  long *handles;      /* handles as they were before a wait or test */
  char *statuses;     /* stands in for MPI_STATUS(ES)_IGNORE */
  uint32_t room;      /* of both */
  struct lg_usage *usage; /* what usage.c keeps; NULL: nothing yet */
  struct lg_thr *next; /* all threads, never shortened */
  bool in_use;
  int tid;
  uint64_t ran;  /* ns on a processor, as of the last look of the watch thread */
  bool starved;  /* it did not run since that look, though it would have */
};

/* lg_within: a frame is below that of an MPI call: the library calls itself, or a
 * callback of the program's calls it. An MPI call that was left by longjmp or an
 * exception is no longer on the stack, and its return address not in its place. */
static inline bool lg_within(const struct lg_thr *t, uint64_t cfa)
{
  return t->outer_cfa && cfa < t->outer_cfa && ((const uint64_t *)t->outer_cfa)[-1] == t->outer_ra;
}

extern struct lg_thr *lg_threads;
struct lg_st *lg_state_find(struct lg_thr *t, const struct lg_desc *d, int binding, uint64_t ra, uint64_t cfa);
void lg_edge_slow(struct lg_thr *t, struct lg_st *from, struct lg_st *to);
struct lg_thr *lg_thread_register(void);
extern __thread struct lg_thr *lg_self __attribute__((tls_model("initial-exec")));

/* ---- process-wide ---- */

extern bool lg_off;     /* forward calls, record nothing */
extern bool lg_started;
extern struct lg_rank *lg_rank;
extern bool lg_shared; /* more than one of the program's threads may be in here at once */

bool lg_start(void);      /* at the first MPI call; false: nothing is to be recorded */
void lg_start_done(void); /* MPI_Init has returned */
void lg_turn_off(const char *why, ...) __attribute__((format(printf, 1, 2)));
void lg_note(const char *text);

/* Two locks, taken in this order. Tables: communicators, requests, channels;
 * only the program's threads use them, so it costs nothing while there is one.
 * File: records, modules, unwinding; the watch thread and signal handlers need
 * it too. The file lock may be taken again by its holder. */
void lg_lock_tables(void);
void lg_unlock_tables(void);
void lg_lock_file(void);
bool lg_trylock_file(void); /* false also when this thread holds it */
bool lg_lock_file_soon(void); /* false: not to be had, as if its holder waited for what this thread holds */
void lg_unlock_file(void);
bool lg_file_mine(void); /* this thread holds it */

uint64_t lg_now(void); /* CLOCK_REALTIME, ns */
const char *lg_env(const char *name); /* LAGGARD_<name>, NULL if unset or empty */
long lg_env_int(const char *name, long otherwise);
bool lg_records(const char *what); /* whether LAGGARD_RECORD names it */
void *lg_pages(size_t bytes); /* zeroed private memory; NULL */
void *lg_pages_grow(void *old, size_t was, size_t bytes); /* more of it with the same content; NULL: the old one stays */
int lg_from_launcher(const char *const *names); /* the first of these variables that is set; -1 */
extern const char *const lg_size_names[]; /* of variables with the size of MPI_COMM_WORLD */

/* ---- file ---- */

bool lg_file_open(void);
uint32_t lg_slot(void); /* of this process in the file */
/* Room for a record; it counts once committed. NULL: no room, recorder is off. */
/* The file lock is held from begin to commit. */
void *lg_rec_begin(int type, int thread, uint32_t fixed, uint32_t size);
void lg_rec_commit(void *rec);
void lg_file_sync(void);
/* Space in the node file: bytes (a multiple of LG_PAGE) that are nobody else's,
 * and counted in *total, at most `limit` in all; -1: none, `why` says it. */
int64_t lg_file_space(size_t size, uint64_t *total, uint64_t limit, const char **why);
void *lg_file_map(int64_t at, size_t size); /* NULL: failed, errno */
bool lg_file_write(const void *p, size_t n, int64_t at);
uint32_t lg_crc(uint32_t crc, const void *p, size_t n);

static inline void lg_seq_begin(uint64_t *seq)
{
  __atomic_store_n(seq, *seq + 1, __ATOMIC_RELAXED);
  __atomic_thread_fence(__ATOMIC_RELEASE);
}

static inline void lg_seq_end(uint64_t *seq)
{
  __atomic_store_n(seq, *seq + 1, __ATOMIC_RELEASE);
}

/* ---- modules and unwinding ---- */

struct lg_regs {
  uint64_t v[17];  /* DWARF numbers; 7 is the stack pointer, 16 the program counter */
  uint32_t known;  /* bit per register */
};

struct lg_stack { /* memory an unwinding may read: [lo, hi) seen at data */
  uint64_t lo, hi;
  const unsigned char *data; /* data[0] is the byte at lo */
};

struct lg_trace {
  int n;
  bool partial;
  uint64_t pc[LG_MAX_FRAMES];
  uint64_t slot[LG_MAX_FRAMES]; /* address the pc was read from; 0 for the first of a captured stack */
};

void lg_modules_refresh(void);
void lg_modules_unloading(bool begins); /* around a dlclose */
extern uint32_t lg_module_gen;
extern int lg_unloading; /* dlcloses in progress: no stack is captured meanwhile */
bool lg_is_code(uint64_t pc); /* in a module that is known */
void lg_modules_current(void); /* refreshes if the loader has been at work */
uint64_t lg_frame_word(uint64_t pc); /* module index << 48 | offset; may write a module record */
void lg_unwind(struct lg_regs *r, const struct lg_stack *s, bool in_handler, struct lg_trace *out); /* from the registers of a captured thread */
void lg_unwind_caller(uint64_t cfa, uint64_t stack_hi, struct lg_trace *out); /* callers of the wrapper with that CFA; stack_hi 0: unknown */

/* ---- call stacks below MPI ---- */

/* A call into the C library, or into whatever else a preloaded function stands
 * before, by its stack. It is of the whole process. */
struct lg_site {
  uint64_t hash;
  const char *function;
  const uint64_t *frames; /* in the file */
  uint32_t index, nframes;
  uint64_t *calls, *bytes; /* in the file, to be changed atomically */
};

/* The site of a call of `function`, a pointer that is the same for the same name
 * and lasts, by the wrapper with this return address and CFA, in any thread; a
 * hit takes no lock. NULL: nothing is to be recorded. */
struct lg_site *lg_site_find(const char *function, uint64_t ra, uint64_t cfa);
struct lg_site *lg_site_at(const char *function, uint64_t ra); /* the same of a return address alone */
void lg_site_start(void);

/* ---- how much is sent ---- */

extern bool lg_volume; /* it is recorded */
void lg_volume_start(void);
uint64_t lg_send_bytes(struct lg_call *c); /* by the arguments of a call whose communicator is known */
uint64_t lg_send_count(const struct lg_call *c); /* the elements of one type that lie one behind the other in its send buffer; 0: none, or apart */
void lg_sent(struct lg_call *c, int peer, uint64_t bytes); /* counts a call of its state; peer below 0: none, or of a collective */
void lg_type_freed(void);
uint64_t lg_count_of(const struct lg_call *c, int i); /* a count, 0 if it is negative */

/* ---- where it is ---- */

struct lg_extent { /* of a datatype, bytes */
  long extent, true_lb, true_extent; /* true_extent 0: not known */
};

const struct lg_extent *lg_type_extent(const struct lg_call *c, long handle);
void lg_type_ask_extent(const struct lg_call *c, long handle, struct lg_extent *out);

/* ---- communicators, requests, channels ---- */

struct lg_comm_ref {
  long handle;   /* C handle; windows and files are kept as communicators of their own */
  uint32_t index;
  uint32_t use;  /* its number in the recording of usage, from 1; 0 none yet */
  int sources, dests, dims; /* of its topology, plus one; 0: not asked for yet */
  uint8_t what;  /* LG_HANDLE_* */
  bool freed;
  uint32_t flags; /* as in struct lg_comm */
  uint64_t id;
  uint64_t members; /* hash of the membership, both sides, and of the neighbours */
  int rank, size, remote_size; /* of the groups; rank -1, size 0: unknown */
  int slots;        /* messages of a neighbourhood collective, in the order of its arguments */
  uint64_t nobody;  /* bit k: slot k is MPI_PROC_NULL */
  struct lg_comm_live *live;
  struct lg_window *win; /* of a window, once it has been synchronised */
};

enum { LG_HANDLE_COMM, LG_HANDLE_WIN, LG_HANDLE_FILE, LG_HANDLE_FORMING };

extern uint32_t lg_comm_gen;
struct lg_comm_ref *lg_comm_find(int what, long handle);
struct lg_comm_ref *lg_comm_of(struct lg_st *st, const struct lg_call *c, int i);
void lg_comm_made(struct lg_call *c, long handle, struct lg_comm_ref *parent, uint32_t state);
void lg_comm_like(struct lg_call *c, int what, long handle, struct lg_comm_ref *parent, uint32_t state);
/* A communicator in the making: among the members of one group, or of two (0:
 * none), or between this process and a leader in another communicator. Free it
 * when made. */
struct lg_comm_ref *lg_comm_forming(struct lg_call *c, long group, long group2, uint64_t parent, uint32_t state);
struct lg_comm_ref *lg_comm_meeting(struct lg_call *c, long comm, int leader, uint64_t parent, uint32_t state);
void lg_comm_free(struct lg_comm_ref *r);
void lg_comm_start(void);
void lg_session_begun(long session);
void lg_session_ends(long session);
void lg_session_ended(void);

struct lg_topology { /* of a communicator: the constants of MPI_Topo_test */
  int kind, dims; /* dims: of a cartesian one, else 0 */
  int in, out;    /* neighbours, as they stand in arrays: one that is there twice counts twice */
};

bool lg_topology_of(long comm, int rank, struct lg_topology *out); /* false: it has none, or it is not known */

struct lg_neighbours { /* ranks in a communicator, ascending; without a topology `known` is false */
  bool known;
  int nsources, ndests;
  int *sources, *dests; /* to be freed */
  int slots;       /* dests as they were given */
  uint64_t nobody; /* bit k: MPI_PROC_NULL is the k-th of them */
  uint64_t hash;
};

void lg_neighbours_of(long comm, int rank, struct lg_neighbours *out);
void lg_window_drop(struct lg_comm_ref *r);
uint64_t lg_mix(uint64_t h, uint64_t v); /* the next value of a hash */
int lg_peer(int peer); /* MPI's constant to ours */
int lg_tag(int tag);

struct lg_chan {
  struct lg_channel *pub;
  uint32_t comm;
  int32_t peer, tag;
  uint32_t turn;
};

struct lg_chan *lg_chan_get(struct lg_st *st, int way, uint32_t comm, int peer, int tag);

struct lg_piece { /* of memory */
  const void *at;
  uint64_t bytes;
};

struct lg_req {
  uint64_t key;  /* 0 free, 1 deleted */
  uint32_t kind; /* LG_OP_SEND, LG_OP_RECV, LG_OP_COLL, LG_OP_OTHER */
  uint32_t comm;
  int32_t peer, tag;
  int32_t peer2, tag2; /* the receiving half of an Isendrecv; peer2 LG_NONE: none */
  uint64_t seq, seq2;
  uint32_t state;
  uint64_t bytes; /* that starting a persistent one sends */
  uint32_t thread; /* that began it: state is one of its own */
  struct lg_piece out, in;
  bool persistent, active, cancelled, buffered;
  struct lg_comm_ref *ref; /* communicator of a collective, parent of a new one */
  const void *newcomm;     /* where MPI_Comm_idup will put its handle */
};

enum { LG_KEY_REQUEST, LG_KEY_MESSAGE };
struct lg_req *lg_req_put(int space, long handle);
struct lg_req *lg_req_get(int space, long handle);
void lg_req_drop(struct lg_req *r);

/* ---- watching ---- */

void lg_watch_start(void);
void lg_ends_start(void);
/* Writes down the stack of a thread; it runs in that thread's signal handler. */
bool lg_capture_here(struct lg_thr *t, uint32_t why, int sig, void *ucontext);
enum { LG_WHY_QUIET = 1, LG_WHY_ASKED = 2, LG_WHY_FATAL = 3 };
extern uint32_t lg_capture_why; /* for the captures that are under way */
extern bool lg_asked;           /* a signal asked for the stacks */
int lg_capture_signal(void);
void lg_said_end(uint32_t end, int detail);
int lg_real_sigaction(int sig, const struct sigaction *act, struct sigaction *old);

#pragma GCC visibility pop
#endif
