#include "mpi/address.h"
#include "mpi/status.h"
#include "mpi/symbol.h"

#define OPENMPI_STATUS_BYTES 16 /* offset of the count in its MPI_Status */
#define STANDARD_BYTE 0x247     /* MPI_BYTE of the standard ABI */

static const void *status_ignore[8]; /* addresses Fortran passes for it */
static const void *const *ignore_at[2]; /* where MPI keeps such an address, once a Fortran call was made */

/* Fortran's MPI_STATUS_IGNORE and MPI_STATUSES_IGNORE are addresses of common
 * blocks and module variables. */
void lg_statuses_start(void)
{
  static const char *const names[] = {
      "mpi_fortran_status_ignore_", "mpi_fortran_statuses_ignore_", "mpi_fortran_status_ignore", "mpi_fortran_statuses_ignore",
      "mpifcmb5_", "mpifcmb9_", "MPIR_F08_MPI_STATUS_IGNORE_OBJ", "MPIR_F08_MPI_STATUSES_IGNORE_OBJ",
  };
  for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
    status_ignore[i] = lg_visible(names[i]);
  ignore_at[0] = lg_visible("MPI_F_STATUS_IGNORE");
  ignore_at[1] = lg_visible("MPI_F_STATUSES_IGNORE");
}

bool lg_status_ignored(const struct lg_call *c)
{
  int i = c->desc->status;
  if (i < 0)
    return false;
  if (c->binding == LG_BIND_C)
    return c->args[i] == lg_fam.status_ignore;
  for (unsigned k = 0; k < sizeof status_ignore / sizeof *status_ignore; k++)
    if (status_ignore[k] && (const void *)c->args[i] == status_ignore[k])
      return true;
  for (int k = 0; k < 2; k++)
    if (ignore_at[k] && *ignore_at[k] && (const void *)c->args[i] == *ignore_at[k])
      return true;
  return false;
}

const char *lg_status_at(const struct lg_call *c, int k)
{
  if (c->desc->status < 0 || lg_status_ignored(c))
    return NULL;
  return (const char *)c->args[c->desc->status] + (size_t)k * (size_t)lg_fam.status_size;
}

/* The standard ABI leaves it to the library where in a status the count is, and whether
 * the operation was cancelled. */
static int64_t ask_bytes(const char *status)
{
  static long (*ask)(const char *, long, int64_t *);
  int64_t n = 0;
  if (!ask)
    ask = (long (*)(const char *, long, int64_t *))lg_find_symbol("PMPI_Get_count_c");
  return ask && ask(status, STANDARD_BYTE, &n) == 0 && n > 0 ? n : 0;
}

bool lg_status_ask_cancelled(const char *status)
{
  static long (*ask)(const char *, int *);
  int flag = 0;
  if (!ask)
    ask = (long (*)(const char *, int *))lg_find_symbol("PMPI_Test_cancelled");
  return ask && ask(status, &flag) == 0 && flag;
}

/* MPICH splits the count, and keeps in the lowest bit of its upper half whether
 * the operation was cancelled. */
int64_t lg_status_bytes(const char *status)
{
  uint32_t half[2];
  int64_t whole;
  if (lg_fam.id == LG_FAMILY_OPENMPI) {
    memcpy(&whole, status + OPENMPI_STATUS_BYTES, sizeof whole);
    return whole;
  }
  if (lg_fam.id == LG_FAMILY_STANDARD)
    return ask_bytes(status);
  memcpy(half, status, sizeof half);
  return (int64_t)((uint64_t)(half[1] >> 1) << 32 | half[0]);
}
