#define _GNU_SOURCE
#include <linux/futex.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include "base/stat.h"
#include "machine/machine.h"
#include "start/asleep.h"
#include "start/filelock.h"
#include "start/task.h"

#ifndef SYS_epoll_pwait2 /* headers before Linux 5.11 */
#define SYS_epoll_pwait2 441
#endif

/* System calls in which waiting is done a little at a time, and what they go on as after the process was stopped. */
static bool idles(long nr)
{
  switch (nr) {
  LG_OLDER_POLLS
  case SYS_nanosleep: case SYS_clock_nanosleep: case SYS_ppoll: case SYS_pselect6: case SYS_epoll_pwait:
  case SYS_rt_sigtimedwait: case SYS_io_getevents: case SYS_epoll_pwait2: case SYS_restart_syscall:
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

enum lg_doing lg_doing(int tid, struct lg_asleep *out)
{
  char line[LG_TASK_LINE];
  long nr;
  unsigned long a[6], sp, pc;
  if (!lg_task_read(tid, "syscall", line, sizeof line))
    return LG_DOES_UNKNOWN;
  int n = sscanf(line, "%ld %lx %lx %lx %lx %lx %lx %lx %lx", &nr, a, a + 1, a + 2, a + 3, a + 4, a + 5, &sp, &pc);
  if (n != 9)
    return strncmp(line, "running", strlen("running")) == 0 || (n > 0 && nr == -1) ? LG_RUNS : LG_DOES_UNKNOWN;
  bool futex = nr == SYS_futex, forever = a[3] == 0; /* a wait with a time limit ends by itself */
  *out = (struct lg_asleep){sp, pc, idles(nr) || awaits_bytes(nr, (int)a[0]), futex,
                            futex ? lg_awaits_on(tid, a[0], forever, !(a[1] & FUTEX_PRIVATE_FLAG)) : lg_awaits_lock(nr, a)};
  return LG_IN_CALL;
}
