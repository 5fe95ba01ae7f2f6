#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/locks.h"
#include "base/peek.h"
#include "base/seq.h"
#include "file/rank.h"
#include "machine/machine.h"
#include "python/words.h"
#include "stack/modules.h"
#include "stack/unwind.h"
#include "start/capture.h"
#include "start/ender.h"
#include "start/raised.h"

#define STACK_BYTES 262144 /* of a sleeping thread that are read, at most */
#define PAGE 4096

uint32_t lg_capture_why;
int lg_capture_signal;

/* The address tells our signals from the program's own of that number, and what is asked for. */
static char registers_asked;

static void ask(int tid, void *what)
{
  siginfo_t info = {.si_signo = lg_capture_signal, .si_code = SI_QUEUE};
  info.si_pid = getpid();
  info.si_uid = getuid();
  info.si_value.sival_ptr = what;
  syscall(SYS_rt_tgsigqueueinfo, getpid(), tid, lg_capture_signal, &info);
}

void lg_capture_ask(int tid)
{
  ask(tid, &lg_capture_why);
}

void lg_capture_ask_registers(int tid)
{
  ask(tid, &registers_asked);
}

bool lg_capture_wanted(const siginfo_t *info)
{
  const void *what = info->si_value.sival_ptr;
  return info->si_code == SI_QUEUE && info->si_pid == getpid() && (what == &lg_capture_why || what == &registers_asked);
}

void lg_capture_asked(struct lg_thr *t, const siginfo_t *info, void *ucontext)
{
  struct lg_samples *s = &t->samples;
  if (info->si_value.sival_ptr != &registers_asked) {
    lg_capture_here(t, lg_capture_why, 0, ucontext);
    return;
  }
  LG_CONTEXT(ucontext, s->v[s->taken % LG_SAMPLES]);
  __atomic_store_n(&s->taken, s->taken + 1, __ATOMIC_RELEASE);
}

static bool same_stack(const struct lg_thread *p, const struct lg_words *w)
{
  return p->stack.time_ns && p->stack.nframes == (uint32_t)w->n && memcmp(p->stack.frames, w->word, sizeof *w->word * (size_t)w->n) == 0;
}

/* stays: the stack shows from where the process is ended within a call, which takes a while. Another look at it would show less. */
static bool stays(const struct lg_capture *s, uint64_t calls)
{
  bool over = lg_rank->end == LG_EXITED || lg_rank->end == LG_ABORTED;
  return over && s->in_mpi && s->calls == calls && (s->why == LG_WHY_EXIT || s->why == LG_WHY_ERROR);
}

/* write_stack publishes a stack, by the program counter and the stack pointer of its innermost frame. */
static void write_stack(struct lg_thr *t, const struct lg_words *w, uint64_t pc, uint64_t sp, uint32_t why, int sig, uint32_t flags,
                        const struct lg_awaits *awaits)
{
  struct lg_thread *p = t->pub;
  if (why < LG_WHY_FATAL && stays(&p->stack, p->calls))
    return;
  bool same = same_stack(p, w) && t->stack_pc == pc && p->stack.calls == p->calls;
  lg_seq_begin(&p->stack.seq);
  t->stack_sp = sp;
  if (!same)
    p->stack.same = 1;
  else if (!t->starved)
    p->stack.same++;
  p->stack.time_ns = lg_now();
  p->stack.calls = p->calls;
  p->stack.why = why;
  p->stack.in_mpi = p->in_mpi;
  p->stack.flags = (w->partial ? LG_STACK_PARTIAL : 0) | flags;
  p->stack.signal = (uint32_t)sig;
  p->stack.nframes = (uint32_t)w->n;
  memcpy(p->stack.frames, w->word, sizeof *w->word * (size_t)w->n);
  p->awaited = awaits->what;
  p->awaited_tid = awaits->tid;
  lg_seq_end(&p->stack.seq);
  t->stack_pc = pc;
}

uint64_t lg_capture_left;

/* is_within_wrapper tells whether a stack has a frame of the recorder's, or that of the call by its return address. */
static bool is_within_wrapper(const struct lg_thr *t, const struct lg_trace *tr)
{
  const struct lg_mapped *own = lg_module_in_table((uint64_t)&lg_capture_here);
  for (int i = 0; i < tr->n; i++)
    if ((tr->slot[i] == t->outer_cfa - 8 && lg_code(tr->pc[i]) == t->outer_ra) || (own && tr->pc[i] >= own->lo && tr->pc[i] < own->hi))
      return true;
  return !own;
}

