#define _GNU_SOURCE
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/locks.h"
#include "base/peek.h"
#include "base/seq.h"
#include "machine/machine.h"
#include "python/words.h"
#include "stack/unwind.h"
#include "start/capture.h"
#include "start/raised.h"

#define STACK_BYTES 262144 /* of a sleeping thread that are read, at most */
#define PAGE 4096

uint32_t lg_capture_why;
int lg_capture_signal;

/* The address tells our signals from the program's own of that number. */
void lg_capture_ask(int tid)
{
  siginfo_t info = {.si_signo = lg_capture_signal, .si_code = SI_QUEUE};
  info.si_pid = getpid();
  info.si_uid = getuid();
  info.si_value.sival_ptr = &lg_capture_why;
  syscall(SYS_rt_tgsigqueueinfo, getpid(), tid, lg_capture_signal, &info);
}

bool lg_capture_wanted(const siginfo_t *info)
{
  return info->si_code == SI_QUEUE && info->si_pid == getpid() && info->si_value.sival_ptr == &lg_capture_why;
}

static bool same_stack(const struct lg_thread *p, const struct lg_words *w)
{
  return p->stack_ns && p->nframes == (uint32_t)w->n && memcmp(p->frames, w->word, sizeof *w->word * (size_t)w->n) == 0;
}

/* write_stack publishes a stack whose innermost frame is at pc. */
static void write_stack(struct lg_thr *t, const struct lg_words *w, uint64_t pc, uint32_t why, int sig, bool idle)
{
  struct lg_thread *p = t->pub;
  bool same = same_stack(p, w) && t->stack_pc == pc && p->stack_calls == p->calls;
  lg_seq_begin(&p->stack_seq);
  if (!same)
    p->stack_same = 1;
  else if (!t->starved)
    p->stack_same++;
  p->stack_ns = lg_now();
  p->stack_calls = p->calls;
  p->stack_why = why;
  p->stack_in_mpi = p->in_mpi;
  p->stack_flags = (w->partial ? LG_STACK_PARTIAL : 0) | (idle ? LG_STACK_IDLE : 0);
  p->stack_signal = (uint32_t)sig;
  p->nframes = (uint32_t)w->n;
  memcpy(p->frames, w->word, sizeof *w->word * (size_t)w->n);
  lg_seq_end(&p->stack_seq);
  t->stack_pc = pc;
}

/* A running thread whose next instruction stands behind a system call is on its
 * way out of one that does not block, such as sched_yield. */
static bool behind_syscall(uint64_t pc)
{
  return lg_is_code(pc - strlen(LG_SYSCALL)) && memcmp((const void *)(pc - strlen(LG_SYSCALL)), LG_SYSCALL, strlen(LG_SYSCALL)) == 0;
}

static struct lg_words words; /* large; the file lock is held */

bool lg_capture_here(struct lg_thr *t, uint32_t why, int sig, void *ucontext)
{
  struct lg_regs r = {.known = LG_CONTEXT_KNOWN};
  struct lg_trace tr;
  LG_CONTEXT(ucontext, r.v);
  if (!lg_trylock_file())
    return false;
  if (lg_unloading) {
    lg_unlock_file();
    return false;
  }
  uint64_t sp = r.v[SP], hi = sp >= t->model.cache.stack_lo && sp < t->model.cache.stack_hi ? t->model.cache.stack_hi : sp;
  struct lg_stack s = {sp, hi, (const unsigned char *)sp};
  lg_unwind(&r, &s, true, &tr);
  lg_words_captured(&tr, t->pthread, &words);
  write_stack(t, &words, tr.pc[0], why, sig, behind_syscall(tr.pc[0]));
  lg_raised_captured(t);
  lg_unlock_file();
  return true;
}

/* Only two registers of a thread asleep are known. One that woke up meanwhile may have gone on. */
bool lg_capture_asleep(struct lg_thr *t, uint64_t sp, uint64_t pc, bool idle)
{
  static unsigned char copy[STACK_BYTES];
  uint64_t hi = sp >= t->model.cache.stack_lo && sp < t->model.cache.stack_hi ? t->model.cache.stack_hi : sp + PAGE;
  size_t n = hi - sp < sizeof copy ? hi - sp : sizeof copy;
  struct lg_regs r = {.known = lg_bit(SP) | lg_bit(PC)};
  struct lg_trace tr;
  r.v[SP] = sp;
  r.v[PC] = pc;
  lg_lock_file();
  uint64_t where = lg_py_where(t->pthread);
  size_t got = lg_peek(sp, copy, n);
  bool taken = got > 0;
  if (taken && !lg_unloading) {
    struct lg_stack s = {sp, sp + got, copy};
    lg_unwind(&r, &s, false, &tr);
    lg_words_captured(&tr, t->pthread, &words);
    taken = where == lg_py_where(t->pthread);
    if (taken) {
      write_stack(t, &words, pc, lg_capture_why, 0, idle);
      lg_raised_captured(t);
    }
  }
  lg_unlock_file();
  return taken;
}
