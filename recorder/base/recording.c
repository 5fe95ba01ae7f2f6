#define _GNU_SOURCE
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>
#include "base/recording.h"
#include "export.h"

bool lg_off, lg_started;
void (*lg_when_off)(const char *why);

LG_EXPORT bool laggard_recording(void)
{
  return __atomic_load_n(&lg_started, __ATOMIC_ACQUIRE) && !lg_off;
}

void lg_turn_off(const char *why, ...)
{
  static int said;
  char text[512];
  va_list args;
  if (__atomic_exchange_n(&said, 1, __ATOMIC_RELAXED))
    return;
  va_start(args, why);
  vsnprintf(text, sizeof text, why, args);
  va_end(args);
  fprintf(stderr, "laggard: recording stopped in process %d: %s\n", (int)getpid(), text);
  if (lg_when_off)
    lg_when_off(text);
  __atomic_store_n(&lg_off, true, __ATOMIC_RELEASE);
}
