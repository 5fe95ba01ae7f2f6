#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/settings.h"
#include "export.h"

const char *const lg_size_names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE", "FLUX_JOB_SIZE", "SLURM_NTASKS", NULL};

const char *lg_env(const char *name)
{
  char full[64];
  snprintf(full, sizeof full, "LAGGARD_%s", name);
  const char *v = getenv(full);
  return v && *v ? v : NULL;
}

long lg_env_int(const char *name, long otherwise)
{
  const char *v = lg_env(name);
  char *end;
  if (!v)
    return otherwise;
  long n = strtol(v, &end, 10);
  if (*end || n < 0) {
    fprintf(stderr, "laggard: LAGGARD_%s=%s is not a number; %ld is used\n", name, v, otherwise);
    return otherwise;
  }
  return n;
}

bool lg_records(const char *what)
{
  size_t n = strlen(what);
  for (const char *p = lg_env("RECORD"); p; p = *p ? p + 1 : NULL) {
    size_t len = strcspn(p, ",");
    if (len == n && memcmp(p, what, n) == 0)
      return true;
    p += len;
  }
  return false;
}

LG_EXPORT bool laggard_records(const char *what)
{
  return lg_records(what);
}

int lg_from_launcher(const char *const *names)
{
  for (; *names; names++) {
    const char *v = getenv(*names);
    if (v && *v)
      return atoi(v);
  }
  return -1;
}
