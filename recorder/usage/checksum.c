/* Whether a buffer stays as it is while it is being sent: a sum over the bytes
 * that are sent, and no others, when the send begins and when it is complete.
 * The program may have given the memory back by then, which is its error to be
 * told about and not ours to die of: a fault while reading ends the reading. */
#define _GNU_SOURCE
#include <immintrin.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include "operation.h"
#include "usage.h"

#define NOTE_CHANGED 1 /* usage.SendBufferChanged */

static bool on;

void lg_sums_start(void)
{
  on = lg_env_int("CHECKSUMS", 1) != 0;
}

/* ---- reading ---- */

#define K 0x9e3779b97f4a7c15ull

static inline uint64_t step(uint64_t h, uint64_t word)
{
  h = (h ^ word) * K;
  return h << 31 | h >> 33;
}

static inline uint64_t word_at(const char *p)
{
  uint64_t w;
  memcpy(&w, p, sizeof w);
  return w;
}

/* sum_wide is the sum of n bytes, a multiple of 64: like XXH3, the product of the
 * halves of each word under a key that differs from place to place, and the word. */
static uint64_t __attribute__((target("avx2"))) sum_wide(uint64_t h, const char *p, size_t n)
{
  const __m256i more = _mm256_set1_epi64x((int64_t)K);
  __m256i key = _mm256_set_epi64x((int64_t)h, (int64_t)(h ^ K), (int64_t)(h + K), (int64_t)~h);
  __m256i a = key, b = more;
  for (const char *end = p + n; p < end; p += 64) {
    __m256i x = _mm256_loadu_si256((const void *)p), y = _mm256_loadu_si256((const void *)(p + 32));
    __m256i kx = _mm256_xor_si256(x, key), ky = _mm256_xor_si256(y, _mm256_add_epi64(key, more));
    a = _mm256_add_epi64(a, _mm256_add_epi64(_mm256_mul_epu32(kx, _mm256_srli_epi64(kx, 32)), _mm256_shuffle_epi32(x, 0x4e)));
    b = _mm256_add_epi64(b, _mm256_add_epi64(_mm256_mul_epu32(ky, _mm256_srli_epi64(ky, 32)), _mm256_shuffle_epi32(y, 0x4e)));
    key = _mm256_sub_epi64(key, more);
  }
  uint64_t v[8];
  _mm256_storeu_si256((void *)v, a);
  _mm256_storeu_si256((void *)(v + 4), b);
  for (int i = 0; i < 8; i++)
    h = step(h, v[i]);
  return h;
}

/* sum_bytes goes through four words at a time, each with a sum of its own: the
 * multiplications overlap. */
static uint64_t sum_bytes(uint64_t h, const char *p, size_t n)
{
  if (n >= 256 && __builtin_cpu_supports("avx2")) {
    size_t wide = n & ~(size_t)63;
    h = sum_wide(h, p, wide);
    p += wide;
    n -= wide;
  }
  if (n >= 64) {
    uint64_t a = h, b = h ^ K, c = h + K, d = ~h;
    for (; n >= 32; n -= 32, p += 32) {
      a = step(a, word_at(p));
      b = step(b, word_at(p + 8));
      c = step(c, word_at(p + 16));
      d = step(d, word_at(p + 24));
    }
    h = step(step(step(a, b), c), d);
  }
  for (; n >= 8; n -= 8, p += 8)
    h = step(h, word_at(p));
  uint64_t rest = n;
  for (; n; n--, p++)
    rest = rest << 8 | (unsigned char)*p;
  return step(h, rest);
}

static uint64_t sum_of(const char *buf, int64_t count, const struct lg_dtype *t)
{
  uint64_t h = K;
  if (t->nsegments == 1 && t->segments[0].size == t->extent)
    return sum_bytes(h, buf + t->segments[0].at, (size_t)(count * t->extent));
  for (int64_t i = 0; i < count; i++, buf += t->extent)
    for (int64_t k = 0; k < t->nsegments; k++)
      h = sum_bytes(h, buf + t->segments[k].at, (size_t)t->segments[k].size);
  return h;
}

static __thread sigjmp_buf reading __attribute__((tls_model("initial-exec")));
static __thread volatile bool is_reading __attribute__((tls_model("initial-exec")));

/* lg_sums_fault is called by the handler of faults: it does not return if the
 * fault was met while reading a buffer. */
void lg_sums_fault(const sigset_t *mask)
{
  if (!is_reading)
    return;
  is_reading = false;
  pthread_sigmask(SIG_SETMASK, mask, NULL);
  siglongjmp(reading, 1);
}

bool __attribute__((noinline)) lg_reading(void (*f)(void *), void *arg)
{
  if (sigsetjmp(reading, 0))
    return false;
  is_reading = true;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  f(arg);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  is_reading = false;
  return true;
}

