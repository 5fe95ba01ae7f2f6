#define _GNU_SOURCE
#include <pthread.h>
#include <string.h>
#include "base/hash.h"
#include "base/reading.h"
#include "python/code.h"
#include "python/exception.h"
#include "python/frames.h"
#include "python/layout.h"
#include "python/memory.h"
#include "python/words.h"
#include "stack/dynsym.h"
#include "stack/modules.h"

#define MAX_KEYS 1024      /* PTHREAD_KEYS_MAX of glibc */
#define REGION_BYTES 8192  /* of a C frame that are searched */
#define TEXT_BYTES 4096    /* room for file and name */
#define KNOWN_BITS 12      /* code objects that are kept, as a power of two */
#define IMPORTS "<frozen importlib" /* how the files begin of what imports modules */
#define INNER 24           /* frames that are looked at for what becomes of an exception */
#define OWN_LOCKS 12       /* since 3.12 an interpreter may have a lock of its own */
#define LOCK_BYTES 192     /* of struct _gil_runtime_state from its member `locked` on: two mutexes and condition variables */
#define OUTSIDE_LOOKS 8    /* at the frames of a thread at work, until two are alike */

bool lg_py_found;
static struct lg_py_layout layout;
static uint64_t runtime;
static bool keyed;          /* the key is known */
static pthread_key_t key;   /* by which the interpreter finds the structure of a thread */
/* The structure of this thread, as it was found last. */
static __thread uint64_t own __attribute__((tls_model("initial-exec")));

/* ---- the interpreter ---- */

/* version_of tells the version of the interpreter in a module. Those before 3.11 do not
 * state it in data; each has functions that the one before has not. */
static uint32_t version_of(const struct lg_mapped *m)
{
  static const struct { const char *name; uint32_t version; } since[] = {
      {"PyIter_Send", 0x030a0000}, {"PyFrame_GetCode", 0x03090000}, {"PyCode_NewWithPosOnlyArgs", 0x03080000}};
  uint64_t stated = lg_module_symbol(m, "Py_Version"), version;
  if (stated)
    return lg_py_word(stated, &version) ? (uint32_t)version : 0;
  for (unsigned i = 0; i < sizeof since / sizeof *since; i++)
    if (lg_module_symbol(m, since[i].name))
      return since[i].version;
  return 0;
}

/* met looks for an interpreter in a module; with the last one it is known whether the one
 * that was found before is still there. */
static void met(const struct lg_mapped *m)
{
  static bool there;
  struct lg_py_layout found;
  if (!m) {
    if (!there)
      __atomic_store_n(&lg_py_found, false, __ATOMIC_RELEASE);
    there = false;
    return;
  }
  uint64_t at = lg_module_symbol(m, "_PyRuntime");
  if (!at || there || (lg_py_found && at != runtime) || !lg_py_layout_of(version_of(m), at, &found))
    return;
  there = true;
  if (lg_py_found)
    return;
  layout = found;
  runtime = at;
  __atomic_store_n(&lg_py_found, true, __ATOMIC_RELEASE);
}

void lg_py_start(void)
{
  lg_module_met = met;
}

bool lg_py_ending(void)
{
  uint64_t thread;
  return lg_py_found && (!lg_py_word(runtime + layout.finalizing, &thread) || thread);
}

/* own_thread finds the interpreter's structure of the calling thread in its lists, 0 none.
 * Where the interpreter keeps a thread's own differs between versions, so the key is looked
 * for that leads to it. */
static uint64_t own_thread(void)
{
  if (!lg_py_found || lg_py_ending())
    return own = 0;
  if (own && keyed && (uint64_t)pthread_getspecific(key) == own)
    return own;
  lg_py_own = false; /* other threads may come and go */
  own = lg_py_thread(&layout, runtime, (uint64_t)pthread_self());
  lg_py_own = true;
  if (!own || (keyed && (uint64_t)pthread_getspecific(key) == own))
    return own;
  for (pthread_key_t k = 0; k < MAX_KEYS; k++)
    if ((uint64_t)pthread_getspecific(k) == own) {
      key = k;
      __atomic_store_n(&keyed, true, __ATOMIC_RELEASE);
      return own;
    }
  return own = 0;
}

