#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>
#include "base/recording.h"
#include "base/settings.h"
#include "calls/argument.h"
#include "file/node.h"
#include "file/rank.h"
#include "identity/thread.h"
#include "python/words.h"
#include "start/capture.h"
#include "start/dealt.h"
#include "start/ender.h"
#include "start/ends.h"
#include "start/raised.h"
#include "start/thrown.h"
#include "start/watch.h"
#include "base/locks.h"
#include "base/reading.h"
#include "stack/cfi.h"
#include "stack/modules.h"

#define CAPTURE_SIGNAL 11 /* above SIGRTMIN: programs use the first ones */

static const int fatal[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGSYS, SIGTERM,
                            SIGINT, SIGHUP, SIGQUIT, SIGXCPU, SIGUSR1, SIGUSR2,
                            SIGXFSZ, SIGPIPE, SIGALRM, SIGTRAP};
static struct sigaction theirs[NSIG]; /* what the program believes is set */
static bool ours[NSIG];               /* our handler is installed in its place */
static int asked_signal;

static int real_sigaction(int sig, const struct sigaction *act, struct sigaction *old)
{
  static int (*real)(int, const struct sigaction *, struct sigaction *);
  if (!real)
    real = (int (*)(int, const struct sigaction *, struct sigaction *))dlsym(RTLD_NEXT, "sigaction");
  return real(sig, act, old);
}

static int their_sigaction(int sig, const struct sigaction *act, struct sigaction *old);

#define FAULTS_NOTED 64 /* that the program's handler has dealt with; after these few are noted */
static uint32_t survived; /* faults from which the program's handler returned */

static bool is_fault(int sig)
{
  return sig == SIGSEGV || sig == SIGBUS || sig == SIGFPE || sig == SIGILL || sig == SIGABRT || sig == SIGSYS;
}

/* as_default ends the process as the signal would have: the default action is
 * put back, and the signal comes again when this handler returns. */
static void as_default(int sig, const siginfo_t *info)
{
  struct sigaction dfl = {.sa_handler = SIG_DFL};
  real_sigaction(sig, &dfl, NULL);
  if (!is_fault(sig) || info->si_code <= 0)
    syscall(SYS_tgkill, getpid(), (int)syscall(SYS_gettid), sig);
}

/* pass_on calls the program's handler. A signal that would have been ignored ends
 * here. SIG_DFL and SIG_IGN mean the same with SA_SIGINFO as without. */
static void pass_on(int sig, siginfo_t *info, void *context)
{
  struct sigaction a = theirs[sig];
  if (a.sa_flags & SA_RESETHAND)
    their_sigaction(sig, &(struct sigaction){.sa_handler = SIG_DFL}, NULL);
  if (a.sa_handler == SIG_IGN)
    return;
  if (a.sa_handler == SIG_DFL) {
    if (sig != asked_signal)
      as_default(sig, info);
    return;
  }
  if (a.sa_flags & SA_SIGINFO)
    a.sa_sigaction(sig, info, context);
  else
    a.sa_handler(sig);
}

static bool ends_here(int sig)
{
  return sig != asked_signal && theirs[sig].sa_handler == SIG_DFL;
}

/* The handler, the program's or a library's, that this thread runs now; frame is 0 outside one. */
static __thread struct {
  uintptr_t frame;
  uint64_t calls;
  int sig;
  bool fault; /* it deals with one */
} handling __attribute__((tls_model("initial-exec")));

/* behind_fault reports whether a signal comes from the handler of an earlier fault, by which the process is said to end, as UCX's and
 * backward-cpp's abort() or raise(SIGABRT) after they have printed a stack. The thread has not called MPI since. */
static bool behind_fault(const struct lg_thr *t, const void *context)
{
  struct lg_regs r;
  LG_CONTEXT(context, r.v);
  return handling.fault && lg_below(handling.frame, r.v[SP]) && handling.calls == lg_calls_of(t) && lg_rank && lg_rank->end == LG_SIGNALLED;
}

/* asks_to_end: a signal by which others, a terminal or a limit may have a process end. */
static bool asks_to_end(const struct lg_signal *s)
{
  switch (s->signal) {
  case SIGTERM: case SIGINT: case SIGHUP: case SIGQUIT: case SIGXCPU: case SIGUSR1: case SIGUSR2:
    return s->sender != LG_SENDER_SELF && (int)s->signal != asked_signal;
  default: /* behind it another one may come, while a handler still says where it was */
    return s->sender == LG_SENDER_OTHER && is_fault((int)s->signal);
  }
}

