#define _GNU_SOURCE
#include <string.h>
#include "base/locks.h"
#include "base/pages.h"
#include "mpi/handle.h"
#include "usage/typetable.h"
#include "usage/last.h"

struct lg_last {
  uint64_t block; /* number of the block it is in, plus one */
  int64_t value[2 * LG_MAX_PARAMS];
  /* The arguments of the call, if they all came by value, while the handles among
   * them mean the same: they need not be read again. */
  uint32_t comm_gen, type_gen; /* 0: they are not known */
  long args[LG_MAX_PARAMS];
};

#define BLOCK_BYTES (64 * sizeof(struct lg_last)) /* allocated at a time */

static struct lg_last *last_new(void)
{
  static struct lg_last *free_;
  static uint32_t left;
  lg_lock_file();
  if (!left && (free_ = lg_pages(BLOCK_BYTES)) != NULL)
    left = BLOCK_BYTES / sizeof *free_;
  struct lg_last *l = left ? (left--, free_++) : NULL;
  lg_unlock_file();
  return l;
}

int64_t *lg_last_of(struct lg_usage *u, struct lg_st *st)
{
  if (unlikely(!st->said) && !(st->said = last_new()))
    return NULL;
  if (st->said->block != u->block) {
    memset(st->said->value, 0, sizeof st->said->value);
    st->said->block = u->block;
    st->said->comm_gen = 0;
  }
  return st->said->value;
}

/* same_again tells whether the call has the arguments that the last one from its
 * place had. Objects that were unknown then are not looked at again. */
bool lg_last_same(const struct lg_call *c, const struct lg_usage *u)
{
  const struct lg_last *l = c->st->said;
  if (!l || l->comm_gen != lg_comm_gen || l->type_gen != lg_type_gen || l->block != u->block)
    return false;
  for (int i = 0; i < c->desc->nargs; i++)
    if (l->args[i] != c->args[i])
      return false;
  return true;
}

void lg_last_keep(const struct lg_call *c)
{
  struct lg_last *l = c->st->said;
  l->comm_gen = lg_comm_gen;
  l->type_gen = lg_type_gen;
  memcpy(l->args, c->args, (size_t)c->desc->nargs * sizeof *l->args);
}