/* The structure of the calling thread, its innermost frame and the code of that stay as
 * they are while the thread is here: they can be read as they are. One that is not known
 * yet is not touched: the interpreter may have been ended and its key have become another's. */
uint64_t lg_py_mark_now(void)
{
  if (!__atomic_load_n(&keyed, __ATOMIC_ACQUIRE) || *(const uint64_t *)(runtime + layout.finalizing))
    return 0;
  uint64_t thread = (uint64_t)pthread_getspecific(key);
  if (!thread)
    return 0;
  if (thread != own)
    return LG_PY_UNKNOWN;
  uint64_t top = *(const uint64_t *)(thread + layout.thread_top);
  if (top && layout.entry_frame != LG_PY_ABSENT)
    top = *(const uint64_t *)(top + layout.entry_frame);
  if (!top)
    return 0;
  return lg_mix(lg_mix(thread, top), *(const uint64_t *)(top + layout.frame_instruction)) | 1;
}

uint64_t lg_py_where(uint64_t pthread)
{
  uint64_t thread = lg_py_found ? lg_py_thread(&layout, runtime, pthread) : 0, top, at = 0;
  if (!thread || !(top = lg_py_top(&layout, thread)) || !lg_py_word(top + layout.frame_instruction, &at))
    return 0;
  return lg_mix(top, at) | 1;
}

bool lg_py_has_lock(uint64_t pthread, uint64_t futex)
{
  uint64_t thread = lg_py_found ? lg_py_thread(&layout, runtime, pthread) : 0, base = runtime, holder;
  uint32_t taken;
  if (!thread || (layout.minor >= OWN_LOCKS && !lg_py_word(thread + layout.thread_interpreter, &base)))
    return false;
  return futex - (base + layout.lock_taken) < LOCK_BYTES && lg_py_word(base + layout.lock_holder, &holder) && holder == thread &&
         lg_py_bytes(base + layout.lock_taken, &taken, sizeof taken) && taken;
}

/* ---- the functions of the program ---- */

/* A function that has been seen, by its code object; one that was freed may have given its
 * place to another. */
static struct known {
  uint64_t code, file, name;
  int first;
  uint32_t index; /* LG_NO_MODULE: it has no name */
  bool imports;   /* it is of what imports modules */
} known[1 << KNOWN_BITS];

static const struct known *known_of(uint64_t code, const struct lg_py_code *c)
{
  static char text[TEXT_BYTES]; /* the file lock is held */
  struct known *k = &known[lg_spread(code, KNOWN_BITS)];
  if (k->code == code && k->file == c->file && k->name == c->name && k->first == c->first)
    return k;
  *k = (struct known){code, c->file, c->name, c->first, LG_NO_MODULE, false};
  if (lg_py_code_text(&layout, c, text, sizeof text)) {
    k->index = lg_module_named(text);
    k->imports = strncmp(text, IMPORTS, sizeof IMPORTS - 1) == 0;
  }
  return k;
}

/* word_of is the frame word of a Python frame, and whether it imports a module; false: it is none
 * of the program's. */
static bool word_of(const struct lg_py_frame *f, uint64_t *word, bool *imports)
{
  struct lg_py_code c;
  if (!lg_py_code(&layout, f->code, &c))
    return false;
  const struct known *k = known_of(f->code, &c);
  *word = lg_frame_of(k->index, (uint64_t)lg_py_code_line(&layout, &c, f->instruction));
  *imports = k->imports;
  return k->index != LG_NO_MODULE;
}

/* ---- where they belong ---- */

