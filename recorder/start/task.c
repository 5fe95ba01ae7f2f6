#define MAX_TASK_PATH 64  /* bytes of a path below /proc/self/task */
#define STATUS_BYTES 4096 /* of the file that tells which signals a thread blocks */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/procfile.h"
#include "start/task.h"

bool lg_task_read(int tid, const char *name, char *text, size_t room)
{
  char path[MAX_TASK_PATH];
  snprintf(path, sizeof path, "/proc/self/task/%d/%s", tid, name);
  return lg_read_text(path, text, room);
}

/* The thread that asks is in a call that reads. An emulator shows its own calls, and some containers show none. */
bool lg_task_calls_told(void)
{
  static bool asked, told;
  char line[LG_TASK_LINE];
  long nr;
  if (!asked)
    told = lg_task_read((int)syscall(SYS_gettid), "syscall", line, sizeof line) && sscanf(line, "%ld", &nr) == 1 && nr == SYS_read;
  asked = true;
  return told;
}

char lg_task_state(int tid, char text[LG_TASK_LINE], const char **rest)
{
  const char *name_end = lg_task_read(tid, "stat", text, LG_TASK_LINE) ? strrchr(text, ')') : NULL;
  if (!name_end || strlen(name_end) < 4)
    return 0;
  if (rest)
    *rest = name_end + 3;
  return name_end[2];
}

bool lg_task_sleeps(int tid)
{
  char line[LG_TASK_LINE];
  return lg_task_state(tid, line, NULL) != 'R';
}

bool lg_task_takes(int tid, int sig)
{
  static char text[STATUS_BYTES]; /* only the watch thread asks */
  uint64_t blocked;
  const char *at = lg_task_read(tid, "status", text, sizeof text) ? strstr(text, "SigBlk:") : NULL;
  return at && sscanf(at, "SigBlk: %lx", &blocked) == 1 && !(blocked >> (sig - 1) & 1);
}

struct entry { /* of getdents64(2) */
  uint64_t inode;
  int64_t next;
  unsigned short size;
  unsigned char type;
  char name[];
};

int lg_tasks(int tids[LG_TASKS])
{
  static char names[LG_TASKS * 32] __attribute__((aligned(8)));
  int own = (int)syscall(SYS_gettid), fd = open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC), found = 0;
  if (fd < 0)
    return 0;
  long n = syscall(SYS_getdents64, fd, names, sizeof names);
  close(fd);
  for (long at = 0; at < n && found < LG_TASKS; at += ((struct entry *)(names + at))->size) {
    int tid = atoi(((struct entry *)(names + at))->name);
    if (tid > 0 && tid != own)
      tids[found++] = tid;
  }
  return found;
}

/* The numbers are read into memory of this thread: ThreadSanitizer sees sscanf, and nothing that orders it. */
bool lg_task_schedule(int tid, uint64_t *ran, uint64_t *waited)
{
  char line[LG_TASK_LINE];
  uint64_t on, off;
  if (!lg_task_read(tid, "schedstat", line, sizeof line) || sscanf(line, "%lu %lu", &on, &off) != 2)
    return false;
  *ran = on;
  *waited = off;
  return true;
}
