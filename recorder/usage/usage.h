/* The recording of every call's arguments, for the checks of analysis/usage/replay. The
 * way of a call: usage.c makes an event before it and one after it, of the values
 * that value.c reads out of the arguments by the table of parameters; datatype.c
 * and constants.c describe the objects that handles mean, once; checksum.c looks
 * whether what is being sent stays as it was, receiving.c whether the program
 * leaves alone what is being received. */
#ifndef LAGGARD_USAGE_H
#define LAGGARD_USAGE_H

#include "core.h"
#include "stream.h"

#define LG_MAX_PARAMS 24
#define LG_MAX_VALUES 65536 /* recorded of one array */

struct lg_last { /* what was recorded last of a call site, for the next to say what changed */
  uint64_t block;   /* number of the block it is in, plus one */
  int64_t value[2 * LG_MAX_PARAMS]; /* scalars before the call, then those after it */
  /* The arguments of the call, if they all came by value, while the handles among
   * them mean the same: they need not be read again. */
  uint32_t comm_gen, type_gen; /* 0: they are not known */
  long args[LG_MAX_PARAMS];
};

struct lg_array {
  uint32_t n;
  bool known, cut;
  uint8_t width; /* values that belong together */
  uint32_t at;   /* of the first value in lg_usage.values */
};

struct lg_values { /* of one event */
  uint32_t nscalars, narrays;
  int64_t scalar[2 * LG_MAX_PARAMS];
  struct lg_array array[LG_MAX_PARAMS];
};

struct lg_dtype;

#define LG_FIRST_BYTES 64

struct lg_live { /* a request that the program has a handle of */
  long handle;
  const void *where; /* the program's variable when it was made */
  uint32_t twin;     /* tells apart those that have one handle at once; 0 mostly */
  uint32_t next;     /* of its hash */
  bool persistent;
  /* what is being sent, if it is looked after (checksum.c) */
  struct lg_dtype *type; /* NULL: nothing */
  const void *buf;
  int64_t count;
  uint64_t sum, now;   /* when it was begun, and as it was last */
  uint64_t begun;      /* number of the begin of the call that sends it, 0 not under way */
  /* the first bytes that are received, if they are looked after (receiving.c) */
  const char *into;
  uint32_t into_size;
  bool into_large, over; /* over: the message went over what the program wrote */
  uint64_t into_begun;   /* as begun */
  uint64_t changed;      /* number of the begin of the call before which the program wrote there; 0 none */
  char first[LG_FIRST_BYTES]; /* what they were last */
};

#define LG_MOST_RECEIVING 8

struct lg_usage { /* of one thread, which alone writes to it */
  struct lg_stream *stream;
  uint64_t block;  /* that the last event went to, plus one; 0 none */
  uint64_t clock;  /* number of the last event that has one */
  bool numbered;   /* events carry their numbers: there are other threads */
  uint64_t calling; /* state of the call in progress, plus one; 0 none */
  uint64_t begun;  /* number of the begin of the call in progress */
  int64_t freed;   /* the type that it frees, or -1 */
  int64_t *values; /* of the arrays of one event */
  uint32_t nvalues, room;
  struct lg_values v;
  uint32_t *given, ngiven, given_room; /* requests that the call was given, as lg_live_of has them */
  uint32_t made;                       /* the request that it made */
  struct lg_live sending;              /* what it is about to send */
  struct {
    uint32_t live; /* as lg_live_at has it */
    uint32_t calls; /* for so many more */
  } receiving[LG_MOST_RECEIVING]; /* whose first bytes are looked after */
  uint32_t nreceiving;
  struct { /* the poll before, if it was in vain and nothing was written since */
    unsigned char *begin, *body; /* its begin, up to its number */
    unsigned char *end;          /* behind its last event */
    unsigned char *count;        /* in the event that says how often it was repeated; NULL: not yet */
    unsigned char *here, *here_body; /* the begin of the call in progress */
    bool again;                  /* which is the same */
    uint64_t clock;
  } poll;
  struct lg_known_type { /* what handles were found to be */
    int64_t handle;
    uint32_t gen, index;
  } types[64];
};

#pragma GCC visibility push(hidden)

extern bool lg_usage_on;

void lg_usage_start(void);
void lg_usage_ready(void); /* MPI may be asked now */
bool lg_mpi_usable(void);  /* between the end of MPI_Init and the end of MPI_Finalize */
void lg_usage_before(struct lg_call *c);
bool lg_usage_again(struct lg_call *c); /* the same of a poll that is repeated in vain; false: it is not to be had so */
void lg_usage_ended(struct lg_call *c); /* the call has returned; what it completed is not yet settled */
void lg_usage_after(struct lg_call *c);

/* ---- values (value.c) ---- */

void lg_values_before(struct lg_call *c, struct lg_usage *u);
void lg_values_after(struct lg_call *c, struct lg_usage *u);
int64_t lg_arg(const struct lg_call *c, int i); /* a parameter that is a number */
const void *lg_arg_buffer(const struct lg_call *c, int i);
int64_t lg_arg_address(const struct lg_call *c, int i); /* LG_USE_BOTTOM, LG_USE_IN_PLACE or the address */
struct lg_comm_ref *lg_comm_named(const struct lg_call *c); /* the communicator it is about; NULL */
int lg_arg_at(const struct lg_call *c, int i); /* where the language binding has it; negative: nowhere */
uint32_t lg_length(const struct lg_call *c, const struct lg_param *p, bool *known);
void lg_values_start(void);

