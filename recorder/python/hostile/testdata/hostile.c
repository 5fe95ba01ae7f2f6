/* Builds the structures of an interpreter in an arena, has the recorder's reader read a
 * stack from them, and then again with bytes and pointers in them changed at random.
 *
 *   hostile MINOR ROUNDS SEED
 *
 * prints the stack of the sound structures, one frame a line, and ends with status 0 unless
 * what is read breaks a bound. To be built with -fsanitize=address,undefined. */
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/reading.h"
#include "python/code.h"
#include "python/exception.h"
#include "python/frames.h"
#include "python/memory.h"
#include "python/words.h"
#include "stack/dynsym.h"

/* ---- what the reader is linked with in place of the rest of the recorder ---- */

#define BASE 0x7f0000000000ull /* of the addresses in the arena */
#define ARENA 65536
#define STACK 0x7ffc00000000ull /* of the C stack, outside of it */

static unsigned char arena[ARENA], sound[ARENA];
static uint64_t used, version, version_at, runtime_at;
static char names[4096][4096];
static uint32_t nnames;

bool lg_py_own;

size_t lg_py_some(uint64_t at, void *to, size_t n)
{
  if (at < BASE || at >= BASE + ARENA)
    return 0;
  size_t left = BASE + ARENA - at;
  n = n < left ? n : left;
  memcpy(to, arena + (at - BASE), n);
  return n;
}

bool lg_reading(void (*f)(void *), void *arg) { f(arg); return true; }
uint64_t lg_frame_of(uint32_t index, uint64_t offset) { return (uint64_t)index << 48 | (offset & 0xffffffffffffull); }
uint64_t lg_frame_word(uint64_t pc) { return lg_frame_of(LG_NO_MODULE, pc); }
bool lg_module_interprets(uint64_t pc) { return pc % 2; } /* odd addresses are the interpreter's */

uint32_t lg_module_named(const char *text)
{
  for (uint32_t i = 0; i < nnames; i++)
    if (strcmp(names[i], text) == 0)
      return i;
  if (nnames == 4096)
    return LG_NO_MODULE;
  strcpy(names[nnames], text);
  return nnames++;
}

void (*lg_module_met)(const struct lg_mapped *);

uint64_t lg_module_symbol(const struct lg_mapped *m, const char *name)
{
  static const char *const since[] = {"PyCode_NewWithPosOnlyArgs", "PyFrame_GetCode", "PyIter_Send"};
  (void)m;
  if (strcmp(name, "_PyRuntime") == 0)
    return runtime_at;
  if (strcmp(name, "Py_Version") == 0)
    return (version >> 16 & 0xff) >= 11 ? version_at : 0;
  for (unsigned i = 0; i < 3; i++)
    if (strcmp(name, since[i]) == 0)
      return (version >> 16 & 0xff) >= 8 + i ? 1 : 0;
  return 0;
}

/* ---- the structures ---- */

/* What two interpreters state of themselves: _Py_DebugOffsets. */
static const uint64_t of_3_13[] = {
    0x7970677562656478, 0x30d00f0, 0, 283320, 608, 632, 194968, 7272, 7264, 7344, 7400, 7656, 7640, 7648, 16, 7752, 0,
    7768, 7760, 304, 0, 8, 16, 72, 152, 160, 232, 32, 80, 8, 0, 56, 72, 70, 208, 112, 120, 128, 136, 68, 52, 96, 104,
    200, 16, 8, 416, 24, 88, 168, 32, 24, 16, 40, 24, 16, 48, 32, 40, 24, 16, 32, 16, 24, 40, 16, 32, 64, 32, 16, 40};
static const uint64_t of_3_14[] = {
    0x7970677562656478, 0x30e06f0, 0, 316616, 784, 808, 225864, 7280, 7272, 7344, 7360, 7408, 7688, 7672, 7680, 16,
    7784, 0, 7800, 7792, 7992, 0, 832, 0, 8, 16, 72, 152, 160, 232, 32, 88, 8, 0, 56, 80, 74, 64, 0, 216, 112, 120, 128,
    136, 68, 52, 96, 104, 208, 0, 16, 8, 416, 24, 88, 168, 40, 32, 16, 40, 24, 16, 200, 24, 40, 32, 48, 32, 40, 24, 16,
    32, 16, 24, 40, 16, 32, 64, 32, 16, 40};

static struct lg_py_layout layout;

static uint64_t room(size_t n)
{
  uint64_t at = BASE + used;
  used += (n + 15) & ~15ull;
  if (used > ARENA)
    abort();
  return at;
}

static void put(uint64_t at, uint64_t v) { memcpy(arena + (at - BASE), &v, 8); }
static void put4(uint64_t at, uint32_t v) { memcpy(arena + (at - BASE), &v, 4); }
static void copy(uint64_t at, const void *from, size_t n) { memcpy(arena + (at - BASE), from, n); }

