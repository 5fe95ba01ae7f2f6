#define _GNU_SOURCE
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "perturb/journal.h"

#define LINE 128 /* bytes of each, filled with blanks: a kind, a rank and four numbers */
#define LINES 8000u /* more are not kept; what follows a schedule needs fewer */
#define MAX_PATH 4096

static char *lines;
static uint32_t used;

/* Without a journal the choices are made all the same; the reader then has only the schedule. The room is reserved: on a full disk a
 * write to a mapped hole would end the process by SIGBUS. */
void lg_journal_start(const char *schedule)
{
  char path[MAX_PATH];
  if (snprintf(path, sizeof path, "%s.made-%d", schedule, (int)getpid()) >= (int)sizeof path)
    return;
  int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0)
    return;
  if (posix_fallocate(fd, 0, (off_t)LINE * LINES) == 0) {
    void *p = mmap(NULL, (size_t)LINE * LINES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    lines = p == MAP_FAILED ? NULL : p;
  }
  close(fd);
}

void lg_journal_write(const struct lg_open *o, uint64_t value)
{
  char line[LINE + 1];
  if (!lines || __atomic_load_n(&used, __ATOMIC_RELAXED) >= LINES)
    return;
  uint32_t n = __atomic_fetch_add(&used, 1, __ATOMIC_RELAXED);
  if (n >= LINES)
    return;
  int len = snprintf(line, sizeof line, "%s %d %" PRIx64 " %" PRIu64 " %" PRIu64 " %" PRIx64, lg_choice_name(o->kind), o->rank, o->site,
                     o->count, value, o->at ? o->at : o->site);
  if (len < 0 || len >= LINE)
    return;
  memset(line + len, ' ', (size_t)(LINE - 1 - len));
  line[LINE - 1] = '\n';
  memcpy(lines + (size_t)n * LINE, line, LINE);
}