const void *lg_arg_place(const struct lg_call *c, int i, uint32_t k);

/* ---- requests (live.c) ---- */

int64_t lg_live_made(struct lg_usage *u, long handle, const void *where);
int64_t lg_live_number(struct lg_usage *u, long handle, const void *where, uint32_t k, bool after);
void lg_live_still(struct lg_usage *u, uint32_t k, bool gone); /* what became of the k-th request of the call */
struct lg_live *lg_live_of(const struct lg_usage *u, uint32_t k); /* the k-th request that the call was given; NULL */
struct lg_live *lg_live_at(uint32_t n);
struct lg_live *lg_live_new(const struct lg_usage *u); /* the one that it made; NULL */

/* ---- objects ---- */

void lg_constants_start(void); /* the names of predefined types and nulls, without asking MPI */
void lg_constants_define(struct lg_usage *u); /* predefined handles, into the stream */
bool lg_is_null(int kind, long handle); /* kind: enum lg_param_kind */
long lg_f2c(int kind, int handle);
const long *lg_predefined_types(uint32_t *n);

struct lg_segment { int64_t at, size; }; /* bytes of a type, from its origin */

struct lg_dtype {
  long handle;
  uint32_t index; /* in the recording; its number there */
  uint32_t refs;  /* handles that were given out and not freed */
  uint32_t holds; /* sums that still need it */
  int combiner;   /* MPI_COMBINER_NAMED is 0 */
  int64_t size, lb, extent, true_lb, true_extent;
  int64_t *ints, *addresses; /* as MPI_Type_get_contents gives them */
  struct lg_dtype **types;
  int64_t nints, naddresses, ntypes;
  struct lg_segment *segments; /* see lg_type_map */
  int64_t nsegments;           /* -1: too many; 0 with segments NULL: not yet made */
};

enum { LG_NAMED, LG_DUP, LG_CONTIGUOUS, LG_VECTOR, LG_HVECTOR_INTEGER, LG_HVECTOR, LG_INDEXED, LG_HINDEXED_INTEGER, LG_HINDEXED,
       LG_INDEXED_BLOCK, LG_STRUCT_INTEGER, LG_STRUCT, LG_SUBARRAY, LG_DARRAY, LG_F90_REAL, LG_F90_COMPLEX, LG_F90_INTEGER, LG_RESIZED,
       LG_HINDEXED_BLOCK };

extern uint32_t lg_type_gen; /* changes when a handle may have come to mean another type */

void lg_types_start(void);
int64_t lg_type_index(struct lg_usage *u, int64_t handle, bool fortran);
int64_t lg_type_made(struct lg_usage *u, long handle, bool constructed);
void lg_type_gone(int64_t index);
struct lg_dtype *lg_type_at(int64_t index); /* NULL: no such */
bool lg_type_map(struct lg_dtype *t); /* makes its segments; false: too many, or it has none */
void lg_type_hold(struct lg_dtype *t);
void lg_type_drop(struct lg_dtype *t);
uint32_t lg_type_contents(long handle); /* how many types it was made of */
int64_t lg_comm_use(struct lg_usage *u, struct lg_comm_ref *r);

/* A handle that was given back is known as what it was until it is given out
 * again: of the last ones of each kind (enum lg_param_kind). */
void lg_gone_put(int kind, long handle, int64_t number);
int64_t lg_gone_number(int kind, long handle); /* LG_USE_INVALID: no such */

/* ---- events (usage.c) ---- */

unsigned char *lg_use_begin(struct lg_usage *u, size_t most); /* room for an event */
void lg_use_end(struct lg_usage *u, unsigned char *end);
int64_t *lg_use_room(struct lg_usage *u, uint32_t n); /* for an array's values; NULL: no memory */
unsigned char *lg_put_array(unsigned char *p, const int64_t *v, const struct lg_array *a);
void lg_use_parts(struct lg_usage *u, const int64_t *v, const struct lg_array *a);
size_t lg_array_bytes(const struct lg_array *a); /* at most */
void lg_use_note(struct lg_usage *u, int kind, uint64_t call, uint64_t seen, int64_t value);

/* ---- checksums (checksum.c) ---- */

void lg_sums_start(void);
bool lg_reading(void (*f)(void *), void *arg); /* calls f, which reads the program's memory; false: there was none */
void lg_sums_fault(const sigset_t *mask); /* in the handler of a fault */
void lg_sums_before(struct lg_call *c, struct lg_usage *u); /* before the call's own event */
void lg_sums_ended(struct lg_call *c, struct lg_usage *u); /* looks at the sums of what has completed */
void lg_sums_after(struct lg_call *c, struct lg_usage *u); /* notes those of what was begun */

/* ---- what is being received (receiving.c) ---- */

void lg_receiving_start(void);
void lg_receiving_before(struct lg_usage *u); /* before MPI is called */
void lg_receiving_begun(const struct lg_call *c, struct lg_usage *u); /* the call made an operation or began one */
void lg_receiving_after(struct lg_usage *u);  /* after every call */
void lg_receiving_given_up(struct lg_usage *u); /* the requests of the call are cancelled */
void lg_received(struct lg_usage *u, struct lg_live *l); /* it is complete */

#pragma GCC visibility pop
#endif