static uint64_t type_named(const char *name)
{
  uint64_t text = room(16), type = room(192);
  copy(text, name, strlen(name) + 1);
  put(type + layout.type_name, text);
  return type;
}

static uint64_t type_code, type_str, type_bytes;

static uint64_t text(const char *s)
{
  uint64_t at = room(layout.text_ascii + strlen(s) + 1);
  put(at + layout.object_type, type_str);
  put(at + layout.length, strlen(s));
  put4(at + layout.text_state, 1 << 2 | 1 << 5 | 1 << 6);
  copy(at + layout.text_ascii, s, strlen(s));
  return at;
}

/* wide is the text "f" and the characters U+00E9 and U+20AC, two bytes each. */
static uint64_t wide(void)
{
  const uint16_t chars[] = {'f', 0xe9, 0x20ac};
  uint64_t data = layout.text_ascii + (layout.minor < 12 ? 24 : 16), at = room(data + sizeof chars);
  put(at + layout.object_type, type_str);
  put(at + layout.length, 3);
  put4(at + layout.text_state, 2 << 2 | 1 << 5);
  copy(at + data, chars, sizeof chars);
  return at;
}

/* code makes a function of three instructions, on three lines that follow each other. */
static uint64_t code(uint64_t file, uint64_t name, uint32_t first)
{
  static const unsigned char lnotab[] = {2, 1, 2, 1}, ranges[] = {2, 0, 2, 1, 2, 1};
  static const unsigned char locations[] = {0x80 | 13 << 3, 0, 0x80 | 11 << 3, 0, 0, 0x80 | 14 << 3, 2, 0, 0, 0};
  const unsigned char *table = layout.minor < 10 ? lnotab : layout.minor == 10 ? ranges : locations;
  size_t n = layout.minor < 10 ? sizeof lnotab : layout.minor == 10 ? sizeof ranges : sizeof locations;
  uint64_t at = room(256), lines = room(layout.bytes + n);
  put(lines + layout.object_type, type_bytes);
  put(lines + layout.length, n);
  copy(lines + layout.bytes, table, n);
  put(at + layout.object_type, type_code);
  put(at + layout.code_file, file);
  put(at + layout.code_name, name);
  put4(at + layout.code_first, first);
  put(at + layout.code_lines, lines);
  return at;
}

/* frame makes one that stands at the n-th instruction of its code. */
static uint64_t frame(uint64_t of, uint64_t back, unsigned n)
{
  uint64_t at = room(128);
  put(at + layout.frame_code, of);
  put(at + layout.frame_back, back);
  if (layout.code_bytes == LG_PY_ABSENT)
    put4(at + layout.frame_instruction, n * (layout.minor == 10 ? 1 : 2));
  else
    put(at + layout.frame_instruction, of + layout.code_bytes + 2 * n);
  return at;
}

/* traced makes a part of a traceback: the frame of that code, left at its n-th instruction. */
static uint64_t traced(uint64_t of, unsigned n, uint64_t next)
{
  static uint64_t type_trace, type_frame;
  static unsigned built_for;
  if (built_for != (unsigned)layout.minor)
    type_trace = type_named("traceback"), type_frame = type_named("frame"), built_for = (unsigned)layout.minor;
  uint64_t at = room(48), object = room(64), inner = of;
  put(at + layout.object_type, type_trace);
  put(at + layout.trace_next, next);
  put(at + layout.trace_frame, object);
  put4(at + layout.trace_instruction, n * 2);
  put(object + layout.object_type, type_frame);
  if (layout.minor >= 11) {
    inner = room(128);
    put(inner + layout.frame_code, of);
  }
  put(object + layout.object_code, inner);
  return at;
}

static uint64_t exception(const char *name, uint64_t trace)
{
  uint64_t at = room(64), type = type_named(name);
  put(type + layout.type_flags, 1ull << 30);
  put(at + layout.object_type, type);
  put(at + layout.exception_trace, trace);
  return at;
}

/* dictionary makes one of two texts: "path", and "last_value" with that value. */
static uint64_t dictionary(uint64_t value)
{
  const unsigned table = layout.minor < 11 ? 40 : 32, size = layout.minor < 11 ? 24 : 16, key = size - 16;
  uint64_t at = room(64), keys = room(table + 8 + 2 * size), entries = keys + table + 8;
  put(at + layout.object_type, type_named("dict"));
  put(at + layout.keys, keys);
  if (layout.minor < 11)
    put(keys + 8, 8), put(keys + 32, 2);
  else
    put(keys + 8, 3 | 3 << 8 | 1 << 16), put(keys + 24, 2);
  put(entries + key, text("path"));
  put(entries + key + 8, text("x"));
  put(entries + size + key, text("last_value"));
  put(entries + size + key + 8, value);
  return at;
}

