/* A stack as it is recorded: frame words, and where the program is written in Python
 * its frames in the place of those of the interpreter. */
#pragma once

#include "base/base.h"
#include "format.h"
#include "stack/cache.h"
#include "stack/unwind.h"

/* What must be unchanged for the same Python frames: of each its code, its
 * instruction and the frame before it, if need be by way of one that stands for an entry. */
#define LG_PY_CHECKS (4 * LG_MAX_FRAMES)

#define LG_PY_UNKNOWN 2 /* a mark: the thread has come to run Python since */

struct lg_words {
  int n;
  bool partial; /* the outermost frame is not among them */
  bool interpreter; /* the innermost code is that of an interpreter, of which no frame may be among them */
  uint64_t word[LG_MAX_FRAMES];
  uint64_t mark; /* lg_py_mark, once it was read */
  bool kept; /* the checks tell whether it is still the same */
  int nchecks;
  struct lg_slot_check check[LG_PY_CHECKS];
};

struct lg_raised_words { /* the exception that a thread is in the midst of, as it is recorded */
  uint32_t how;          /* enum lg_raised_how */
  bool cut;              /* frames before the last are left out */
  bool habit;            /* the thread has thrown such before */
  char type[LG_MAX_RAISED_TYPE];
  char text[LG_MAX_RAISED_TEXT]; /* what it says; "" unknown */
  int n;
  uint64_t word[LG_MAX_RAISED]; /* the frames that it came through, innermost first */
};

#pragma GCC visibility push(hidden)

extern bool lg_py_found; /* there is an interpreter in this process, of a version that is known */
uint64_t lg_py_mark_now(void);

void lg_py_start(void); /* from now on one is looked for in every module */
/* The innermost Python frame of a thread, and where it is: what it must still be after its
 * frames were read, if the thread may run meanwhile. */
uint64_t lg_py_where(uint64_t pthread);
/* Whether a futex is one on which threads of Python wait for the interpreter's lock, and that thread has it. */
bool lg_py_has_lock(uint64_t pthread, uint64_t futex);
/* How many Python frames tell stacks apart while so many are known; from `few` on none. */
int lg_py_most(uint32_t known, uint32_t few);
/* The stack of the calling thread at a call of MPI or the C library, without the interpreter's own
 * code, and with no more than so many Python frames. The file lock is held. */
void lg_words_here(const struct lg_trace *tr, int most, struct lg_words *out);
/* The captured stack of a thread. The file lock is held. */
void lg_words_captured(const struct lg_trace *tr, uint64_t pthread, struct lg_words *out);
/* The Python frames of a thread, read from outside of it; false: it has none, or calls functions all the time. The file lock is held. */
bool lg_words_python(uint64_t pthread, struct lg_words *out);
/* Lists the threads that run Python, by their pthread_t, up to so many; how many are in the list. The file lock is held. */
int lg_words_threads(uint64_t *pthreads, int most);
bool lg_py_ending(void); /* the interpreter is being ended */
/* The exception of a thread, read from outside of it or by itself. `last`: where there is no other, the
 * one that was printed because nothing caught it. false: nothing can be said. The file lock is held. */
bool lg_words_raised(uint64_t pthread, bool last, struct lg_raised_words *out);
/* The exception that the calling thread handles at this moment, 0 none, and a mark of the place where it does so. LG_PY_UNKNOWN: the thread
 * is not known yet; lg_py_meet gets to know it, and wants the file lock. */
uint64_t lg_py_handled_now(uint64_t *place);
void lg_py_meet(void);
/* Whether that exception is about to end the thread, or was put into a future, and what is to be recorded of it. The file lock is held. */
bool lg_words_left(uint64_t exception, struct lg_raised_words *out);

#pragma GCC visibility pop

/* lg_py_mark tells the Python stacks of the calling thread apart, nearly: it is made of the
 * innermost frame and its instruction. 0: it runs no Python. */
static inline uint64_t lg_py_mark(void)
{
  return likely(!lg_py_found) ? 0 : lg_py_mark_now();
}
