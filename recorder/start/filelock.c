#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/hash.h"
#include "base/locks.h"
#include "base/procfile.h"
#include "base/recording.h"
#include "base/stat.h"
#include "file/record.h"
#include "start/filelock.h"

#define MAX_RECORDS 64 /* of a process */
#define PIECE 4096     /* bytes of the list that are read at a time */
#define MAX_PATH 64    /* bytes of a path below /proc */

/* A line of the list: a lock, or one that waits for the lock of the same number above it. */
struct entry {
  long number;
  bool waits, flock;
  int pid;
  unsigned long inode;
};

/* The kernel indents the lines of those that wait for one that waits. */
static bool parse(const char *line, struct entry *out)
{
  int at = 0;
  char kind[16];
  *out = (struct entry){0};
  if (sscanf(line, "%ld: %n", &out->number, &at) != 1 || at == 0)
    return false;
  out->waits = strncmp(line + at, "->", 2) == 0;
  if (sscanf(line + at + 2 * out->waits, "%15s %*s %*s %d %*x:%*x:%lu", kind, &out->pid, &out->inode) != 3)
    return false;
  out->flock = strcmp(kind, "FLOCK") == 0;
  return true;
}

/* What the list says of the locks that this process waits for. */
struct search {
  bool flock;
  unsigned long inode;
  struct entry lock;   /* the last one that does not wait */
  int here, elsewhere; /* how many wait for a lock of that inode, or of another one */
  int holder, other;   /* who has it, of the last of each; -1: it differs, or it is not known */
};

static void take(struct search *s, const char *line)
{
  struct entry e;
  if (!parse(line, &e) || e.flock != s->flock)
    return;
  if (!e.waits) {
    s->lock = e;
    return;
  }
  if (e.pid != getpid())
    return;
  int holder = s->lock.number == e.number && s->lock.pid > 0 ? s->lock.pid : -1;
  if (e.inode == s->inode) {
    s->holder = s->here++ && s->holder != holder ? -1 : holder;
  } else {
    s->elsewhere++;
    s->other = holder;
  }
}

/* holder_of is the process that has the lock of a file; 0: it is not known. The device of the list is none that fstat tells on some file
 * systems, nor is the inode on others: there the process must wait for no other lock. */
static int holder_of(int fd, bool flock)
{
  static char text[PIECE + 1]; /* only the watch thread looks */
  struct stat st;
  int list = open("/proc/locks", O_RDONLY | O_CLOEXEC);
  struct search s = {.flock = flock, .inode = lg_fstat(fd, &st) == 0 ? st.st_ino : 0};
  size_t used = 0;
  if (list < 0)
    return 0;
  for (ssize_t n; (n = read(list, text + used, PIECE - used)) > 0;) {
    char *line = text, *end;
    used += (size_t)n;
    text[used] = 0;
    for (; (end = strchr(line, '\n')); line = end + 1) {
      *end = 0;
      take(&s, line);
    }
    used -= (size_t)(line - text);
    memmove(text, line, used);
    if (used == PIECE)
      break;
  }
  close(list);
  int holder = s.here ? s.holder : s.elsewhere == 1 ? s.other : -1;
  return holder > 0 ? holder : 0;
}

/* command_of is the name of a process; false: there is none any more, as when one has ended whose child keeps its lock. */
static bool command_of(int pid, char name[LG_MAX_COMMAND])
{
  char path[MAX_PATH];
  snprintf(path, sizeof path, "/proc/%d/comm", pid);
  if (!lg_read_text(path, name, LG_MAX_COMMAND))
    return false;
  name[strcspn(name, "\n")] = 0;
  return true;
}

struct lg_awaits lg_awaits_lock(long nr, const unsigned long *args)
{
  bool flock = nr == SYS_flock && !(args[1] & LOCK_NB), range = nr == SYS_fcntl && (args[1] == F_SETLKW || args[1] == F_OFD_SETLKW);
  if (!flock && !range)
    return (struct lg_awaits){LG_AWAITED_NONE, 0, -1};
  char name[LG_MAX_COMMAND];
  int fd = (int)args[0], holder = holder_of(fd, flock);
  return (struct lg_awaits){LG_AWAITED_FILE_LOCK, holder && command_of(holder, name) ? (uint32_t)holder : 0, fd};
}

/* file_of is the name of an open file, of a long one its end. */
static const char *file_of(int fd)
{
  static char name[4096]; /* the file lock is held */
  char link[MAX_PATH];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t n = readlink(link, name, sizeof name - 1);
  name[n < 0 ? 0 : n] = 0;
  return n < LG_MAX_LOCKED ? name : name + n - (LG_MAX_LOCKED - 1);
}

static void append(struct lg_thr *t, uint32_t holder, const char *command, const char *file)
{
  static int records;
  size_t named = strlen(command), size = strlen(file);
  uint32_t fixed = (uint32_t)(sizeof(struct lg_filelock) - sizeof(struct lg_rec) + named + size + 7) & ~7u;
  struct lg_filelock *r = records == MAX_RECORDS ? NULL
                                                 : lg_rec_begin(LG_REC_FILELOCK, (int)t->pub->index, fixed,
                                                                (uint32_t)sizeof(struct lg_rec) + fixed);
  if (!r)
    return;
  records++;
  r->holder = holder;
  r->command_len = (uint16_t)named;
  memcpy(r + 1, command, named);
  memcpy((char *)(r + 1) + named, file, size);
  lg_rec_commit(r);
}

void lg_file_lock_note(struct lg_thr *t, const struct lg_awaits *awaits)
{
  char command[LG_MAX_COMMAND] = "";
  if (awaits->tid && !command_of((int)awaits->tid, command))
    command[0] = 0;
  lg_lock_file();
  const char *file = file_of(awaits->fd);
  uint64_t hash = lg_mix_bytes(awaits->tid, file, strlen(file)) | 1;
  if (hash != t->file_lock && !lg_off)
    append(t, awaits->tid, command, file);
  t->file_lock = hash;
  lg_unlock_file();
}
