#define _GNU_SOURCE
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>
#include "python/memory.h"

bool lg_py_own;

size_t lg_py_some(uint64_t at, void *to, size_t n)
{
  if (lg_py_own) {
    memcpy(to, (const void *)at, n);
    return n;
  }
  struct iovec here = {to, n}, there = {(void *)at, n};
  ssize_t got = process_vm_readv(getpid(), &here, 1, &there, 1, 0);
  return got < 0 ? 0 : (size_t)got;
}