/* holding finds the C frame, from the i-th on, with an address in it; tr->n: none. */
static int holding(const struct lg_trace *tr, int i, uint64_t at)
{
  for (; i + 1 < tr->n; i++)
    if (at >= tr->sp[i] && at < tr->sp[i + 1])
      return i;
  return tr->n;
}

/* mentioning finds the C frame of the interpreter that has the address of a Python frame in
 * it: up to 3.9 nothing else tells where a frame is executed. */
static int mentioning(const struct lg_trace *tr, int i, uint64_t frame)
{
  static uint64_t words[REGION_BYTES / 8]; /* the file lock is held */
  for (; i + 1 < tr->n; i++) {
    uint64_t lo = tr->sp[i], hi = tr->sp[i + 1];
    if (!lg_module_interprets(tr->pc[i]) || hi <= lo)
      continue;
    size_t n = hi - lo < sizeof words ? hi - lo : sizeof words;
    n = lg_py_some(lo, words, n) / 8;
    for (size_t k = 0; k < n; k++)
      if (words[k] == frame)
        return i;
  }
  return tr->n;
}

static void add(struct lg_words *out, uint64_t word)
{
  if (out->n < LG_MAX_FRAMES)
    out->word[out->n++] = word;
  else
    out->partial = true;
}

/* join puts the Python frames between the C frames: each in the place of the one that
 * executes it. C code of the interpreter is left out where Python frames stand for it: what
 * it does to get from one to the next differs from call to call. `inner`: what it does in
 * the innermost one is kept. Of the Python frames there are at most so many, and nothing
 * that is further out. What an interpreter calls by itself while it imports a module is told
 * by nothing further out than that: the ways to an import are many, and are not asked for. */
static void join(const struct lg_trace *tr, const struct lg_py_frames *py, bool inner, int most,
                 struct lg_words *out)
{
  const bool alone = !inner && out->interpreter;
  int next = 0, from = 0;
  bool placed = false;
  out->n = 0;
  out->partial = tr->partial || py->cut;
  for (int i = 0; i <= tr->n; i++) {
    bool stands_for = false;
    for (; next < py->n; next++) {
      const struct lg_py_frame *f = &py->list[next];
      if (i < tr->n && (f->entry ? holding(tr, from, f->entry) : mentioning(tr, from, f->at)) != i)
        break;
      uint64_t word;
      bool imports = false;
      stands_for = true;
      if (next == most) {
        out->partial = true;
        return;
      }
      if (word_of(f, &word, &imports))
        add(out, word);
      if (imports && alone) {
        out->partial = true;
        return;
      }
      if (!f->entry && i < tr->n) {
        next++;
        break; /* each is executed by a C frame of its own */
      }
    }
    placed |= stands_for;
    if (stands_for)
      from = i;
    if (i == tr->n || stands_for || (lg_module_interprets(tr->pc[i]) && py->n && (placed || !inner)))
      continue;
    add(out, lg_frame_word(tr->pc[i]));
  }
}

static void plain(const struct lg_trace *tr, struct lg_words *out)
{
  out->n = tr->n;
  out->partial = tr->partial;
  for (int i = 0; i < tr->n; i++)
    out->word[i] = lg_frame_word(tr->pc[i]);
}

static uint64_t check(struct lg_words *out, uint64_t at)
{
  uint64_t now = *(const uint64_t *)at;
  out->check[out->nchecks++] = (struct lg_slot_check){(const uint64_t *)at, now};
  return now;
}

/* checks lists what must stay: each says where the next one may be read, so a frame that is
 * gone is never read. The first frame is in the mark. */
static void checks(const struct lg_py_frames *py, struct lg_words *out)
{
  out->nchecks = 0;
  for (int i = 0; i < py->n; i++) {
    const struct lg_py_frame *f = &py->list[i];
    if (layout.code_bytes == LG_PY_ABSENT) /* else instructions have addresses, which lie in their code */
      check(out, f->at + layout.frame_code);
    check(out, f->at + layout.frame_instruction);
    uint64_t back = check(out, f->at + layout.frame_back);
    if (i + 1 == py->n)
      return;
    if (back == f->entry)
      back = check(out, back + layout.frame_back); /* of the frame that stands for the entry */
    out->kept = back == py->list[i + 1].at;
    if (!out->kept)
      return;
  }
}