/* note_signal writes down a signal that may end the process, and returns when that is said to have ended; 0: it is not. */
static uint64_t note_signal(int sig, const siginfo_t *info, void *context)
{
  struct lg_signal s = lg_signal_of(info);
  bool asks = asks_to_end(&s), ends = ends_here(sig) || is_fault(sig);
  const char *above = asks || ends ? lg_sender_above(&s) : NULL;
  if (above)
    lg_said_sender(above);
  if (asks)
    lg_said_asked(&s);
  return ends ? lg_said_signal(&s, lg_ender(context)) : 0;
}

/* comes_again: a handler has raised its own signal, which waits until the handler returns. */
static bool comes_again(int sig)
{
  sigset_t pending;
  return sigpending(&pending) == 0 && sigismember(&pending, sig);
}

/* pass_on_inside calls the program's handler, and if that returns takes back that the process ended, as was said of end_ns; 0: it was
 * not. When a handler of SIGABRT returns, abort() ends the process all the same. */
static void pass_on_inside(int sig, siginfo_t *info, void *context, uint64_t end_ns)
{
  __typeof__(handling) outer = handling;
  uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
  bool deals = !ends_here(sig);
  handling.fault = is_fault(sig) || (outer.fault && lg_below(outer.frame, frame));
  handling.frame = frame;
  handling.sig = sig;
  handling.calls = lg_calls_of(lg_self);
  if (end_ns && deals)
    lg_dealing(end_ns, frame);
  pass_on(sig, info, context);
  handling = outer;
  if (is_fault(sig))
    __atomic_fetch_add(&survived, 1, __ATOMIC_RELAXED);
  if (end_ns && deals && sig != SIGABRT && !comes_again(sig))
    lg_dealt(end_ns);
}

/* is_noted tells whether a fault is written down. Some programs fault as a matter of course, as to learn which pages they write to, and
 * should not wait for that. */
static bool is_noted(int sig)
{
  uint32_t n = __atomic_load_n(&survived, __ATOMIC_RELAXED);
  return ends_here(sig) || n < FAULTS_NOTED || (n & (n - 1)) == 0;
}

/* What the C library says when it aborts the program, as after a failed assertion, or when malloc finds its memory damaged. */
static struct {
  unsigned size;
  char text[];
} **abort_message;

static void note_abort_message(uint64_t cfa)
{
  char text[LG_MAX_RAISED_TEXT] = "";
  if (!abort_message || !*abort_message)
    return;
  strncpy(text, (*abort_message)->text, sizeof text - 1);
  text[strcspn(text, "\n")] = 0;
  lg_note_raised(LG_RAISED_FATAL, "C library", text, cfa);
}

/* note_fault captures the stack of a thread that faults, below the frame of the handler with that canonical frame address, and what is
 * wrong with the call that it is in. */
static void note_fault(struct lg_thr *t, int sig, void *context, uint64_t cfa)
{
  if (!t) {
    lg_capture_other(sig, context);
    return;
  }
  if (sig == SIGABRT)
    note_abort_message(cfa);
  lg_capture_here(t, LG_WHY_FATAL, sig, context);
  struct lg_regs r;
  LG_CONTEXT(context, r.v);
  if (sig == SIGSEGV || sig == SIGBUS || (sig == SIGABRT && t->pub->in_mpi))
    lg_note_crashed(t, r.v[SP]);
}

/* has_room tells whether the stack that a handler is on has room for what captures one. A program's alternate stack may be as small
 * as its own handler allows, which has nothing to do with a signal of the recorder's. */
#define CAPTURE_ROOM 4096
static bool has_room(const void *context)
{
  const stack_t *alternate = &((const ucontext_t *)context)->uc_stack;
  uintptr_t here = (uintptr_t)__builtin_frame_address(0), low = (uintptr_t)alternate->ss_sp;
  return here < low || here - low >= alternate->ss_size || here - low >= CAPTURE_ROOM;
}

static void handler(int sig, siginfo_t *info, void *context)
{
  int saved = errno;
  uint64_t end_ns = 0;
  struct lg_thr *t = lg_self;
  bool wanted = sig == lg_capture_signal && lg_capture_wanted(info);
  if (sig == SIGBUS && lg_file_fault(info->si_addr)) {
    errno = saved;
    return;
  }
  if (sig == SIGSEGV || sig == SIGBUS)
    lg_reading_fault(&((ucontext_t *)context)->uc_sigmask);
  bool another = is_fault(sig) && (behind_fault(t, context) || !is_noted(sig));
  if (lg_is_rank() && !another) {
    if (is_fault(sig))
      note_fault(t, sig, context, LG_CFA);
    else if (t && wanted && has_room(context))
      lg_capture_asked(t, info, context);
    if (sig == asked_signal)
      lg_watch_ask();
    if (!wanted)
      end_ns = note_signal(sig, info, context);
  }
  errno = saved;
  if (!wanted) /* the program never sent it */
    pass_on_inside(sig, info, context, end_ns);
}

