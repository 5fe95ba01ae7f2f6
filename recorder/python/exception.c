#include <string.h>
#include "python/code.h"
#include "python/exception.h"
#include "python/memory.h"

#define MAX_ITEMS 256    /* of exceptions that are being handled at a time, one in a block of the other */
#define MAX_TRACE 4096   /* of a traceback that are gone through; the interpreter has some 1,000 frames */
#define MAX_ENTRIES 2048 /* of a dictionary */
#define IS_EXCEPTION (1ull << 30) /* a flag of the types derived from BaseException */

/* ---- which one ---- */

static bool is_type(const struct lg_py_layout *l, uint64_t type)
{
  uint64_t flags;
  return type && type % 8 == 0 && lg_py_word(type + l->type_flags, &flags) && flags & IS_EXCEPTION;
}

/* typed tells the type of an exception, and its traceback; false: it is none. */
static bool typed(const struct lg_py_layout *l, uint64_t exception, uint64_t *type, uint64_t *trace)
{
  return exception && exception % 8 == 0 && lg_py_word(exception + l->object_type, type) && is_type(l, *type) &&
         lg_py_word(exception + l->exception_trace, trace);
}

bool lg_py_is_exception(const struct lg_py_layout *l, uint64_t object)
{
  uint64_t type, trace;
  return typed(l, object, &type, &trace);
}

/* raised finds the one that is set: C code is at work while it is on its way. */
static bool raised(const struct lg_py_layout *l, uint64_t thread, uint64_t *type, uint64_t *trace)
{
  uint64_t set[3]; /* the second may be no exception yet, but what one is to be made of */
  if (l->minor >= 12)
    return lg_py_word(thread + l->thread_raised, set) && typed(l, set[0], type, trace);
  if (!lg_py_bytes(thread + l->thread_raised, set, sizeof set) || !is_type(l, set[0]))
    return false;
  *type = set[0];
  *trace = set[2];
  return true;
}

/* handled finds the innermost one that is being handled: by `except`, or by `finally` or `with`
 * on its way. A block that handles none has None, or nothing. */
static bool handled(const struct lg_py_layout *l, uint64_t thread, uint64_t *type, uint64_t *trace)
{
  uint64_t item, exception;
  if (!lg_py_word(thread + l->thread_handled, &item))
    return false;
  for (int i = 0; item && item % 8 == 0 && i < MAX_ITEMS; i++) {
    if (!lg_py_word(item + l->item_exception, &exception))
      return false;
    if (typed(l, exception, type, trace))
      return true;
    if (!lg_py_word(item + l->item_next, &item))
      return false;
  }
  return false;
}

/* ---- the one that nothing caught ---- */

struct entries { /* of a dictionary */
  uint64_t at, n, size, key; /* bytes of each, and where in it its key is; the value follows */
};

/* The words of the keys of a dictionary, and the bytes in one of them, before its table. */
enum { SIZE_3_10 = 1, COUNT_3_10 = 4, TABLE_3_10 = 40, SHAPE = 1, COUNT = 3, TABLE = 32 };
enum { NUMBERS = 8, KIND = 16 }; /* bits of the shape: bytes of the table as a power of two; what entries are */

static bool entries_of(const struct lg_py_layout *l, uint64_t dict, struct entries *e)
{
  static uint64_t met;
  uint64_t keys, w[5];
  if (!lg_py_is(l, dict, "dict", &met) || !lg_py_word(dict + l->keys, &keys) || keys % 8 || !lg_py_bytes(keys, w, sizeof w))
    return false;
  if (l->minor < 11) {
    uint64_t size = w[SIZE_3_10], wide = size <= 0xff ? 1 : size <= 0xffff ? 2 : size <= 0xffffffff ? 4 : 8;
    *e = (struct entries){keys + TABLE_3_10 + size * wide, w[COUNT_3_10], 24, 8};
    return e->n <= MAX_ENTRIES;
  }
  unsigned kind = w[SHAPE] >> KIND & 0xff, bits = w[SHAPE] >> NUMBERS & 0xff;
  *e = (struct entries){keys + TABLE + (bits < 48 ? 1ull << bits : 0), w[COUNT], kind ? 16 : 24, kind ? 0 : 8};
  return kind < 2 && e->n <= MAX_ENTRIES;
}

/* found finds the value of a key that is a text; 0: there is none. */
static uint64_t found(const struct lg_py_layout *l, uint64_t dict, const char *name)
{
  struct entries e;
  uint64_t pair[2];
  char text[16];
  if (!entries_of(l, dict, &e))
    return 0;
  for (uint64_t i = 0; i < e.n; i++)
    if (lg_py_bytes(e.at + i * e.size + e.key, pair, sizeof pair) && pair[1] &&
        lg_py_text(l, pair[0], text, sizeof text, 0) && strcmp(text, name) == 0)
      return pair[1];
  return 0;
}