/* has_left tells whether the thread has left its call of MPI without a return, by longjmp or an exception: the whole stack has no frame
 * of the wrapper, and the return address is overwritten, or no longer on the stack. While the program runs on a stack of its own making,
 * the call may be on another. */
static bool has_left(const struct lg_thr *t, const struct lg_trace *tr, uint64_t sp)
{
  const struct lg_cache *c = &t->model.cache;
  uint64_t ra;
  if (!t->pub->in_mpi || !t->outer_cfa || tr->partial || is_within_wrapper(t, tr))
    return false;
  if (lg_cache_native(c, sp) && lg_cache_native(c, t->outer_cfa) && sp >= t->outer_cfa)
    return true;
  return lg_peek(t->outer_cfa - 8, &ra, sizeof ra) == sizeof ra && lg_code(ra) != t->outer_ra;
}

static void leave(struct lg_thr *t)
{
  struct lg_thread *p = t->pub;
  if (p->kind != LG_OP_POLL && p->kind != LG_OP_LOCAL)
    __atomic_add_fetch(&lg_capture_left, 1, __ATOMIC_RELAXED);
  __atomic_store_n(&p->in_mpi, 0, __ATOMIC_RELEASE);
}

/* A running thread whose next instruction stands behind a system call is on its
 * way out of one that does not block, such as sched_yield. */
static bool behind_syscall(uint64_t pc)
{
  return lg_is_code(pc - strlen(LG_SYSCALL)) && memcmp((const void *)(pc - strlen(LG_SYSCALL)), LG_SYSCALL, strlen(LG_SYSCALL)) == 0;
}

static struct lg_words words; /* large; the file lock is held */
static unsigned char copy[STACK_BYTES];
static const struct lg_awaits no_other = {LG_AWAITED_NONE, 0, -1};

static bool is_there(uint64_t at)
{
  char byte;
  return lg_peek(at, &byte, 1) == 1;
}

/* lowest_there finds how far down a stack is mapped that is so at its end. */
static uint64_t lowest_there(uint64_t lo, uint64_t hi)
{
  uint64_t below = lo / PAGE, there = (hi - 1) / PAGE;
  while (there - below > 1) {
    uint64_t page = below + (there - below) / 2;
    if (is_there(page * PAGE))
      there = page;
    else
      below = page;
  }
  return there * PAGE;
}

/* stack_from is the stack of a thread from its stack pointer on. Where that has overflowed, it is as much of it as is there. */
static struct lg_stack stack_from(const struct lg_cache *c, uint64_t sp, int sig)
{
  bool overflowed = (sig == SIGSEGV || sig == SIGBUS) && sp < c->stack_hi && !is_there(sp) && is_there(c->stack_hi - 1);
  uint64_t lo = overflowed ? lowest_there(sp > c->stack_lo ? sp : c->stack_lo, c->stack_hi) : sp;
  uint64_t hi = overflowed || (sp >= c->stack_lo && sp < c->stack_hi) ? c->stack_hi : sp;
  return (struct lg_stack){lo, hi, (const unsigned char *)lo};
}

bool lg_capture_here(struct lg_thr *t, uint32_t why, int sig, void *ucontext)
{
  struct lg_regs r = {.known = LG_CONTEXT_KNOWN};
  struct lg_trace tr;
  LG_CONTEXT(ucontext, r.v);
  bool last = why == LG_WHY_EXIT || why == LG_WHY_ERROR; /* there is no later one, and the watch thread may be looking just now */
  if (last ? lg_file_mine() || !lg_lock_file_soon() : !lg_trylock_file())
    return false;
  if (lg_unloading) {
    lg_unlock_file();
    return false;
  }
  uint64_t sp = r.v[SP];
  struct lg_stack s = stack_from(&t->model.cache, sp, sig);
  lg_unwind(&r, &s, true, &tr);
  if (has_left(t, &tr, sp))
    leave(t);
  if (why == LG_WHY_EXIT && t->pub->in_mpi && lg_rank->end != LG_ABORTED && lg_exit_by_mpi(&tr))
    why = LG_WHY_ERROR;
  bool shows = why != LG_WHY_EXIT || lg_called_by_program(&tr);
  if (shows) {
    lg_words_captured(&tr, t->pthread, &words);
    bool behind = behind_syscall(tr.pc[0]);
    struct lg_awaits awaits = behind && !sig ? lg_awaits_interpreter(t->tid, LG_SYSCALL_ARGUMENT(r.v)) : no_other;
    write_stack(t, &words, tr.pc[0], sp, why, sig, behind ? LG_STACK_IDLE : 0, &awaits);
    lg_raised_captured(t);
  }
  lg_unlock_file();
  return shows;
}

