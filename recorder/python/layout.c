#include <string.h>
#include "python/layout.h"
#include "python/memory.h"

static const struct lg_py_layout layouts[] = {LG_PY_LAYOUTS};

/* Words of _Py_DebugOffsets, with which the runtime begins since 3.13, that are no offsets; and how many are read. */
enum { VERSION = 1, FREE_THREADED, WORDS = 81 };
#define MAX_OFFSET (1u << 24)

static const char cookie[8] = "xdebugpy";

/* What lies between a thread's frame and its number: five words for tracing, then the exception
 * that is set, and those that are handled. */
enum { FRAME_TO_RAISED = 40, FRAME_TO_HANDLED = 48, FRAME_TO_NUMBER = 80 };

/* find_exceptions adds where a thread keeps them, which the interpreter does not state: only where what lies around
 * it is where it has always been. Without a GIL all objects are longer. */
static void find_exceptions(const uint64_t *words, struct lg_py_layout *l)
{
  bool usual = !words[FREE_THREADED] && l->thread_handle == l->thread_top + FRAME_TO_NUMBER;
  l->thread_raised = l->thread_top + FRAME_TO_RAISED;
  l->thread_handled = usual ? l->thread_top + FRAME_TO_HANDLED : LG_PY_ABSENT;
}

/* take_stated replaces the number of a word by the offset in it; false: no offset is that large. */
static bool take_stated(const uint64_t *words, uint32_t *member)
{
  if (*member == LG_PY_ABSENT || !(*member & LG_PY_STATED))
    return true;
  uint64_t offset = words[*member & ~LG_PY_STATED];
  *member = (uint32_t)offset;
  return offset < MAX_OFFSET;
}

static bool read_stated(uint32_t version, uint64_t runtime, struct lg_py_layout *l)
{
  uint64_t words[WORDS];
  bool longer_objects = l->minor >= 14, sound = true; /* all of them without a GIL */
  if (!lg_py_bytes(runtime, words, sizeof words) || memcmp(words, cookie, sizeof cookie) != 0 ||
      words[VERSION] != version || (longer_objects && words[FREE_THREADED]))
    return false;
#define TAKE(member) sound &= take_stated(words, &l->member);
  LG_PY_MEMBERS(TAKE)
  find_exceptions(words, l);
  return sound && l->bytes_length == l->length;
}

bool lg_py_layout_of(uint32_t version, uint64_t runtime, struct lg_py_layout *out)
{
  for (unsigned i = 0; version >> 24 == 3 && i < sizeof layouts / sizeof *layouts; i++)
    if ((unsigned)layouts[i].minor == (version >> 16 & 0xff)) {
      *out = layouts[i];
      return !(out->interpreters & LG_PY_STATED) || read_stated(version, runtime, out);
    }
  return false;
}
