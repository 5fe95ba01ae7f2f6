/* What a file is. Asked of the kernel itself: fstat, stat and lstat are functions of the
 * C library since glibc 2.33 only. */
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Like fstat. */
static inline int lg_fstat(int fd, struct stat *st)
{
  return (int)syscall(SYS_fstat, fd, st);
}

/* Like stat. */
static inline int lg_stat(const char *path, struct stat *st)
{
  return (int)syscall(SYS_newfstatat, AT_FDCWD, path, st, 0);
}

/* Like lstat. */
static inline int lg_lstat(const char *path, struct stat *st)
{
  return (int)syscall(SYS_newfstatat, AT_FDCWD, path, st, AT_SYMLINK_NOFOLLOW);
}