#define RUNTIME_BYTES 1024
#define INTERPRETER_BYTES 8192
#define THREAD 0x1234567890ull /* its pthread_t */

static struct lg_trace trace;
static uint64_t stack, the_thread, the_item, handled;

/* exceptions adds those of a thread: one that is handled, by code in a generator that handles none,
 * and one that was printed. */
static void exceptions(uint64_t interpreter, uint64_t of)
{
  uint64_t outer = room(32), none = room(16);
  handled = exception("lib.Failure", traced(of, 0, traced(of, 2, 0)));
  the_item = room(32);
  put(none + layout.object_type, type_named("NoneType"));
  put(the_item + layout.item_exception, none);
  put(the_item + layout.item_next, outer);
  put(outer + layout.item_exception, handled);
  put(the_thread + layout.thread_handled, the_item);
  put(the_thread + layout.thread_interpreter, interpreter);
  put(interpreter + layout.system, dictionary(exception("KeyError", traced(of, 1, 0))));
}

/* build makes a program of which main (line 41) calls sort in C, and that calls key (line
 * 11), which calls wait (line 22), which called the C code that the thread is in. The C stack
 * lies in the arena too, since up to 3.9 it is searched. */
static void build(unsigned minor)
{
  const uint64_t *stated = minor == 13 ? of_3_13 : of_3_14;
  memset(arena, 0, sizeof arena);
  used = 0;
  runtime_at = room(RUNTIME_BYTES);
  version_at = room(8);
  version = minor < 13 ? 0x03000000 | minor << 16 : stated[1];
  put(version_at, version);
  if (minor >= 13)
    copy(runtime_at, stated, minor == 13 ? sizeof of_3_13 : sizeof of_3_14);
  if (!lg_py_layout_of((uint32_t)version, runtime_at, &layout))
    abort();
  type_code = type_named("code"), type_str = type_named("str"), type_bytes = type_named("bytes");
  uint64_t file = text("/home/u/app.py"), interpreter = room(INTERPRETER_BYTES), other = room(256), thread = room(256);
  put(runtime_at + layout.interpreters, interpreter);
  put(interpreter + layout.threads, other);
  put(other + layout.thread_next, thread);
  put(other + layout.thread_handle, 1);
  put(thread + layout.thread_handle, THREAD);

  /* C frames from the inside: library, eval, sort, eval, main. Each has 64 bytes of the stack. */
  static const uint64_t pc[] = {0x1000, 0x2001, 0x3000, 0x2003, 0x4000, 0x5000};
  stack = room(64 * 8);
  trace = (struct lg_trace){.n = 6};
  for (int i = 0; i < 6; i++) {
    trace.pc[i] = pc[i];
    trace.sp[i] = stack + 64 * (uint64_t)i;
  }
  uint64_t inner = trace.sp[1] + 16, outer = trace.sp[3] + 16;
  bool entries = layout.frame_kind != LG_PY_ABSENT && minor >= 12;
  uint64_t f_main = frame(code(file, text("main"), 41), 0, 0);
  uint64_t f_key = frame(code(file, text("Solver.key:x"), 10), entries ? outer : f_main, 1);
  uint64_t f_wait = frame(code(file, wide(), 20), f_key, 2);
  if (entries) { /* each entry is a frame on the C stack */
    put(f_main + layout.frame_back, outer);
    put(f_key + layout.frame_back, inner);
    put(inner + layout.frame_back, f_main);
    arena[inner - BASE + layout.frame_kind] = arena[outer - BASE + layout.frame_kind] = 3;
  } else if (layout.frame_kind != LG_PY_ABSENT) {
    arena[f_main - BASE + layout.frame_kind] = arena[f_key - BASE + layout.frame_kind] = 1;
  } else { /* each frame has an entry of its own: wait is called by way of C as well */
    trace.n = 7;
    memmove(trace.pc + 2, trace.pc + 1, 5 * sizeof *trace.pc);
    trace.sp[6] = stack + 64 * 6;
    inner = trace.sp[2] + 16, outer = trace.sp[4] + 16;
    put(trace.sp[1] + 8, f_wait);
    put(trace.sp[2] + 8, f_key);
    put(trace.sp[4] + 8, f_main);
  }
  if (layout.thread_entry != LG_PY_ABSENT) {
    uint64_t first = layout.frame_kind == LG_PY_ABSENT ? trace.sp[1] + 16 : inner;
    put(thread + layout.thread_entry, first);
    if (first != inner)
      put(first + layout.entry_next, inner);
    put(inner + layout.entry_next, outer);
    if (layout.entry_frame != LG_PY_ABSENT)
      put(first + layout.entry_frame, f_wait);
    else
      put(thread + layout.thread_top, f_wait);
  } else if (layout.entry_frame != LG_PY_ABSENT) {
    uint64_t entry = room(32);
    put(thread + layout.thread_top, entry);
    put(entry + layout.entry_frame, f_wait);
  } else {
    put(thread + layout.thread_top, f_wait);
  }
  the_thread = thread;
  exceptions(interpreter, code(file, text("load"), 71));
  memcpy(sound, arena, sizeof arena);
}