/* install puts our handler before the program's, with the program's flags, so
 * that what it asked of the kernel still holds: a handler that did not ask for the
 * alternate stack may need more than there is. Where there is none of the program's,
 * ours takes that stack, since the usual one may have overflowed. */
static int install(int sig)
{
  struct sigaction a = theirs[sig];
  if (a.sa_handler == SIG_DFL) {
    a.sa_flags = SA_RESTART | SA_ONSTACK;
    sigemptyset(&a.sa_mask);
  }
  a.sa_sigaction = handler;
  a.sa_flags = (a.sa_flags & ~SA_RESETHAND) | SA_SIGINFO | (sig == lg_capture_signal ? SA_RESTART : 0);
  return real_sigaction(sig, &a, NULL);
}

static void take(int sig)
{
  real_sigaction(sig, NULL, &theirs[sig]);
  if (theirs[sig].sa_handler == SIG_IGN)
    return;
  ours[sig] = install(sig) == 0;
}

/* ---- what the program sets later ---- */

/* set_apart sets what a process does that is no rank. A child of
 * vfork has handlers of its own, but shares this memory with the rank. */
static int set_apart(int sig, const struct sigaction *act, struct sigaction *old)
{
  if (real_sigaction(sig, act, old))
    return -1;
  if (old && old->sa_flags & SA_SIGINFO && old->sa_sigaction == handler)
    *old = theirs[sig];
  return 0;
}

static int their_sigaction(int sig, const struct sigaction *act, struct sigaction *old)
{
  if (sig <= 0 || sig >= NSIG || !ours[sig])
    return real_sigaction(sig, act, old);
  if (!lg_in_rank())
    return set_apart(sig, act, old);
  struct sigaction was = theirs[sig];
  if (act) {
    theirs[sig] = *act;
    if (act->sa_handler == SIG_IGN && sig != lg_capture_signal) {
      if (real_sigaction(sig, act, NULL))
        return -1;
    } else if (install(sig)) {
      return -1;
    }
  }
  if (old)
    *old = was;
  return 0;
}

/* An interpreter that begins to end lets go of signals first. */
LG_EXPORT int sigaction(int sig, const struct sigaction *act, struct sigaction *old)
{
  lg_raised_at_end();
  return their_sigaction(sig, act, old);
}

static sighandler_t set_handler(int sig, sighandler_t h, int flags)
{
  struct sigaction a = {.sa_handler = h, .sa_flags = flags}, old;
  return their_sigaction(sig, &a, &old) ? SIG_ERR : old.sa_handler;
}

static sighandler_t real_signal(const char *name, int sig, sighandler_t h)
{
  sighandler_t (*f)(int, sighandler_t) = (sighandler_t(*)(int, sighandler_t))dlsym(RTLD_NEXT, name);
  return f(sig, h);
}

static bool interrupts[NSIG]; /* as siginterrupt says, also for handlers that are set later */

LG_EXPORT int siginterrupt(int sig, int flag)
{
  int (*real)(int, int) = (int (*)(int, int))dlsym(RTLD_NEXT, "siginterrupt");
  int failed = real(sig, flag);
  if (failed || !ours[sig])
    return failed;
  interrupts[sig] = flag;
  theirs[sig].sa_flags = flag ? theirs[sig].sa_flags & ~SA_RESTART : theirs[sig].sa_flags | SA_RESTART;
  return 0;
}

LG_EXPORT sighandler_t signal(int sig, sighandler_t h)
{
  if (sig <= 0 || sig >= NSIG || !ours[sig])
    return real_signal("signal", sig, h);
  return set_handler(sig, h, interrupts[sig] ? 0 : SA_RESTART);
}

LG_EXPORT sighandler_t __sysv_signal(int sig, sighandler_t h)
{
  if (sig <= 0 || sig >= NSIG || !ours[sig])
    return real_signal("__sysv_signal", sig, h);
  return set_handler(sig, h, SA_RESETHAND | SA_NODEFER);
}

/* sigset says besides whether the signal was blocked, and blocks it at SIG_HOLD. */
LG_EXPORT sighandler_t sigset(int sig, sighandler_t h)
{
  sigset_t one, was;
  struct sigaction old, a = {.sa_handler = h};
  if (sig <= 0 || sig >= NSIG || !ours[sig] || h == SIG_ERR)
    return real_signal("sigset", sig, h);
  sigemptyset(&one);
  sigaddset(&one, sig);
  if (their_sigaction(sig, h == SIG_HOLD ? NULL : &a, &old) ||
      sigprocmask(h == SIG_HOLD ? SIG_BLOCK : SIG_UNBLOCK, &one, &was))
    return SIG_ERR;
  return sigismember(&was, sig) ? SIG_HOLD : old.sa_handler;
}

