#define _GNU_SOURCE
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include "base/mappings.h"
#include "format.h"

#define MAX_MAPPINGS 4096
#define MAX_LINE 4096 /* of /proc/self/maps; of a longer one the end is not looked at */

static struct mapping {
  uint64_t lo, hi;
  bool readable, writable, anonymous;
} mappings[MAX_MAPPINGS];
static uint32_t nmappings;
static bool complete;             /* all of them are there */
static bool devices;              /* memory of a GPU, too, has addresses in this process */
static uint64_t heap_lo, heap_hi; /* what brk gave; 0: nothing */

/* ---- /proc/self/maps ---- */

static const char *hexadecimal(const char *s, uint64_t *v)
{
  for (*v = 0;; s++) {
    int digit = *s >= '0' && *s <= '9' ? *s - '0' : *s >= 'a' && *s <= 'f' ? *s - 'a' + 10 : -1;
    if (digit < 0)
      return s;
    *v = *v << 4 | (uint64_t)digit;
  }
}

/* take_line keeps a mapping, as in "7f0c9a000000-7f0c9a021000 rw-p 00000000 00:00 0   [heap]". */
static void take_line(const char *line)
{
  struct mapping m;
  const char *s = hexadecimal(line, &m.lo);
  if (*s != '-')
    return;
  s = hexadecimal(s + 1, &m.hi);
  if (*s != ' ')
    return;
  m.readable = s[1] == 'r';
  m.writable = s[1] && s[2] == 'w';
  m.anonymous = strstr(s, " 00:00 0") && !strchr(s, '/');
  devices |= strstr(s, "/dev/nvidia") || strstr(s, "/dev/kfd") || strstr(s, "/dev/dri");
  if (strstr(s, "[heap]")) {
    heap_lo = heap_lo ? heap_lo : m.lo;
    heap_hi = m.hi;
  }
  if (nmappings == MAX_MAPPINGS)
    complete = false;
  else
    mappings[nmappings++] = m;
}

void lg_mappings_read(void)
{
  static char piece[4096], line[MAX_LINE];
  size_t n = 0;
  ssize_t got;
  int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  nmappings = 0;
  heap_lo = heap_hi = 0;
  complete = fd >= 0;
  devices = false;
  while (fd >= 0 && (got = read(fd, piece, sizeof piece)) > 0)
    for (ssize_t i = 0; i < got; i++) {
      if (piece[i] != '\n') {
        if (n < sizeof line - 1)
          line[n++] = piece[i];
        continue;
      }
      line[n] = 0;
      take_line(line);
      n = 0;
    }
  if (fd >= 0)
    close(fd);
}

static const struct mapping *mapping_at(uint64_t at)
{
  for (uint32_t i = 0; i < nmappings; i++)
    if (at >= mappings[i].lo && at < mappings[i].hi)
      return &mappings[i];
  return NULL;
}

/* end_of is where the memory ends that may be used as that of a mapping, which others may follow without a gap. */
static uint64_t end_of(const struct mapping *m)
{
  uint64_t end = m->hi;
  for (const struct mapping *next = m + 1; next < mappings + nmappings && next->lo == end; next++) {
    if (next->readable < m->readable || next->writable < m->writable)
      break;
    end = next->hi;
  }
  return end;
}

/* ---- malloc of glibc ---- */

/* A chunk: the size of the one before it, if that is free, and its own with three flags; then the memory that malloc returned, which
 * goes on over the first word of the next chunk. */
struct chunk {
  uint64_t before, size;
};
enum { PREVIOUS_IN_USE = 1, MAPPED = 2, OTHER_ARENA = 4, FLAGS = 7 };
#define LEAST_CHUNK 32
#define CHUNK_STEP 16
#define MAX_CHUNKS (1u << 22) /* that are gone over in the heap */

/* in_mapped finds the block of a chunk that has a mapping of its own. */
static bool in_mapped(uint64_t chunk, uint64_t hi, uint64_t at, struct lg_room *out)
{
  while (chunk + sizeof(struct chunk) < hi) {
    const struct chunk *c = (const struct chunk *)chunk;
    uint64_t size = c->size & ~(uint64_t)FLAGS;
    if (c->before || (c->size & FLAGS) != MAPPED || size % LG_PAGE_SIZE || size > hi - chunk || !size)
      return false;
    if (at < chunk + size) {
      out->memory = LG_MEMORY_BLOCK;
      out->bytes = chunk + size - at;
      return at >= chunk + sizeof *c;
    }
    chunk += size;
  }
  return false;
}

/* in_heap goes over the chunks of the heap from its beginning: so it is certain what is a chunk, unless something overwrote them. */
static bool in_heap(uint64_t at, struct lg_room *out)
{
  uint64_t chunk = (heap_lo + CHUNK_STEP - 1) & ~(uint64_t)(CHUNK_STEP - 1);
  for (uint32_t i = 0; i < MAX_CHUNKS && chunk + LEAST_CHUNK <= heap_hi; i++) {
    const struct chunk *c = (const struct chunk *)chunk, *next;
    uint64_t size = c->size & ~(uint64_t)FLAGS;
    if (size < LEAST_CHUNK || size % CHUNK_STEP || size > heap_hi - chunk || c->size & (MAPPED | OTHER_ARENA))
      return false;
    next = (const struct chunk *)(chunk + size);
    if (at >= (uint64_t)next + sizeof next->before) {
      chunk += size;
      continue;
    }
    if (at < chunk + sizeof *c)
      return false;
    bool last = chunk + size == heap_hi, unused = last || (!(next->size & PREVIOUS_IN_USE) && next->before == size);
    out->memory = unused ? LG_MEMORY_FREED : LG_MEMORY_BLOCK;
    out->bytes = (uint64_t)next + (last ? 0 : sizeof next->before) - at;
    return true;
  }
  return false;
}

struct lg_room lg_room_at(uint64_t at)
{
  const struct mapping *m = mapping_at(at);
  if (!at)
    return (struct lg_room){LG_MEMORY_NULL, 0, false};
  if (!m)
    return (struct lg_room){complete && !devices ? LG_MEMORY_NONE : LG_MEMORY_UNKNOWN, 0, false};
  if (!m->readable)
    return (struct lg_room){devices ? LG_MEMORY_UNKNOWN : LG_MEMORY_NONE, 0, false};
  uint64_t end = end_of(m);
  struct lg_room out = {LG_MEMORY_MAPPING, end - at, m->writable};
  bool starts = at % LG_PAGE_SIZE == sizeof(struct chunk); /* malloc returns this of a mapping of its own */
  if (!m->writable || (!complete && end == mappings[nmappings - 1].hi))
    return out;
  if (at >= heap_lo && at < heap_hi)
    in_heap(at, &out);
  else if (m->anonymous && !(starts && in_mapped(at - sizeof(struct chunk), end, at, &out)))
    in_mapped(m->lo, end, at, &out);
  return out;
}

bool lg_is_behind(uint64_t at, uint64_t other)
{
  const struct mapping *m = mapping_at(other);
  return m && at >= other && at < end_of(m);
}
