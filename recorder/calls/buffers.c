#include <string.h>
#include "base/locks.h"
#include "base/mappings.h"
#include "calls/buffers.h"
#include "calls/reach.h"
#include "file/record.h"
#include "format.h"
#include "identity/request.h"
#include "mpi/address.h"
#include "stack/modules.h"
#include "stack/unwind.h"

#define MAX_PENDING_BUFFERS 64 /* that are written */
#define MAX_LOOKED_AT 4096     /* requests */
#define RED_ZONE 128           /* bytes below the stack pointer that a function may use */
#define FIRST_PAGES 65536      /* where nothing is ever mapped */

struct stack { /* of the thread that dies */
  uint64_t lo, hi, sp;
  struct lg_trace trace; /* of the callers of the function of MPI; n 0: none */
};

static struct stack stack; /* large; the file lock is held */

/* place_in_frame finds the frame that an address is in. */
static void place_in_frame(struct lg_buffer *b)
{
  const struct lg_trace *t = &stack.trace;
  for (int i = 0; i + 1 < t->n; i++)
    if (b->address >= t->sp[i] && b->address < t->sp[i + 1]) {
      b->frame = (uint32_t)i;
      b->in_frame = b->address - t->sp[i + 1];
      b->variable = lg_frame_word(t->pc[i]);
      return;
    }
}

/* look says what memory is at the address of a buffer. */
static void look(struct lg_buffer *b)
{
  struct lg_room r = lg_room_at(b->address);
  b->memory = r.memory;
  b->room = r.memory == LG_MEMORY_UNKNOWN ? UINT64_MAX : r.bytes;
  b->flags |= r.memory >= LG_MEMORY_MAPPING && !r.writable ? LG_BUFFER_READ_ONLY : 0;
  if (b->address >= stack.lo && b->address < stack.hi) {
    b->memory = b->address + RED_ZONE < stack.sp ? LG_MEMORY_GONE : LG_MEMORY_STACK;
    b->room = stack.hi - b->address;
    if (b->memory == LG_MEMORY_STACK)
      place_in_frame(b);
  } else if (r.memory == LG_MEMORY_MAPPING) {
    b->variable = lg_data_word(b->address);
  }
}

static bool put(const struct lg_thr *t, const struct lg_buffer *b)
{
  uint32_t fixed = sizeof *b - sizeof b->h;
  struct lg_buffer *r = lg_rec_begin(LG_REC_BUFFER, (int)t->pub->index, fixed, sizeof *r);
  if (!r)
    return false;
  memcpy((char *)r + sizeof r->h, (const char *)b + sizeof b->h, fixed);
  lg_rec_commit(r);
  return true;
}

static struct lg_buffer buffer_of(uint64_t address, const struct lg_reach *r)
{
  return (struct lg_buffer){
      .address = address, .low = (uint64_t)r->low, .high = (uint64_t)r->high, .flags = r->written ? LG_BUFFER_WRITTEN : 0,
      .state = LG_NO_INDEX, .position = (uint32_t)r->position, .element = r->element, .frame = LG_NO_INDEX, .variable = UINT64_MAX};
}

/* is_unsure: the call may have written over the arguments that say how far it reaches. */
static bool is_unsure(const struct lg_call *c, const struct lg_reach *reaches, int n)
{
  for (int k = 0; k < n; k++) {
    uint64_t from = (uint64_t)lg_arg_buffer(c, reaches[k].position);
    for (int i = 0; reaches[k].written && i < c->desc->nargs; i++) {
      uint64_t at = (uint64_t)c->args[i];
      if (lg_in_memory(c, i) && at >= from && at - from < (uint64_t)reaches[k].high)
        return true;
    }
  }
  return false;
}

static void put_arguments(const struct lg_thr *t, const struct lg_call *c)
{
  struct lg_reach reaches[LG_MAX_REACHES];
  int n = lg_reaches(c, reaches);
  bool unsure = is_unsure(c, reaches, n);
  for (int i = 0; i < n; i++) {
    struct lg_buffer b = buffer_of((uint64_t)lg_arg_buffer(c, reaches[i].position), &reaches[i]);
    int64_t named = lg_arg_address(c, reaches[i].position);
    if (named == LG_USE_IN_PLACE || (named == LG_USE_BOTTOM && (b.address || (int64_t)b.low >= FIRST_PAGES)))
      continue; /* the datatype has the addresses */
    b.flags |= unsure ? LG_BUFFER_UNSURE : 0;
    look(&b);
    put(t, &b);
  }
}

/* is_suspect: what the memory is shows that something is wrong. */
static bool is_suspect(const struct lg_buffer *b)
{
  return b->memory == LG_MEMORY_NULL || b->memory == LG_MEMORY_NONE || b->memory == LG_MEMORY_FREED || b->memory == LG_MEMORY_GONE ||
         (b->room != UINT64_MAX && (int64_t)b->high > (int64_t)b->room);
}

/* put_pending writes the buffers of what is pending, those first that are suspect. */
static void put_pending(const struct lg_thr *t)
{
  for (int suspect = 1, n = 0; suspect >= 0; suspect--) {
    const struct lg_req *q;
    for (uint32_t i = 0, looked = 0; n < MAX_PENDING_BUFFERS && looked < MAX_LOOKED_AT && (q = lg_req_next(&i)); looked++) {
      struct lg_reach r = {.element = -1, .written = q->kind == LG_OP_RECV};
      if (!q->buffer || q->thread != t->pub->index || !lg_reach_add(&r, 0, (int64_t)q->count, q->type) || r.high <= r.low)
        continue;
      struct lg_buffer b = buffer_of(q->buffer, &r);
      b.state = q->state;
      look(&b);
      if (is_suspect(&b) == suspect)
        n += put(t, &b);
    }
  }
}

void lg_note_buffers(const struct lg_thr *t, const struct lg_call *c, uint64_t sp)
{
  static int noted;
  const struct lg_cache *cache = &t->model.cache;
  if (__atomic_exchange_n(&noted, 1, __ATOMIC_ACQ_REL) || !lg_trylock_file())
    return;
  if (!lg_unloading) {
    bool native = sp >= cache->stack_lo && sp < cache->stack_hi;
    lg_modules_may_refresh = false;
    stack.lo = native ? cache->stack_lo : 0;
    stack.hi = native ? cache->stack_hi : 0;
    stack.sp = sp;
    stack.trace.n = 0;
    if (c && !lg_cache_recall(cache, c->desc, t->outer_ra, t->outer_cfa, c->st, &stack.trace))
      lg_cache_unwind(cache, t->outer_cfa, &stack.trace);
    if (c)
      put_arguments(t, c);
    put_pending(t);
    lg_modules_may_refresh = true;
  }
  lg_unlock_file();
}
