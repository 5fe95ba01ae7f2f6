#include <string.h>
#include "base/locks.h"
#include "calls/failed.h"
#include "file/rank.h"
#include "file/record.h"
#include "format.h"
#include "identity/thread.h"
#include "mpi/family.h"
#include "mpi/symbol.h"

#define MAX_FAILED 256 /* states with a class of errors that are kept, of a process */

static struct failed {
  const struct lg_st *st;
  uint32_t class;
  struct lg_failed_live *live;
} failed[MAX_FAILED];
static uint32_t nfailed;

/* The classes that every library knows, as it numbers them, or nearly. MPI is not asked about others: a code that a callback of the
 * program made up, and MPI passed on, is no code for Open MPI, which ends the job over it. */
#define LAST_CLASS 74
#define WHOLE_TEXT 8192 /* more than MPI_MAX_ERROR_STRING of any library */

/* describe asks MPI what an error is, which is a local call. */
static size_t describe(uint32_t class, int code, char *whole, char *text, size_t room)
{
  long (*ask)(int, char *, int *) = (long (*)(int, char *, int *))lg_find_symbol("PMPI_Error_string");
  int n = 0;
  if (!ask || class > LAST_CLASS || !lg_mpi_usable() || ask(code, whole, &n) || n < 0)
    return 0;
  whole[WHOLE_TEXT - 1] = 0;
  size_t length = strnlen(whole, room);
  memcpy(text, whole, length);
  return length;
}

/* append writes a record for the state that the thread is in. */
static struct lg_failed_live *append(const struct lg_thr *t, uint32_t class, const char *text, uint32_t length)
{
  uint32_t fixed = ((uint32_t)(sizeof(struct lg_failed) - sizeof(struct lg_rec)) + length + 7) & ~7u;
  struct lg_failed_live *live = NULL;
  lg_lock_file();
  struct lg_failed *r = lg_rec_begin(LG_REC_FAILED, (int)t->pub->index, fixed, (uint32_t)(sizeof(struct lg_rec) + fixed + sizeof *live));
  if (r) {
    r->state = t->model.prev->index;
    r->class = class;
    r->text_len = (uint16_t)length;
    memcpy(r + 1, text, length);
    live = (struct lg_failed_live *)((char *)r + sizeof(struct lg_rec) + fixed);
    lg_rec_commit(r);
  }
  lg_unlock_file();
  return live;
}

static struct lg_failed_live *record(const struct lg_call *c, uint32_t class, int code)
{
  static char whole[WHOLE_TEXT], text[LG_MAX_ERROR_TEXT];
  return append(c->thr, class, text, (uint32_t)describe(class, code, whole, text, sizeof text));
}

void lg_failed_for_good(const struct lg_thr *t, int code, const char *says)
{
  static char whole[WHOLE_TEXT], text[LG_MAX_ERROR_TEXT]; /* used once */
  static int noted;
  uint32_t class = (uint32_t)(code & lg_fam.class_mask);
  if (__atomic_exchange_n(&noted, 1, __ATOMIC_ACQ_REL) || !t->model.prev || lg_file_mine())
    return;
  size_t length = says ? strnlen(says, sizeof text) : describe(class, code, whole, text, sizeof text);
  if (says)
    memcpy(text, says, length);
  if (!lg_lock_file_soon())
    return;
  struct lg_failed_live *live = append(t, class, text, (uint32_t)length);
  if (live)
    live->calls = t->pub->calls;
  lg_unlock_file();
}

void lg_failed(const struct lg_call *c, int code)
{
  uint32_t class = (uint32_t)(code & lg_fam.class_mask), i = 0;
  while (i < nfailed && !(failed[i].st == c->st && failed[i].class == class))
    i++;
  if (i == nfailed) {
    struct lg_failed_live *live = i < MAX_FAILED ? record(c, class, code) : NULL;
    if (!live)
      return;
    failed[nfailed++] = (struct failed){c->st, class, live};
  }
  failed[i].live->count++;
  failed[i].live->calls = c->thr->pub->calls;
}