static void sum_live(void *arg)
{
  struct lg_live *l = arg;
  l->now = sum_of(l->buf, l->count, l->type);
}

/* ---- what is sent ---- */

static bool persistent(int cls)
{
  return cls == CLS_send_init || cls == CLS_bsend_init || cls == CLS_coll_init;
}

/* sends_on tells whether a call begins to send what it has not sent when it
 * returns. Partitions are the program's until it says that they are ready, and
 * what is replaced is written by MPI. */
static bool sends_on(const struct lg_desc *d)
{
  if (!d->sends || d->partitions >= 0)
    return false;
  switch (d->cls) {
  case CLS_isend: case CLS_ibsend: case CLS_icoll:
    return true;
  case CLS_isendrecv:
    return d->send_buf != d->recv_buf;
  default:
    return persistent(d->cls);
  }
}

/* describe says what the call sends; false: nothing, or nothing that can be
 * looked after. */
static bool describe(const struct lg_call *c, struct lg_usage *u, struct lg_live *out)
{
  const struct lg_desc *d = c->desc;
  if (!c->comm)
    return false;
  int64_t address = lg_arg_address(c, d->send_buf);
  out->count = address == LG_USE_IN_PLACE ? 0 : (int64_t)lg_send_count(c);
  if (!out->count)
    return false;
  out->type = lg_type_at(lg_type_index(u, lg_arg(c, d->send_type), c->binding != LG_BIND_C));
  out->buf = address == LG_USE_BOTTOM ? NULL : (const void *)address;
  out->begun = 0;
  return out->type && lg_type_map(out->type) && out->type->nsegments > 0;
}

static void start(struct lg_usage *u, struct lg_live *l)
{
  l->begun = lg_reading(sum_live, l) ? u->begun : 0;
  l->sum = l->now;
}

/* lg_sums_before comes when the call's own begin is written. */
void lg_sums_before(struct lg_call *c, struct lg_usage *u)
{
  u->sending.type = NULL;
  if (!on)
    return;
  lg_receiving_before(u);
  int cls = c->desc->cls;
  if (cls == CLS_start || cls == CLS_startall) {
    for (uint32_t k = 0; k < u->ngiven; k++) {
      struct lg_live *l = lg_live_of(u, k);
      if (l && l->type)
        start(u, l);
    }
    return;
  }
  if (likely(!sends_on(c->desc)))
    return;
  if (!describe(c, u, &u->sending))
    u->sending.type = NULL;
  else if (!persistent(cls))
    start(u, &u->sending);
}

/* lg_sums_after comes when the call has returned without error, and the request
 * that it made has its number. */
void lg_sums_after(struct lg_call *c, struct lg_usage *u)
{
  struct lg_live *l = u->sending.type ? lg_live_new(u) : NULL;
  if (!l || (!u->sending.begun && !persistent(c->desc->cls)))
    return;
  l->persistent = persistent(c->desc->cls);
  l->type = u->sending.type;
  l->buf = u->sending.buf;
  l->count = u->sending.count;
  l->sum = u->sending.sum;
  l->begun = u->sending.begun;
  lg_type_hold(l->type);
}

/* ---- completion ---- */

static void finished(struct lg_usage *u, uint32_t k)
{
  struct lg_live *l = lg_live_of(u, k);
  if (!l)
    return;
  lg_received(u, l);
  if (!l->type || !l->begun)
    return;
  if (lg_reading(sum_live, l) && l->now != l->sum)
    lg_use_note(u, NOTE_CHANGED, l->begun, u->begun, l->count);
  l->begun = 0;
}

static void finished_some(struct lg_call *c, struct lg_usage *u)
{
  int n = *(const int *)c->args[c->desc->outcount];
  for (int k = 0; k < n; k++) {
    int i = lg_index(c, ((const int *)c->args[c->desc->indices])[k]);
    if (i >= 0)
      finished(u, (uint32_t)i);
  }
}

static bool flagged(const struct lg_call *c)
{
  return *(const int *)c->args[c->desc->flag] != 0;
}

/* lg_sums_ended comes when the call has returned without error. */
void lg_sums_ended(struct lg_call *c, struct lg_usage *u)
{
  int index;
  if (!on || !u->ngiven)
    return;
  switch (c->desc->cls) {
  case CLS_testall: case CLS_test:
    if (!flagged(c))
      return;
    break;
  case CLS_wait: case CLS_waitall:
    break;
  case CLS_cancel:
    return lg_receiving_given_up(u);
  case CLS_testany:
    if (!flagged(c))
      return; /* fallthrough */
  case CLS_waitany:
    index = lg_index(c, *(const int *)c->args[c->desc->index]);
    if (index >= 0)
      finished(u, (uint32_t)index);
    return;
  case CLS_waitsome: case CLS_testsome:
    return finished_some(c, u);
  default:
    return;
  }
  for (uint32_t k = 0; k < u->ngiven; k++)
    finished(u, k);
}
