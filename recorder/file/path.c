#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "base/crc.h"
#include "base/recording.h"
#include "base/settings.h"
#include "base/stat.h"
#include "file/path.h"

static char path[4096]; /* of the node file */
static size_t path_end;

/* The directory may be made beforehand (laggard run) or by the first rank. It is
 * there for most, and to look costs a file server less than to try to make it. */
static bool directory(const char *dir)
{
  struct stat st;
  if (lg_lstat(dir, &st)) {
    if (mkdir(dir, 0700) && errno != EEXIST) {
      lg_turn_off("cannot make %s: %s", dir, strerror(errno));
      return false;
    }
    if (lg_lstat(dir, &st))
      st.st_mode = 0;
  }
  if (!S_ISDIR(st.st_mode) || st.st_uid != geteuid()) {
    lg_turn_off("%s is not a directory of this user", dir);
    return false;
  }
  return true;
}

/* most_nodes is how many nodes the job has, or an upper bound, or -1. */
static int most_nodes(void)
{
  static const char *const nodes[] = {"SLURM_STEP_NUM_NODES", "SLURM_NNODES", "FLUX_JOB_NNODES", NULL};
  static const char *const local[] = {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", NULL};
  int n = lg_from_launcher(nodes);
  if (n > 0)
    return n;
  int size = lg_from_launcher(lg_size_names), here = lg_from_launcher(local);
  return here > 1 ? (size + here - 1) / here : size;
}

/* A directory of many thousand files is slow on most file systems. From 257
 * nodes on their files go into sub-directories, named for a hash of the node and
 * so few that each holds at most about 256 entries; each node decides by itself
 * and need not agree with others. */
static int levels(void)
{
  int nodes = most_nodes();
  return nodes <= 256 ? 0 : nodes <= 32768 ? 1 : 2;
}

__attribute__((format(printf, 1, 2))) static bool path_add(const char *format, ...)
{
  va_list args;
  va_start(args, format);
  path_end += (size_t)vsnprintf(path + path_end, sizeof path - path_end, format, args);
  va_end(args);
  if (path_end < sizeof path)
    return true;
  lg_turn_off("the path of the run directory is too long");
  return false;
}

/* make_path: the node's own directory is LAGGARD_LIVE_DIR, if that is set. */
static bool make_path(const char *dir, uint64_t run_id)
{
  const char *live = lg_env("LIVE_DIR");
  char host[64] = "", run[sizeof path];
  gethostname(host, sizeof host - 1);
  for (char *p = host; *p; p++)
    if (*p == '/')
      *p = '_';
  if (!(live ? path_add("%s/laggard-%016" PRIx64, live, run_id) : path_add("%s", dir)) || !directory(path))
    return false;
  if (live && snprintf(run, sizeof run, "%s/run", path) < (int)sizeof run && symlink(dir, run) && errno != EEXIST) {
    lg_turn_off("cannot make %s: %s", run, strerror(errno));
    return false;
  }
  uint32_t hash = lg_crc(0, host, strlen(host));
  for (int n = levels(); n > 0; n--, hash >>= 8)
    if (!path_add("/%02x", hash & 0xff) || !directory(path))
      return false;
  return path_add("/node-%s.lgd", host);
}

const char *lg_path_of_node(const char *dir, uint64_t run_id)
{
  return make_path(dir, run_id) ? path : NULL;
}
