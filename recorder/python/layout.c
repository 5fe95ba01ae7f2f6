#include <string.h>
#include "python/layout.h"
#include "python/memory.h"

/* What the public headers fix, and all versions up to 3.12 share. */
#define COMMON \
  .interpreter_next = 0, .thread_next = 8, .object_type = 8, .type_name = 24, .length = 16, .text_state = 32, \
  .bytes = 32, .thread_interpreter = 16, .type_flags = 168, TRACES
/* Of these the interpreter states nothing; they are the same in all versions with a GIL. */
#define TRACES .trace_next = 16, .trace_frame = 24, .trace_instruction = 32, .keys = 32
/* Up to 3.10 an exception is kept with its type and traceback; since 3.11 it says them itself. */
#define APART .item_exception = 8, .item_next = 24, .exception_trace = 32, .object_code = 32
#define WHOLE .item_exception = 0, .item_next = 8, .exception_trace = 40, .object_code = 24

/* By the headers of each version (Include/internal, Include/cpython); 64 bits. */
static const struct lg_py_layout known[] = {
    {COMMON, .minor = 8, .finalizing = 16, .interpreters = 32, .threads = 8, .thread_id = 176, .thread_top = 24,
     .entry_frame = LG_PY_ABSENT, .thread_entry = LG_PY_ABSENT, .frame_back = 24, .frame_code = 32,
     .frame_instruction = 104, .frame_kind = LG_PY_ABSENT, .code_file = 104, .code_name = 112, .code_first = 40,
     .code_lines = 120, .code_bytes = LG_PY_ABSENT, .text_ascii = 48,
     APART, .thread_handled = 144, .thread_raised = 88, .system = 72},
    {COMMON, .minor = 9, .finalizing = 16, .interpreters = 32, .threads = 8, .thread_id = 176, .thread_top = 24,
     .entry_frame = LG_PY_ABSENT, .thread_entry = LG_PY_ABSENT, .frame_back = 24, .frame_code = 32,
     .frame_instruction = 104, .frame_kind = LG_PY_ABSENT, .code_file = 104, .code_name = 112, .code_first = 40,
     .code_lines = 120, .code_bytes = LG_PY_ABSENT, .text_ascii = 48,
     APART, .thread_handled = 144, .thread_raised = 88, .system = 872},
    {COMMON, .minor = 10, .finalizing = 16, .interpreters = 32, .threads = 8, .thread_id = 176, .thread_top = 24,
     .entry_frame = LG_PY_ABSENT, .thread_entry = 48, .entry_next = 8, .frame_back = 24, .frame_code = 32,
     .frame_instruction = 96, .frame_kind = LG_PY_ABSENT, .code_file = 104, .code_name = 112, .code_first = 40,
     .code_lines = 120, .code_bytes = LG_PY_ABSENT, .text_ascii = 48,
     APART, .thread_handled = 144, .thread_raised = 88, .system = 872},
    {COMMON, .minor = 11, .finalizing = 24, .interpreters = 40, .threads = 16, .thread_id = 152, .thread_top = 56,
     .entry_frame = 8, .thread_entry = 56, .entry_next = 16, .frame_back = 48, .frame_code = 32,
     .frame_instruction = 56, .frame_kind = 68, .code_file = 112, .code_name = 128, .code_first = 72,
     .code_lines = 136, .code_bytes = 184, .text_ascii = 48,
     WHOLE, .thread_handled = 120, .thread_raised = 96, .system = 904},
    {COMMON, .minor = 12, .finalizing = 24, .interpreters = 40, .threads = 72, .thread_id = 136, .thread_top = 56,
     .entry_frame = 0, .thread_entry = LG_PY_ABSENT, .frame_back = 8, .frame_code = 0, .frame_instruction = 56,
     .frame_kind = 70, .code_file = 112, .code_name = 128, .code_first = 68, .code_lines = 136, .code_bytes = 192,
     .text_ascii = 40,
     WHOLE, .thread_handled = 104, .thread_raised = 96, .system = 352},
};

/* Words of _Py_DebugOffsets, with which the runtime begins since 3.13. What stands
 * before the thread is longer in 3.14, and the frame is. */
enum { COOKIE, VERSION, FREE_THREADED, FINALIZING = 4, INTERPRETERS, NEXT = 8, THREADS, SYSTEM_3_13 = 12, SYSTEM_3_14,
       THREAD_3_13 = 19, THREAD_3_14 = 22, WORDS = 81 };
enum { T_NEXT = 2, T_INTERPRETER, T_FRAME, T_ID };
enum { F_BACK = 1, F_CODE, F_INSTRUCTION, F_OWNER = 5 };
enum { C_FILE = 1, C_QUALNAME = 3, C_LINES, C_FIRST, C_BYTES = 9 };
#define MAX_OFFSET (1u << 24)