struct here { /* the arguments of read_here */
  const struct lg_trace *tr;
  int most;
  struct lg_words *out;
};

static void read_here(void *arg)
{
  static struct lg_py_frames py; /* large; the file lock is held */
  const struct here *h = arg;
  uint64_t thread = own_thread();
  py.n = 0;
  if (thread)
    lg_py_frames(&layout, thread, &py);
  if (py.n && h->most)
    join(h->tr, &py, false, h->most, h->out);
  else
    plain(h->tr, h->out);
  checks(&py, h->out);
  h->out->mark = lg_py_mark();
}

/* A program in Python may come to a call by very many ways: by recursion, or where the garbage
 * collector happens to destroy an object. They are told apart by fewer frames when there are
 * many, and in the end by none, so that the recording goes on. */
int lg_py_most(uint32_t known, uint32_t few)
{
  return known < few / 4 ? LG_MAX_FRAMES : known < few / 2 ? 4 : known < few;
}

void lg_words_here(const struct lg_trace *tr, int most, struct lg_words *out)
{
  out->nchecks = 0;
  out->mark = 0;
  out->kept = true;
  out->interpreter = tr->n && lg_module_interprets(tr->pc[0]);
  lg_py_own = true;
  bool read = lg_py_found && lg_reading(read_here, &(struct here){tr, most, out});
  lg_py_own = false;
  if (lg_py_found && !read)
    out->kept = false; /* there was a fault */
  if (!read) {
    out->nchecks = 0;
    plain(tr, out);
  }
  out->kept &= out->mark != LG_PY_UNKNOWN;
}

void lg_words_captured(const struct lg_trace *tr, uint64_t pthread, struct lg_words *out)
{
  static struct lg_py_frames py; /* large; the file lock is held */
  uint64_t thread = lg_py_found ? lg_py_thread(&layout, runtime, pthread) : 0;
  py.n = 0;
  if (thread)
    lg_py_frames(&layout, thread, &py);
  if (py.n)
    join(tr, &py, true, LG_MAX_FRAMES, out);
  else
    plain(tr, out);
}

static void frames_outside(uint64_t thread, struct lg_words *out)
{
  static struct lg_py_frames py; /* large; the file lock is held */
  uint64_t word;
  bool imports;
  lg_py_frames(&layout, thread, &py);
  out->n = 0;
  out->partial = py.cut;
  for (int i = 0; i < py.n; i++)
    if (word_of(&py.list[i], &word, &imports))
      add(out, word);
}

/* alike: what a thread at work does meanwhile is in its innermost function only. */
static bool alike(const struct lg_words *a, const struct lg_words *b)
{
  return a->n == b->n && a->n > 0 && a->word[0] >> LG_OFFSET_BITS == b->word[0] >> LG_OFFSET_BITS &&
         memcmp(a->word + 1, b->word + 1, sizeof *a->word * (size_t)(a->n - 1)) == 0;
}

bool lg_words_python(uint64_t pthread, struct lg_words *out)
{
  static struct lg_words before; /* large; the file lock is held */
  uint64_t thread = lg_py_found ? lg_py_thread(&layout, runtime, pthread) : 0;
  for (int i = 0; thread && i < OUTSIDE_LOOKS; i++) {
    frames_outside(thread, &before);
    frames_outside(thread, out);
    if (alike(&before, out) && lg_py_thread(&layout, runtime, pthread) == thread)
      return true;
  }
  return false;
}

int lg_words_threads(uint64_t *pthreads, int most)
{
  return lg_py_found ? lg_py_threads(&layout, runtime, pthreads, most) : 0;
}

