/* What a thread keeps for the recording of every call's arguments (--record
 * usage), which the checks of analysis/usage/replay read. The way of a call:
 * usage.c makes an event before it and one after it (event.c), of the values that
 * value.c reads out of the arguments by the table of parameters; datatype.c (with
 * contents.c and typetable.c), constants.c and communicator.c describe the objects that handles mean, once;
 * checksum.c looks whether what is being sent stays as it was, receiving.c
 * whether the program leaves alone what is being received, and race.c asks the
 * program's ThreadSanitizer, if it has one, about both. */
#pragma once

#include "base/base.h"

#define LG_KNOWN_TYPES 64 /* a power of two */
#define LG_MAX_PARAMS 24
#define LG_MAX_VALUES 65536 /* recorded of one array */
#define LG_MOST_RECEIVING 8 /* buffers of a thread that are checked while they receive */

struct lg_dtype;

struct lg_array { /* of one event */
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

struct lg_sending { /* a buffer that is checked while it is sent */
  struct lg_dtype *type; /* NULL: none is */
  const void *buf;
  int64_t count;
  uint64_t sum, now; /* when it was begun, and as it was last */
  uint64_t begun;    /* number of the begin of the call that sends it, 0 not under way */
};

struct lg_span { /* memory of the program; type NULL: none */
  struct lg_dtype *type;
  const void *buf;
  int64_t count;
};

struct lg_usage { /* of one thread, which alone writes to it */
  struct lg_stream *stream;
  uint64_t block;   /* that the last event went to, plus one; 0 none */
  uint64_t clock;   /* number of the last event that has one */
  bool numbered;    /* events carry their numbers: there are other threads */
  uint64_t calling; /* state of the call in progress, plus one; 0 none */
  uint64_t begun;   /* number of the begin of the call in progress */
  int64_t freed;    /* the type that it frees, or -1 */
  int64_t *values;  /* of the arrays of one event */
  uint32_t nvalues, room;
  struct lg_values v;
  uint32_t *given, ngiven, given_room; /* requests that the call was given, as lg_live_of has them */
  uint32_t made;                       /* the request that it made */
  uint64_t turn;                       /* number of the call that was given them */
  struct lg_sending sending;           /* what it is about to send */
  struct {
    uint32_t live;  /* as lg_live_at has it */
    uint32_t calls; /* for so many more */
  } receiving[LG_MOST_RECEIVING]; /* whose first bytes are checked */
  uint32_t nreceiving;
  struct { /* the poll before, if it was unsuccessful and nothing was written since */
    unsigned char *begin, *body; /* its begin, up to its number */
    unsigned char *end;          /* behind its last event */
    unsigned char *count; /* in the event that says how often it was repeated; NULL: not yet */
    unsigned char *here, *here_body; /* the begin of the call in progress */
    bool again;                      /* which is the same */
    uint64_t clock;
  } poll;
  struct lg_known_type { /* what handles were found to be */
    int64_t handle;
    uint32_t gen, index;
  } types[LG_KNOWN_TYPES];
};
