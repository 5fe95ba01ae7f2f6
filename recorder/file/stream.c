/* Blocks of events are filled in a mapped chunk of the node file and packed by
 * zstd when full, by the thread that filled them. zstd is the one of the machine,
 * found at run time: the recorder has to be one file that runs anywhere. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include "base/crc.h"
#include "base/locks.h"
#include "base/pages.h"
#include "base/settings.h"
#include "file/node.h"
#include "file/record.h"
#include "file/stream.h"

#define LEVEL 1

static struct {
  void *context;
  size_t (*compress)(void *, void *, size_t, const void *, size_t, int);
  unsigned (*failed)(size_t);
  char *out;
  size_t room;
  int lock;
} zstd;

static uint64_t total, limit;
static size_t live_bytes; /* of a live chunk: a page is for the header, and mostly unused */
static uint32_t nstreams;

/* sanitized tells whether the runtime of a sanitizer is in the process. It ends the
 * program at a dlopen with RTLD_DEEPBIND. */
static bool sanitized(void)
{
  return dlsym(RTLD_DEFAULT, "__asan_init") || dlsym(RTLD_DEFAULT, "__tsan_init") || dlsym(RTLD_DEFAULT, "__msan_init") ||
         dlsym(RTLD_DEFAULT, "__hwasan_init");
}

/* find_zstd finds the compressor and lets it take its memory now, not within a
 * call of the program's. It is bound to its own functions where that may be: the
 * program may have another version of them. */
static void find_zstd(void)
{
  void *lib = dlopen("libzstd.so.1", RTLD_NOW | RTLD_LOCAL | (sanitized() ? 0 : RTLD_DEEPBIND));
  if (!lib)
    return;
  void *(*create)(void) = (void *(*)(void))dlsym(lib, "ZSTD_createCCtx");
  size_t (*bound)(size_t) = (size_t (*)(size_t))dlsym(lib, "ZSTD_compressBound");
  zstd.compress = (size_t (*)(void *, void *, size_t, const void *, size_t, int))dlsym(lib, "ZSTD_compressCCtx");
  zstd.failed = (unsigned (*)(size_t))dlsym(lib, "ZSTD_isError");
  if (!create || !bound || !zstd.compress || !zstd.failed)
    return;
  zstd.room = bound(LG_BLOCK_SIZE);
  zstd.out = lg_pages(zstd.room);
  char *sample = lg_pages(LG_BLOCK_SIZE);
  zstd.context = zstd.out && sample ? create() : NULL;
  if (zstd.context)
    zstd.compress(zstd.context, zstd.out, zstd.room, sample, LG_BLOCK_SIZE, LEVEL);
  if (sample)
    munmap(sample, LG_BLOCK_SIZE);
}

void lg_stream_start(void)
{
  limit = (uint64_t)lg_env_int("STREAM_MB", 128) << 20;
  live_bytes = lg_file_rounded(LG_BLOCK_SIZE + sizeof(struct lg_stream_chunk));
  if (lg_records("usage") || lg_records("movement"))
    find_zstd();
}

/* ended says once why nothing more is recorded of a kind. */
static void ended(struct lg_stream *s, const char *why)
{
  static bool said[LG_STREAM_MOVEMENT + 1];
  char text[160];
  if (s->live)
    s->live->cut = 1;
  s->live = NULL;
  if (__atomic_exchange_n(&said[s->kind], true, __ATOMIC_RELAXED))
    return;
  const char *what = s->kind == LG_STREAM_USAGE ? "calls" : "data movement";
  if (why)
    snprintf(text, sizeof text, "the recording of %s ended: %s", what, why);
  else
    snprintf(text, sizeof text, "the recording of %s ended: this rank has used its %lu MB (LAGGARD_STREAM_MB)", what,
             (unsigned long)(limit >> 20));
  lg_lock_file();
  lg_note(text);
  lg_unlock_file();
}

static int64_t space(size_t size, const char **why)
{
  lg_lock_file();
  int64_t at = lg_file_space(size, &total, limit, why);
  lg_unlock_file();
  return at;
}

static struct lg_stream_chunk header(const struct lg_stream *s, size_t size, size_t packed)
{
  struct lg_stream_chunk h = {.magic = LG_MAGIC_STREAM, .size = (uint32_t)size, .slot = lg_slot(), .kind = (uint16_t)s->kind,
                              .thread = (uint16_t)s->thread, .number = s->number, .packed = (uint32_t)packed, .block = s->block};
  h.crc = lg_crc(0, &h, offsetof(struct lg_stream_chunk, crc));
  return h;
}

/* fresh begins a live chunk. */
static bool fresh(struct lg_stream *s)
{
  const char *why = NULL;
  int64_t at = space(live_bytes, &why);
  struct lg_stream_chunk *c = at < 0 ? NULL : lg_file_map(at, live_bytes);
  if (!c) {
    ended(s, at < 0 ? why : strerror(errno));
    return false;
  }
  struct lg_stream_chunk h = header(s, live_bytes, 0);
  memcpy((char *)c + sizeof h.magic, (char *)&h + sizeof h.magic, sizeof h - sizeof h.magic);
  __atomic_store_n(&c->magic, h.magic, __ATOMIC_RELEASE);
  s->live = c;
  s->at = (unsigned char *)(c + 1);
  s->end = s->at + LG_BLOCK_SIZE;
  return true;
}

struct lg_stream *lg_stream_open(enum lg_stream_kind kind, uint32_t thread)
{
  struct lg_stream *s = lg_off ? NULL : lg_pages(sizeof *s);
  if (!s)
    return NULL;
  s->kind = kind;
  s->thread = thread;
  s->number = __atomic_fetch_add(&nstreams, 1, __ATOMIC_RELAXED);
  return fresh(s) ? s : NULL;
}

/* pack writes the live block into a chunk of its own; false: it did not get
 * smaller, or there is no compressor. */
static bool pack(struct lg_stream *s)
{
  const char *why = NULL;
  size_t used = s->live->used;
  if (!zstd.context || used > LG_BLOCK_SIZE) /* somebody has written to the file */
    return false;
  while (__atomic_exchange_n(&zstd.lock, 1, __ATOMIC_ACQUIRE))
    sched_yield();
  size_t n = zstd.compress(zstd.context, zstd.out, zstd.room, s->live + 1, used, LEVEL);
  size_t size = lg_file_rounded(n + sizeof(struct lg_stream_chunk));
  int64_t at = zstd.failed(n) || size >= live_bytes ? -1 : space(size, &why);
  bool ok = at >= 0;
  if (ok) {
    struct lg_stream_chunk h = header(s, size, used);
    h.used = n;
    ok = lg_file_write(zstd.out, n, at + (int64_t)sizeof h) && lg_file_write(&h, sizeof h, at);
  }
  __atomic_store_n(&zstd.lock, 0, __ATOMIC_RELEASE);
  return ok;
}

unsigned char *lg_stream_next_block(struct lg_stream *s)
{
  if (pack(s)) {
    __atomic_store_n(&s->live->used, 0, __ATOMIC_RELEASE);
    __atomic_store_n(&s->live->block, ++s->block, __ATOMIC_RELEASE);
    s->at = (unsigned char *)(s->live + 1);
    return s->at;
  }
  struct lg_stream_chunk *full = s->live;
  s->block++;
  if (!fresh(s))
    return NULL;
  lg_file_unmap(full, live_bytes);
  return s->at;
}

void lg_stream_close(struct lg_stream *s)
{
  if (s && s->live && s->live->used && pack(s))
    __atomic_store_n(&s->live->used, 0, __ATOMIC_RELEASE);
}
