#define _GNU_SOURCE
#include <stdio.h>
#include <sys/syscall.h>
#include "base/stat.h"
#include "machine/machine.h"
#include "start/asleep.h"
#include "start/filelock.h"
#include "start/task.h"

/* System calls that fail with EINTR after a signal, whatever SA_RESTART says
 * (signal(7)): these must not be disturbed. In the first group waiting is done a
 * little at a time. */
static bool idles(long nr)
{
  switch (nr) {
  LG_OLDER_POLLS
  case SYS_nanosleep: case SYS_clock_nanosleep: case SYS_ppoll: case SYS_pselect6: case SYS_epoll_pwait:
  case SYS_rt_sigtimedwait: case SYS_io_getevents:
    return true;
  default:
    return false;
  }
}

/* awaits_bytes: from another process, and not from a file. Within MPI that is what
 * others are waited for by, such as the launcher's process manager in MPI_Init. */
static bool awaits_bytes(long nr, int fd)
{
  struct stat st;
  switch (nr) {
  case SYS_read: case SYS_readv: case SYS_recvfrom: case SYS_recvmsg: case SYS_recvmmsg: case SYS_accept: case SYS_accept4:
    return lg_fstat(fd, &st) == 0 && (S_ISSOCK(st.st_mode) || S_ISFIFO(st.st_mode));
  default:
    return false;
  }
}

static bool undisturbed(long nr)
{
  switch (nr) {
  LG_OLDER_PAUSES
  case SYS_semop: case SYS_semtimedop: case SYS_msgrcv: case SYS_msgsnd: case SYS_rt_sigsuspend: case SYS_futex:
  case SYS_recvfrom: case SYS_recvmsg: case SYS_sendto: case SYS_sendmsg: case SYS_accept: case SYS_accept4: case SYS_connect:
  case SYS_recvmmsg: case SYS_sendmmsg: case SYS_io_uring_enter:
    return true;
  default:
    return idles(nr);
  }
}

bool lg_is_in_call(int tid, struct lg_asleep *out)
{
  char line[LG_TASK_LINE];
  long nr;
  unsigned long a[6], sp, pc;
  *out = (struct lg_asleep){.awaits = {LG_AWAITED_NONE, 0, -1}};
  if (!lg_task_read(tid, "syscall", line, sizeof line) ||
      sscanf(line, "%ld %lx %lx %lx %lx %lx %lx %lx %lx", &nr, a, a + 1, a + 2, a + 3, a + 4, a + 5, &sp, &pc) != 9)
    return false;
  bool futex = nr == SYS_futex, forever = a[3] == 0; /* a wait with a time limit ends by itself */
  bool idle = idles(nr) || awaits_bytes(nr, (int)a[0]);
  *out = (struct lg_asleep){sp, pc, idle, idle || undisturbed(nr), futex,
                            futex ? lg_awaits_on(tid, a[0], forever) : lg_awaits_lock(nr, a)};
  return true;
}

bool lg_is_asleep(int tid, struct lg_asleep *out) { return lg_is_in_call(tid, out) && out->undisturbed; }
