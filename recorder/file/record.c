#define _GNU_SOURCE
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include "base/crc.h"
#include "base/locks.h"
#include "base/recording.h"
#include "base/settings.h"
#include "file/node.h"
#include "file/record.h"
#include "format.h"

static struct lg_chunk *chunk; /* the one that records are appended to */
static uint32_t nchunks;
static uint64_t total, limit; /* bytes of all chunks */

static struct { /* what is mapped, for lg_file_sync */
  void *p;
  size_t n;
} maps[4096];

static bool new_chunk(size_t need)
{
  size_t size = nchunks ? LG_NEXT_CHUNK_SIZE : LG_FIRST_CHUNK_SIZE;
  const char *why = NULL;
  if (!nchunks)
    limit = (uint64_t)lg_env_int("MAX_MB", 64) << 20;
  need += sizeof *chunk;
  size = lg_file_rounded(size < need ? need : size);
  int64_t at = nchunks == sizeof maps / sizeof *maps ? -1 : lg_file_space(size, &total, limit, &why);
  if (at < 0 && !why) {
    lg_turn_off("table full: this rank has used its %lu MB (LAGGARD_MAX_MB)", (unsigned long)(limit >> 20));
    return false;
  }
  struct lg_chunk *c = at < 0 ? NULL : lg_file_map(at, size);
  if (!c) {
    lg_turn_off("cannot extend the run file: %s", why ? why : strerror(errno));
    return false;
  }
  c->size = (uint32_t)size;
  c->slot = lg_slot();
  c->seq = nchunks;
  uint32_t magic = LG_MAGIC_CHUNK;
  c->crc = lg_crc(lg_crc(0, &magic, sizeof magic), &c->size, 12);
  __atomic_store_n(&c->magic, magic, __ATOMIC_RELEASE);
  maps[nchunks].p = c;
  maps[nchunks++].n = size;
  chunk = c;
  return true;
}

void *lg_rec_begin(int type, int thread, uint32_t fixed, uint32_t size)
{
  if (lg_off)
    return NULL;
  size = (size + 7) & ~7u;
  if ((!chunk || chunk->used + sizeof *chunk + size > chunk->size) && !new_chunk(size))
    return NULL;
  struct lg_rec *r = (struct lg_rec *)((char *)(chunk + 1) + chunk->used);
  r->type = (uint16_t)type;
  r->thread = (uint16_t)thread;
  r->size = size;
  r->fixed = fixed;
  return r;
}

void lg_rec_commit(void *rec)
{
  struct lg_rec *r = rec;
  r->crc = lg_crc(lg_crc(0, r, offsetof(struct lg_rec, fixed) + 4), r + 1, r->fixed);
  __atomic_store_n(&chunk->used, chunk->used + r->size, __ATOMIC_RELEASE);
}

void *lg_rec_table(int type, uint32_t size)
{
  lg_lock_file();
  void *r = lg_rec_begin(type, 0, 0, size);
  if (r)
    lg_rec_commit(r);
  lg_unlock_file();
  return r;
}

void lg_note(const char *text)
{
  lg_text(LG_REC_NOTE, text, (uint32_t)strlen(text));
}

void lg_text(int type, const char *text, uint32_t n)
{
  struct lg_rec *r = lg_rec_begin(type, 0, (n + 7) & ~7u, (uint32_t)sizeof *r + n);
  if (!r)
    return;
  memcpy(r + 1, text, n);
  lg_rec_commit(r);
}

void lg_file_sync(void)
{
  for (uint32_t i = 0; i < nchunks; i++)
    msync(maps[i].p, maps[i].n, MS_SYNC);
  lg_file_sync_header();
}
