#define _GNU_SOURCE
#include <pthread.h>
#include "base/locks.h"
#include "base/recording.h"
#include "base/settings.h"
#include "file/node.h"
#include "file/rank.h"
#include "file/stream.h"
#include "movement/moves.h"
#include "mpi/address.h"
#include "mpi/family.h"
#include "mpi/status.h"
#include "perturb/perturb.h"
#include "python/words.h"
#include "identity/site.h"
#include "start/ends.h"
#include "start/start.h"
#include "start/watch.h"
#include "usage/usage.h"
#include "volume/volume.h"

/* A forked child shares the mapped file but is no rank. */
static void in_child(void)
{
  lg_off = true;
}

static void start_once(void)
{
  if (!lg_env("DIR") || !lg_family_detect()) {
    lg_off = true;
    return;
  }
  lg_statuses_start();
  lg_addresses_start();
  lg_ends_start(); /* before there is a file that somebody may cut short */
  lg_lock_file();
  bool ok = lg_file_open() && lg_rank_open(lg_fam.id);
  lg_unlock_file();
  if (!ok) {
    lg_turn_off("no run file");
    return;
  }
  pthread_atfork(NULL, NULL, in_child);
  lg_py_start();
  lg_site_start();
  lg_volume_start();
  lg_stream_start();
  lg_usage_start();
  lg_perturb_start();
  /* Last: those above look up symbols. What the dynamic linker frees meanwhile was recorded where the file had been cut short, and now
   * and then freed twice. */
  lg_moves_start();
  __atomic_store_n(&lg_started, true, __ATOMIC_RELEASE);
  lg_watch_start();
}

bool lg_start(void)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, start_once);
  return lg_started && !lg_off;
}