bool lg_words_raised(uint64_t pthread, bool last, struct lg_raised_words *out)
{
  static struct lg_py_exception e; /* large; the file lock is held */
  uint64_t thread = lg_py_found ? lg_py_thread(&layout, runtime, pthread) : 0;
  if (!thread)
    return false;
  bool imports;
  lg_py_exception(&layout, thread, last, &e);
  *out = (struct lg_raised_words){.how = e.how, .cut = e.cut};
  memcpy(out->type, e.type, sizeof out->type);
  for (int i = 0; i < e.n; i++)
    if (word_of(&e.list[i], &out->word[out->n], &imports))
      out->n++;
    else
      out->cut = true;
  return true;
}

/* ---- exceptions that end a thread, or stay in a future ---- */

static uint64_t nothing; /* what stands in the place of an exception where none is handled: None */

/* As lg_py_mark_now does, this reads only what belongs to the calling thread, and stays as it is meanwhile. */
uint64_t lg_py_handled_now(uint64_t *place)
{
  if (!__atomic_load_n(&keyed, __ATOMIC_ACQUIRE) || layout.thread_handled == LG_PY_ABSENT ||
      *(const uint64_t *)(runtime + layout.finalizing))
    return 0;
  uint64_t thread = (uint64_t)pthread_getspecific(key);
  if (!thread)
    return 0;
  if (thread != own)
    return LG_PY_UNKNOWN;
  uint64_t item = *(const uint64_t *)(thread + layout.thread_handled);
  uint64_t exception = item ? *(const uint64_t *)(item + layout.item_exception) : 0;
  if (!exception || exception == __atomic_load_n(&nothing, __ATOMIC_RELAXED))
    return 0;
  *place = lg_mix(exception, lg_py_mark_now());
  return exception;
}

void lg_py_meet(void)
{
  own_thread();
}

static bool ends_with(const char *text, size_t n, const char *end)
{
  size_t length = strlen(end);
  return n >= length && memcmp(text + n - length, end, length) == 0;
}

/* fate_in tells what becomes of an exception that is handled within a function of Python's library, by its file and name. */
static uint32_t fate_in(const char *text)
{
  static const struct { const char *file, *name; uint32_t how; } places[] = {
      {"/threading.py", "invoke_excepthook", LG_RAISED_THREAD}, {"/concurrent/futures/_base.py", "set_exception", LG_RAISED_FUTURE}};
  const char *name = strrchr(text, ':');
  for (unsigned i = 0; name && i < sizeof places / sizeof *places; i++)
    if (ends_with(text, (size_t)(name - text), places[i].file) && ends_with(name, strlen(name), places[i].name))
      return places[i].how;
  return LG_RAISED_NONE;
}

bool lg_words_left(uint64_t exception, struct lg_raised_words *out)
{
  static struct lg_py_frames py; /* large; the file lock is held */
  static char text[TEXT_BYTES];
  uint64_t thread = lg_py_thread(&layout, runtime, (uint64_t)pthread_self());
  uint32_t how = LG_RAISED_NONE;
  struct lg_py_code c;
  if (!lg_py_is_exception(&layout, exception)) {
    __atomic_store_n(&nothing, exception, __ATOMIC_RELAXED);
    return false;
  }
  py.n = 0;
  if (thread)
    lg_py_frames(&layout, thread, &py);
  for (int i = 0; i < py.n && i < INNER && !how; i++)
    if (lg_py_code(&layout, py.list[i].code, &c) && lg_py_code_text(&layout, &c, text, sizeof text))
      how = fate_in(text);
  if (!how || !lg_words_raised((uint64_t)pthread_self(), false, out) || out->how != LG_RAISED_HANDLED)
    return false;
  out->how = how;
  if (how == LG_RAISED_THREAD) /* Python prints it */
    lg_py_says(&layout, exception, out->text);
  return true;
}
