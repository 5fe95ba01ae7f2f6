#define _GNU_SOURCE
#include <string.h>
#include <sys/mman.h>
#include "base/pages.h"

void *lg_pages(size_t bytes)
{
  void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return p == MAP_FAILED ? NULL : p;
}

void *lg_pages_grow(void *old, size_t was, size_t bytes)
{
  void *p = lg_pages(bytes);
  if (!p || !old)
    return p;
  memcpy(p, old, was);
  munmap(old, was);
  return p;
}