/* unwind_asleep goes up the stack of a thread asleep, of which two registers are known and the end may be. */
static bool unwind_asleep(const struct lg_asleep *a, size_t most, struct lg_trace *out)
{
  struct lg_regs r = {.known = lg_bit(SP) | lg_bit(PC)};
  size_t got = lg_unloading ? 0 : lg_peek(a->sp, copy, most < sizeof copy ? most : sizeof copy);
  struct lg_stack s = {a->sp, a->sp + got, copy};
  r.v[SP] = a->sp;
  r.v[PC] = a->pc;
  if (got > 0)
    lg_unwind(&r, &s, false, out);
  return got > 0;
}

/* still tells whether a thread has been asleep since it was found so, at that many calls. */
static bool still(const struct lg_thr *t, const struct lg_asleep *a, uint64_t calls)
{
  struct lg_asleep now;
  return lg_doing(t->tid, &now) == LG_IN_CALL && now.sp == a->sp && now.pc == a->pc && t->pub->calls == calls;
}

/* A thread that woke up meanwhile may have gone on. */
bool lg_capture_asleep(struct lg_thr *t, const struct lg_asleep *a)
{
  const struct lg_cache *c = &t->model.cache;
  uint64_t hi = a->sp >= c->stack_lo && a->sp < c->stack_hi ? c->stack_hi : a->sp + PAGE;
  struct lg_trace tr;
  lg_lock_file();
  uint64_t where = lg_py_where(t->pthread), calls = t->pub->calls;
  bool taken = unwind_asleep(a, hi - a->sp, &tr);
  if (taken) {
    lg_words_captured(&tr, t->pthread, &words);
    taken = where == lg_py_where(t->pthread);
  }
  if (taken) {
    if (has_left(t, &tr, a->sp) && still(t, a, calls))
      leave(t);
    write_stack(t, &words, a->pc, a->sp, lg_capture_why, 0, a->idle ? LG_STACK_IDLE : 0, &a->awaits);
    lg_raised_captured(t);
  }
  lg_unlock_file();
  return taken;
}

const struct lg_words *lg_capture_words(const struct lg_asleep *a)
{
  struct lg_trace tr;
  if (!unwind_asleep(a, sizeof copy, &tr))
    return NULL;
  lg_words_captured(&tr, 0, &words);
  return &words;
}

/* The readers let this thread speak for the rank. */
static struct lg_thr *foremost(void)
{
  struct lg_thr *most = NULL;
  bool runs = false; /* most does */
  for (struct lg_thr *t = __atomic_load_n(&lg_threads, __ATOMIC_ACQUIRE); t; t = t->next) {
    bool in_use = __atomic_load_n(&t->in_use, __ATOMIC_ACQUIRE);
    if (!most || in_use > runs || (in_use == runs && t->pub->progress >= most->pub->progress)) {
      most = t; /* of equals the oldest, which is last */
      runs = in_use;
    }
  }
  return most;
}

void lg_capture_other(int sig, void *ucontext)
{
  struct lg_thr *t = foremost();
  struct lg_regs r = {.known = LG_CONTEXT_KNOWN};
  struct lg_trace tr;
  LG_CONTEXT(ucontext, r.v);
  if (!t || !lg_trylock_file())
    return;
  size_t got = lg_unloading ? 0 : lg_peek(r.v[SP], copy, sizeof copy);
  if (got > 0) {
    struct lg_stack s = {r.v[SP], r.v[SP] + got, copy};
    lg_unwind(&r, &s, true, &tr);
    lg_words_captured(&tr, (uint64_t)pthread_self(), &words);
    write_stack(t, &words, tr.pc[0], r.v[SP], LG_WHY_FATAL, sig, LG_STACK_OTHER, &no_other);
  }
  lg_unlock_file();
}
