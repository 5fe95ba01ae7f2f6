#define BEGAN_FIELD 22 /* of /proc/PID/stat: starttime; the first one behind the name is 3 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/procfile.h"

bool lg_read_text(const char *path, char *text, size_t room)
{
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return false;
  ssize_t n = read(fd, text, room - 1);
  close(fd);
  text[n < 0 ? 0 : n] = 0;
  return n > 0;
}

const char *lg_read_stat(int pid, char stat[LG_STAT])
{
  char path[32];
  snprintf(path, sizeof path, "/proc/%d/stat", pid);
  return lg_read_text(path, stat, LG_STAT) ? strrchr(stat, ')') : NULL;
}

uint64_t lg_process_began(int pid)
{
  char stat[LG_STAT];
  const char *at = lg_read_stat(pid, stat);
  for (int field = 2; at && field < BEGAN_FIELD; field++)
    at = strchr(at + 1, ' ');
  return at ? strtoull(at, NULL, 10) : 0;
}
