#include <string.h>
#include "python/frames.h"
#include "python/memory.h"

#define MAX_INTERPRETERS 64
#define MAX_THREADS 4096  /* of an interpreter */
#define MAX_STEPS 1024    /* frames that are gone through, those of the interpreter's own included */
#define FRAME_BYTES 128   /* of a frame that are read at once */

/* Since 3.12 a frame of this kind or a higher one stands for C code that has entered the
 * interpreter, and lies on the C stack. In 3.11 the byte says that a frame was entered
 * from C. */
#define ENTERED 3

/* each_thread gives `met` the threads one by one, until it has enough: true. */
static bool each_thread(const struct lg_py_layout *l, uint64_t runtime, bool (*met)(void *, uint64_t thread, uint64_t pthread), void *arg)
{
  uint64_t interpreter, thread, id;
  if (!lg_py_word(runtime + l->interpreters, &interpreter))
    return false;
  for (int i = 0; interpreter && i < MAX_INTERPRETERS; i++) {
    if (!lg_py_word(interpreter + l->threads, &thread))
      return false;
    for (int k = 0; thread && k < MAX_THREADS; k++) {
      if (!lg_py_word(thread + l->thread_handle, &id))
        return false;
      if (met(arg, thread, id))
        return true;
      if (!lg_py_word(thread + l->thread_next, &thread))
        return false;
    }
    if (!lg_py_word(interpreter + l->interpreter_next, &interpreter))
      return false;
  }
  return false;
}

struct wanted {
  uint64_t pthread, thread;
};

static bool is_wanted(void *arg, uint64_t thread, uint64_t pthread)
{
  struct wanted *w = arg;
  w->thread = thread;
  return pthread == w->pthread;
}

uint64_t lg_py_thread(const struct lg_py_layout *l, uint64_t runtime, uint64_t pthread)
{
  struct wanted w = {.pthread = pthread};
  return each_thread(l, runtime, is_wanted, &w) ? w.thread : 0;
}

struct threads {
  uint64_t *list;
  int n, most;
};

static bool list_thread(void *arg, uint64_t thread, uint64_t pthread)
{
  struct threads *t = arg;
  (void)thread;
  if (t->n < t->most)
    t->list[t->n++] = pthread;
  return t->n == t->most;
}

int lg_py_threads(const struct lg_py_layout *l, uint64_t runtime, uint64_t *pthreads, int most)
{
  struct threads t = {pthreads, 0, most};
  each_thread(l, runtime, list_thread, &t);
  return t.n;
}

uint64_t lg_py_top(const struct lg_py_layout *l, uint64_t thread)
{
  uint64_t top;
  if (!lg_py_word(thread + l->thread_top, &top))
    return 0;
  if (top && l->entry_frame != LG_PY_ABSENT && !lg_py_word(top + l->entry_frame, &top))
    return 0;
  return top;
}

static uint64_t word_at(const unsigned char *frame, uint32_t offset)
{
  uint64_t w;
  memcpy(&w, frame + offset, sizeof w);
  return w;
}

/* instruction_of: up to 3.10 a frame has a number, in 3.10 one of instructions of two bytes. */
static uint64_t instruction_of(const struct lg_py_layout *l, const unsigned char *frame)
{
  if (l->code_bytes != LG_PY_ABSENT)
    return word_at(frame, l->frame_instruction);
  int32_t n;
  memcpy(&n, frame + l->frame_instruction, sizeof n);
  return (uint64_t)((int64_t)n * (l->minor == 10 ? 2 : 1));
}

/* bytes_of is how many bytes of a frame there are to read; 0: more than expected. */
static size_t bytes_of(const struct lg_py_layout *l)
{
  uint32_t last = l->frame_instruction;
  if (l->frame_back > last)
    last = l->frame_back;
  if (l->frame_code > last)
    last = l->frame_code;
  if (l->frame_kind != LG_PY_ABSENT && l->frame_kind > last)
    last = l->frame_kind;
  return last + 8 <= FRAME_BYTES ? last + 8 : 0;
}

void lg_py_frames(const struct lg_py_layout *l, uint64_t thread, struct lg_py_frames *out)
{
  unsigned char b[FRAME_BYTES];
  const size_t size = bytes_of(l);
  const bool apart = l->frame_kind != LG_PY_ABSENT && l->thread_entry == LG_PY_ABSENT; /* frames stand for entries */
  uint64_t at = lg_py_top(l, thread), entry = 0;
  int run = 0; /* where the frames of this entry begin */
  out->n = 0;
  out->cut = false;
  if (!size)
    return;
  if (l->thread_entry != LG_PY_ABSENT && !lg_py_word(thread + l->thread_entry, &entry))
    entry = 0;
  for (int i = 0; at && i < MAX_STEPS; i++) {
    if (at % 8 || !lg_py_bytes(at, b, size)) {
      out->cut = true;
      return;
    }
    uint64_t back = word_at(b, l->frame_back);
    if (apart && b[l->frame_kind] >= ENTERED) {
      for (; run < out->n; run++)
        out->list[run].entry = at;
    } else if (out->n == LG_MAX_FRAMES) {
      out->cut = true;
      if (run == out->n || !apart)
        return; /* else where they were entered is still to be found */
    } else {
      out->list[out->n++] = (struct lg_py_frame){
          .at = at, .code = word_at(b, l->frame_code) & ~7ull, .instruction = instruction_of(l, b), .entry = entry};
      bool entered = l->frame_kind == LG_PY_ABSENT || b[l->frame_kind];
      if (entry && entered && !lg_py_word(entry + l->entry_next, &entry))
        entry = 0;
    }
    if (back == at)
      return;
    at = back;
  }
}