static const char cookie[8] = "xdebugpy";

/* pick takes an offset that is stated; one that is out of all reason counts. */
static uint32_t pick(const uint64_t *words, int i, int *wrong)
{
  *wrong += words[i] >= MAX_OFFSET;
  return (uint32_t)words[i];
}

/* What lies between a thread's frame and its number: five words for tracing, then the exception
 * that is set, and those that are handled. */
enum { FRAME_TO_RAISED = 40, FRAME_TO_HANDLED = 48, FRAME_TO_NUMBER = 80 };

/* exceptions adds where they are, of which nothing is stated: only where what lies around it is
 * where it has always been. Without a GIL all objects are longer. */
static void exceptions(const uint64_t *w, struct lg_py_layout *l)
{
  bool usual = !w[FREE_THREADED] && l->thread_id == l->thread_top + FRAME_TO_NUMBER;
  struct lg_py_layout known = {TRACES, WHOLE};
  l->item_exception = known.item_exception, l->item_next = known.item_next;
  l->exception_trace = known.exception_trace, l->object_code = known.object_code;
  l->trace_next = known.trace_next, l->trace_frame = known.trace_frame;
  l->trace_instruction = known.trace_instruction, l->keys = known.keys;
  l->thread_raised = l->thread_top + FRAME_TO_RAISED;
  l->thread_handled = usual ? l->thread_top + FRAME_TO_HANDLED : LG_PY_ABSENT;
}

static bool stated(uint32_t version, uint64_t runtime, struct lg_py_layout *out)
{
  uint64_t w[WORDS];
  int wrong = 0, minor = version >> 16 & 0xff, later = minor >= 14;
  const int thread = later ? THREAD_3_14 : THREAD_3_13, frame = thread + 9, code = frame + (later ? 8 : 6);
  const int object = code + (later ? 11 : 10), type = object + 2, tuple = type + 4, list = tuple + 3;
  const int numbers = list + 3 + (later ? 4 : 0) /* set */ + 3 /* dict */, bytes = numbers + 2 + 3, text = bytes + 3;
  if (!lg_py_bytes(runtime, w, sizeof w) || memcmp(w, cookie, sizeof cookie) != 0 || w[VERSION] != version ||
      (later && w[FREE_THREADED]))
    return false;
  *out = (struct lg_py_layout){
      .minor = minor,
      .finalizing = pick(w, FINALIZING, &wrong),
      .interpreters = pick(w, INTERPRETERS, &wrong),
      .interpreter_next = pick(w, NEXT, &wrong),
      .threads = pick(w, THREADS, &wrong),
      .thread_next = pick(w, thread + T_NEXT, &wrong),
      .thread_id = pick(w, thread + T_ID, &wrong),
      .thread_top = pick(w, thread + T_FRAME, &wrong),
      .thread_interpreter = pick(w, thread + T_INTERPRETER, &wrong),
      .system = pick(w, later ? SYSTEM_3_14 : SYSTEM_3_13, &wrong),
      .type_flags = pick(w, type + 3, &wrong),
      .entry_frame = LG_PY_ABSENT,
      .thread_entry = LG_PY_ABSENT,
      .frame_back = pick(w, frame + F_BACK, &wrong),
      .frame_code = pick(w, frame + F_CODE, &wrong),
      .frame_instruction = pick(w, frame + F_INSTRUCTION, &wrong),
      .frame_kind = pick(w, frame + F_OWNER, &wrong),
      .code_file = pick(w, code + C_FILE, &wrong),
      .code_name = pick(w, code + C_QUALNAME, &wrong),
      .code_first = pick(w, code + C_FIRST, &wrong),
      .code_lines = pick(w, code + C_LINES, &wrong),
      .code_bytes = pick(w, code + C_BYTES, &wrong),
      .object_type = pick(w, object + 1, &wrong),
      .type_name = pick(w, type + 1, &wrong),
      .length = pick(w, text + 2, &wrong),
      .text_state = pick(w, text + 1, &wrong),
      .text_ascii = pick(w, text + 3, &wrong),
      .bytes = pick(w, bytes + 2, &wrong),
  };
  exceptions(w, out);
  return wrong == 0 && w[bytes + 1] == w[text + 2];
}

bool lg_py_layout_of(uint32_t version, uint64_t runtime, struct lg_py_layout *out)
{
  unsigned minor = version >> 16 & 0xff;
  if (version >> 24 != 3)
    return false;
  for (unsigned i = 0; i < sizeof known / sizeof *known; i++)
    if ((unsigned)known[i].minor == minor) {
      *out = known[i];
      return true;
    }
  return (minor == 13 || minor == 14) && stated(version, runtime, out);
}
