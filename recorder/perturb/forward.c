#include <stdio.h>
#include <string.h>
#include "mpi/resolve.h"
#include "mpi/symbol.h"
#include "perturb/forward.h"

#define STATUS_BYTES 64 /* no MPI_Status is larger */

__thread struct lg_forwarded lg_forwarded __attribute__((tls_model("initial-exec")));

typedef long (*function)(long, long, long, long, long, long, long, long, long, long, long, long, long, long);

static long call(void *f, const long *a)
{
  return ((function)f)(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11], a[12], a[13]);
}

void lg_put_instead(struct lg_call *c, lg_instead f, uint64_t value)
{
  lg_forwarded = (struct lg_forwarded){c, c->real, value};
  c->real = (void *)f;
}

long lg_forward(void *f, const struct lg_call *c, int position, long argument)
{
  long a[LG_FORWARD_MOST] = {0};
  memcpy(a, c->args, (size_t)(c->desc->nargs + (c->binding != LG_BIND_C)) * sizeof *a);
  if (position >= 0)
    a[position] = argument;
  return call(f, a);
}

void *lg_form_of(const struct lg_call *c, int desc)
{
  int entry = desc < 0 ? -1 : lg_descs[desc].entries[c->binding];
  if (entry < 0)
    return NULL;
  void *f = __atomic_load_n(&lg_real[entry], __ATOMIC_RELAXED);
  if (!f && (lg_find_symbol(lg_entry_names[entry]) || lg_find_symbol(lg_entry_names[entry] + 1)))
    f = lg_resolve(entry, 0);
  return f;
}

void *lg_unsized_form_of(const struct lg_call *c, const char *name)
{
  for (int i = 0; lg_descs[i].name; i++)
    if (strcmp(lg_descs[i].name, name) == 0)
      return lg_form_of(c, i);
  return NULL;
}

void *lg_named_form_of(const struct lg_call *c, const char *name)
{
  char wide[64];
  snprintf(wide, sizeof wide, "%s%s", name, c->desc->traits & TRAIT_large ? "_c" : "");
  return lg_unsized_form_of(c, wide);
}

int lg_call_form(void *f, int binding, const long *given, int n)
{
  long a[LG_FORWARD_MOST] = {0};
  int ierror = 0;
  memcpy(a, given, (size_t)n * sizeof *a);
  a[n] = (long)&ierror;
  long code = call(f, a);
  return binding == LG_BIND_C ? (int)code : ierror;
}

int lg_return_code(const struct lg_call *c, int code)
{
  if (c->binding != LG_BIND_C && c->args[c->desc->nargs])
    *(int *)c->args[c->desc->nargs] = code;
  return code;
}

/* ---- MPI_Sendrecv ---- */

static __thread struct {
  void *irecv, *issend, *wait;
} parts __attribute__((tls_model("initial-exec")));

/* "The semantics of a send-receive operation is what would be obtained if the caller
 * forked two concurrent threads, one to execute the send, and one to execute the receive,
 * followed by a join of these two threads" (MPI-4.0 §3.10): its send may wait for the
 * receive like any other. */
static long sendrecv_synchronously(void)
{
  struct lg_call *c = lg_forwarded.call;
  const long *a = c->args;
  long requests[2] = {0};
  char status[STATUS_BYTES];
  const long receive[] = {a[5], a[6], a[7], a[8], a[9], a[10], (long)&requests[0]};
  const long send[] = {a[0], a[1], a[2], a[3], a[4], a[10], (long)&requests[1]};
  int code = lg_call_form(parts.irecv, c->binding, receive, 7);
  if (!code)
    code = lg_call_form(parts.issend, c->binding, send, 7);
  if (!code)
    code = lg_call_form(parts.wait, c->binding, (long[]){(long)&requests[1], (long)status}, 2);
  if (!code)
    code = lg_call_form(parts.wait, c->binding, (long[]){(long)&requests[0], a[11]}, 2);
  return lg_return_code(c, code);
}

void *lg_sendrecv_synchronously(struct lg_call *c)
{
  parts.irecv = lg_named_form_of(c, "MPI_Irecv");
  parts.issend = lg_named_form_of(c, "MPI_Issend");
  parts.wait = lg_unsized_form_of(c, "MPI_Wait");
  if (!parts.irecv || !parts.issend || !parts.wait)
    return NULL;
  lg_forwarded = (struct lg_forwarded){c, c->real, 0};
  return (void *)sendrecv_synchronously;
}