/* Should the call return after all, it is the stack of an earlier call. */
void lg_note_error(void)
{
  struct lg_thr *t = lg_self;
  ucontext_t here;
  if (t && !lg_off && lg_is_rank() && t->pub->in_mpi && !lg_below(handling.frame, (uintptr_t)&here) && getcontext(&here) == 0)
    lg_capture_here(t, LG_WHY_ERROR, 0, &here);
}

/* ---- exits ---- */

/* An interpreter that is being ended has no frames of its program any more. */
void lg_note_exit(void)
{
  struct lg_thr *t = lg_self;
  ucontext_t here;
  if (!t || lg_off || !lg_is_rank() || !(t->pub->in_mpi || (lg_rank->status < LG_FINALIZED && !lg_py_ending())) || getcontext(&here))
    return;
  lg_capture_here(t, LG_WHY_EXIT, lg_below(handling.frame, (uintptr_t)&here) ? handling.sig : 0, &here);
}

static void said_exit(int status)
{
  lg_said_end(LG_EXITED, status, lg_ender(NULL)); /* from now on the stack stays */
  lg_note_exit();
}

static int exit_status = -1; /* that exit() was called with */

/* This comes when the handlers of exit() have run, in which the rank may have been said to live after all. */
static void __attribute__((destructor)) behind_handlers(void)
{
  if (exit_status >= 0)
    lg_said_end(LG_EXITED, exit_status, lg_ender(NULL));
}

static void at_exit(int status, void *unused)
{
  (void)unused;
  if (lg_is_rank() && lg_lock_file_soon()) { /* in a child the loader's locks may be held by a thread that is not there */
    lg_modules_current(); /* a component of the library may be new */
    lg_unlock_file();
  }
  exit_status = status & 0xff;
  said_exit(exit_status);
  lg_exits(lg_self ? lg_self->pub : NULL);
}

static int quick_status = -1; /* unknown */

static void at_quick_exit_(void)
{
  said_exit(quick_status);
}

LG_EXPORT void quick_exit(int status)
{
  static void (*real)(int);
  if (!real)
    real = (void (*)(int))dlsym(RTLD_NEXT, "quick_exit");
  quick_status = status & 0xff;
  real(status);
  _exit(status);
}

/* Another library may have an _exit of its own, which must not be passed over. It is looked for at once: a process may end in a
 * handler, or after vfork. */
static void (*next_exit)(int);

static void __attribute__((constructor)) find_next_exit(void)
{
  next_exit = (void (*)(int))dlsym(RTLD_NEXT, "_exit");
}

LG_EXPORT void _exit(int status)
{
  said_exit(status & 0xff);
  if (next_exit)
    next_exit(status);
  for (;;)
    syscall(SYS_exit_group, status);
}

LG_EXPORT void _Exit(int status)
{
  _exit(status);
}

/* ---- start ---- */

static int signal_number(const char *s)
{
  static const struct { const char *name; int sig; } names[] = {
      {"USR1", SIGUSR1}, {"USR2", SIGUSR2}, {"HUP", SIGHUP}, {"INT", SIGINT}, {"QUIT", SIGQUIT},
      {"TERM", SIGTERM}, {"XCPU", SIGXCPU}, {"URG", SIGURG}, {"CONT", SIGCONT}};
  if (strncmp(s, "SIG", 3) == 0)
    s += 3;
  for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(s, names[i].name) == 0)
      return names[i].sig;
  int n = atoi(s);
  return n > 0 && n < NSIG && n != SIGKILL && n != SIGSTOP ? n : 0;
}

void lg_ends_start(void)
{
  lg_ender_start();
  abort_message = dlsym(RTLD_DEFAULT, "__abort_msg");
  lg_capture_signal = SIGRTMIN + CAPTURE_SIGNAL;
  const char *asked = lg_env("SIGNAL");
  if (asked && !(asked_signal = signal_number(asked)))
    fprintf(stderr, "laggard: LAGGARD_SIGNAL=%s is not a signal\n", asked);
  for (unsigned i = 0; i < sizeof fatal / sizeof *fatal; i++)
    take(fatal[i]);
  take(lg_capture_signal);
  if (asked_signal && !ours[asked_signal])
    take(asked_signal);
  on_exit(at_exit, NULL);
  at_quick_exit(at_quick_exit_);
}