/* ---- reading ---- */

static struct lg_words words;
static struct lg_raised_words raised;

static void check(const char *what, const uint64_t *word, int n, int most)
{
  bool wrong = n < 0 || n > most;
  for (int i = 0; i < n && !wrong; i++) {
    uint64_t index = word[i] >> LG_OFFSET_BITS;
    wrong = index != LG_NO_MODULE && (index >= nnames || !strchr(names[index], ':'));
  }
  if (!wrong)
    return;
  fprintf(stderr, "%s: %d frames, or one of no function\n", what, n);
  exit(1);
}

static void read_stack(void)
{
  lg_py_found = false; /* the interpreter is met anew, with what it states of itself */
  lg_py_start();
  lg_module_met(&(struct lg_mapped){0});
  lg_module_met(NULL);
  lg_py_where(THREAD);
  lg_words_captured(&trace, THREAD, &words);
  check("stack", words.word, words.n, LG_MAX_FRAMES);
  if (!lg_words_raised(THREAD, true, &raised))
    return;
  check("exception", raised.word, raised.n, LG_MAX_RAISED);
  if (!memchr(raised.type, 0, sizeof raised.type) || raised.how > LG_RAISED_LAST) {
    fprintf(stderr, "an exception without a name\n");
    exit(1);
  }
}

/* raise_kind makes the exception that is told the one that is handled (0), the one that was printed (1), or
 * one that is set (2). */
static void raise_kind(uint64_t kind)
{
  uint64_t type, trace;
  if (kind > 0)
    put(the_item + layout.item_next, 0);
  if (kind < 2)
    return;
  memcpy(&type, arena + (handled - BASE + layout.object_type), 8);
  memcpy(&trace, arena + (handled - BASE + layout.exception_trace), 8);
  put(the_thread + layout.thread_raised, layout.minor < 12 ? type : handled);
  put(the_thread + layout.thread_raised + 16, layout.minor < 12 ? trace : the_item);
}

static void show_raised(void)
{
  for (uint64_t kind = 0; kind < 3; kind++) {
    raise_kind(kind);
    read_stack();
    printf("%u %s", raised.how, raised.type);
    for (int k = 0; k < raised.n; k++)
      printf(" %lu", raised.word[k] & 0xffffffffffff);
    puts("");
  }
}

static void show(void)
{
  for (int i = 0; i < words.n; i++) {
    uint64_t index = words.word[i] >> LG_OFFSET_BITS, offset = words.word[i] & 0xffffffffffff;
    if (index == LG_NO_MODULE)
      printf("C %lx\n", offset);
    else
      printf("%s %lu\n", names[index], offset);
  }
}

static uint64_t state;

static uint64_t draw(uint64_t n) /* 0 … n - 1 (xorshift64*) */
{
  state ^= state >> 12, state ^= state << 25, state ^= state >> 27;
  return (state * 0x2545f4914f6cdd1dull >> 11) % n;
}

/* damage changes a word: to another address in the arena, one near it, a number, or one bit. */
static void damage(void)
{
  uint64_t at = BASE + draw(used / 8) * 8, v;
  memcpy(&v, arena + (at - BASE), 8);
  switch (draw(6)) {
  case 0: v = BASE + draw(used); break;
  case 1: v = BASE + draw(used / 8) * 8; break;
  case 2: v += draw(64) - 32; break;
  case 3: v ^= 1ull << draw(64); break;
  case 4: v = draw(2) ? 0 : ~0ull >> draw(64); break;
  default: memcpy(&v, arena + draw(used - 8), 8); break;
  }
  put(at, v);
}

int main(int argc, char **argv)
{
  if (argc != 4)
    return 2;
  unsigned minor = (unsigned)atoi(argv[1]);
  long rounds = atol(argv[2]);
  state = strtoull(argv[3], NULL, 0) * 2 + 1;
  build(minor);
  read_stack();
  show();
  show_raised();
  for (long i = 0; i < rounds; i++) {
    memcpy(arena, sound, sizeof arena);
    raise_kind(draw(3));
    for (uint64_t n = 1 + draw(8); n > 0; n--)
      damage();
    read_stack();
  }
  return 0;
}