/* uncaught finds sys.last_value, which the interpreter sets when it prints an exception. */
static bool uncaught(const struct lg_py_layout *l, uint64_t thread, uint64_t *type, uint64_t *trace)
{
  uint64_t interpreter, dict;
  return lg_py_word(thread + l->thread_interpreter, &interpreter) && lg_py_word(interpreter + l->system, &dict) &&
         typed(l, found(l, dict, "last_value"), type, trace);
}

/* ---- what is told of it ---- */

/* name_of copies the name of a type, which may end right before a page that is not there. */
static bool name_of(const struct lg_py_layout *l, uint64_t type, char *to)
{
  uint64_t at;
  size_t n = 0;
  if (!lg_py_word(type + l->type_name, &at))
    return false;
  memset(to, 0, LG_MAX_RAISED_TYPE);
  while (n < LG_MAX_RAISED_TYPE - 1 && !memchr(to, 0, n)) {
    size_t room = LG_PAGE_SIZE - (at + n) % LG_PAGE_SIZE, rest = LG_MAX_RAISED_TYPE - 1 - n;
    if (!lg_py_bytes(at + n, to + n, room < rest ? room : rest))
      break;
    n += room < rest ? room : rest;
  }
  size_t length = strlen(to);
  memset(to + length, 0, LG_MAX_RAISED_TYPE - length);
  for (size_t i = 0; i < length; i++)
    if ((unsigned char)to[i] < ' ')
      return false; /* no name */
  return length > 0;
}

enum { ARGUMENTS = 24, ITEMS = 24 }; /* in an exception: the tuple that it was made with; in a tuple: the first item */

/* Of a KeyError it is the key, which the exception says in another form. */
void lg_py_says(const struct lg_py_layout *l, uint64_t exception, char *to)
{
  static uint64_t met;
  uint64_t type, tuple, n, first;
  char name[LG_MAX_RAISED_TYPE];
  *to = 0;
  if (lg_py_word(exception + l->object_type, &type) && name_of(l, type, name) && strcmp(name, "KeyError") != 0 &&
      lg_py_word(exception + ARGUMENTS, &tuple) && lg_py_is(l, tuple, "tuple", &met) && lg_py_word(tuple + l->length, &n) && n == 1 &&
      lg_py_word(tuple + ITEMS, &first) && !lg_py_text(l, first, to, LG_MAX_RAISED_TEXT, 0))
    *to = 0;
}

/* frame_of tells the code of a part of a traceback, and where in it it was left. */
static bool frame_of(const struct lg_py_layout *l, uint64_t trace, struct lg_py_frame *f)
{
  static uint64_t met;
  uint64_t frame, code;
  int32_t at;
  if (!lg_py_word(trace + l->trace_frame, &frame) || !lg_py_bytes(trace + l->trace_instruction, &at, sizeof at) ||
      !lg_py_is(l, frame, "frame", &met) || !lg_py_word(frame + l->object_code, &code))
    return false;
  if (l->minor >= 11 && (code % 8 || !lg_py_word(code + l->frame_code, &code)))
    return false;
  code &= ~7ull;
  *f = (struct lg_py_frame){
      .code = code, .instruction = (l->code_bytes == LG_PY_ABSENT ? 0 : code + l->code_bytes) + (uint64_t)(int64_t)at};
  return true;
}

static void reverse(struct lg_py_frame *list, int n)
{
  for (int i = 0; i < n / 2; i++) {
    struct lg_py_frame f = list[i];
    list[i] = list[n - 1 - i];
    list[n - 1 - i] = f;
  }
}

/* frames goes through a traceback, which begins where the exception was caught, and keeps that
 * frame and the ones nearest to where it was raised. */
static void frames(const struct lg_py_layout *l, uint64_t trace, struct lg_py_exception *out)
{
  static uint64_t met;
  struct lg_py_frame f;
  for (int i = 0; trace && i < MAX_TRACE; i++) {
    if (!lg_py_is(l, trace, "traceback", &met) || !frame_of(l, trace, &f) || !lg_py_word(trace + l->trace_next, &trace)) {
      out->n = 0; /* the place where it was raised is not known */
      break;
    }
    if (out->n == LG_MAX_RAISED) {
      out->cut = true;
      memmove(out->list + 1, out->list + 2, (LG_MAX_RAISED - 2) * sizeof *out->list);
      out->n--;
    }
    out->list[out->n++] = f;
  }
  reverse(out->list, out->n);
}

void lg_py_exception(const struct lg_py_layout *l, uint64_t thread, bool last, struct lg_py_exception *out)
{
  uint64_t type, trace;
  *out = (struct lg_py_exception){.how = LG_RAISED_NONE};
  if (l->thread_handled == LG_PY_ABSENT)
    return;
  if (raised(l, thread, &type, &trace))
    out->how = LG_RAISED_SET;
  else if (handled(l, thread, &type, &trace))
    out->how = LG_RAISED_HANDLED;
  else if (last && uncaught(l, thread, &type, &trace))
    out->how = LG_RAISED_LAST;
  else
    return;
  if (name_of(l, type, out->type))
    frames(l, trace, out);
  else
    out->how = LG_RAISED_NONE;
}
