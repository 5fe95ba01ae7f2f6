/* A program that calls MPI as Fortran does with INTEGERs of 8 bytes, and the library for that, as Intel MPI has one (-DLIBRARY): it
 * translates to MPI of C. The recorder's own statuses, in the place of those that the program ignores, would be too small. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define REQUESTS 60
#define STATUS 6 /* INTEGERs of a status */

typedef int64_t integer;
extern integer mpi_fortran_statuses_ignore_[STATUS];

#ifdef LIBRARY
integer mpi_fortran_statuses_ignore_[STATUS];
static MPI_Request open_requests[REQUESTS];

#define BOTH(name, params) \
  void mpi_##name params __attribute__((alias("pmpi_" #name))); \
  void pmpi_##name params

BOTH(init_, (integer *error))
{
  *error = PMPI_Init(NULL, NULL);
}

BOTH(initialized_, (integer *flag, integer *error))
{
  int is;
  *error = PMPI_Initialized(&is);
  *flag = is;
}

BOTH(comm_rank_, (integer *comm, integer *rank, integer *error))
{
  int r;
  (void)comm;
  *error = PMPI_Comm_rank(MPI_COMM_WORLD, &r);
  *rank = r;
}

BOTH(irecv_, (void *buffer, integer *count, integer *type, integer *source, integer *tag, integer *comm, integer *request, integer *error))
{
  (void)type, (void)comm;
  *error = PMPI_Irecv(buffer, (int)*count, MPI_INT64_T, (int)*source, (int)*tag, MPI_COMM_WORLD, &open_requests[*request]);
}

BOTH(send_, (void *buffer, integer *count, integer *type, integer *dest, integer *tag, integer *comm, integer *error))
{
  (void)type, (void)comm;
  *error = PMPI_Send(buffer, (int)*count, MPI_INT64_T, (int)*dest, (int)*tag, MPI_COMM_WORLD);
}

BOTH(waitall_, (integer *count, integer *requests, integer *statuses, integer *error))
{
  *error = 0;
  for (integer i = 0; i < *count; i++) {
    MPI_Status s;
    *error |= PMPI_Wait(&open_requests[requests[i]], &s);
    requests[i] = -1;
    if (statuses == mpi_fortran_statuses_ignore_)
      continue;
    memset(&statuses[STATUS * i], 0, STATUS * sizeof *statuses);
    statuses[STATUS * i] = s.MPI_SOURCE;
    statuses[STATUS * i + 1] = s.MPI_TAG;
  }
}

BOTH(finalize_, (integer *error))
{
  *error = PMPI_Finalize();
}
#else
void mpi_init_(integer *error);
void mpi_comm_rank_(integer *comm, integer *rank, integer *error);
void mpi_irecv_(void *buffer, integer *count, integer *type, integer *source, integer *tag, integer *comm, integer *request, integer *error);
void mpi_send_(void *buffer, integer *count, integer *type, integer *dest, integer *tag, integer *comm, integer *error);
void mpi_waitall_(integer *count, integer *requests, integer *statuses, integer *error);
void mpi_finalize_(integer *error);

int main(void)
{
  static integer values[REQUESTS], requests[REQUESTS];
  integer error, rank, comm = 0, type = 0, one = 1, n = REQUESTS, any = MPI_ANY_SOURCE, sum = 0;
  mpi_init_(&error);
  mpi_comm_rank_(&comm, &rank, &error);
  integer other = 1 - rank;
  for (integer i = 0; i < n; i++) {
    requests[i] = i;
    mpi_irecv_(&values[i], &one, &type, &any, &i, &comm, &requests[i], &error);
  }
  for (integer i = 0; i < n; i++)
    mpi_send_(&i, &one, &type, &other, &i, &comm, &error);
  mpi_waitall_(&n, requests, mpi_fortran_statuses_ignore_, &error);
  for (integer i = 0; i < n; i++)
    sum += values[i];
  printf("rank %d: %d of %d\n", (int)rank, (int)sum, REQUESTS * (REQUESTS - 1) / 2);
  mpi_finalize_(&error);
  return 0;
}
#endif
