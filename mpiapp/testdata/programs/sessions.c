/* Communicators made from groups. With "one" all ranks make them, in a session
 * and without MPI_Init; with "two" the even and the odd ones make
 * intercommunicators, after MPI_Init, which MPICH 4.0.2 needs for that; with
 * "behind" all make them in a session that is open beyond MPI_Finalize. Rank 4
 * is lost before the third one. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#define VICTIM 4

static int rank, size;

static int enrol(int x, int left)
{
  while (left != 0) { /* LAGGARD: loop begin */
    x = (13 * x + 4) % 127;
    left -= left > 0;
  } /* LAGGARD: loop end */
  return x;
}

static void halves(MPI_Group all, MPI_Group *mine, MPI_Group *theirs)
{
  int list[2][64], n[2] = {0, 0};
  for (int i = 0; i < size; i++)
    list[i % 2][n[i % 2]++] = i;
  MPI_Group_incl(all, n[rank % 2], list[rank % 2], mine);
  MPI_Group_incl(all, n[1 - rank % 2], list[1 - rank % 2], theirs);
}

int main(int argc, char **argv)
{
  const char *mode = argc > 1 ? argv[1] : "ok";
  int hang = strcmp(mode, "ok") != 0, two = strcmp(mode, "two") == 0, behind = strcmp(mode, "behind") == 0, x = 1, sum = 0;
  MPI_Session session;
  MPI_Group all, mine, theirs;
  MPI_Comm comm;
  if (two || behind)
    MPI_Init(&argc, &argv);
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
  if (behind)
    MPI_Finalize();
  MPI_Group_from_session_pset(session, "mpi://WORLD", &all);
  MPI_Group_rank(all, &rank);
  MPI_Group_size(all, &size);
  halves(all, &mine, &theirs);
  for (int step = 0; step < 4; step++) {
    x = enrol(x, hang && rank == VICTIM && step == 2 ? -1 : 30);
    if (two)
      MPI_Intercomm_create_from_groups(mine, 0, theirs, 0, "halves", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    else
      MPI_Comm_create_from_group(all, "all", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    MPI_Allreduce(&x, &sum, 1, MPI_INT, MPI_SUM, comm);
    MPI_Comm_free(&comm);
    x = sum % 1000;
  }
  if (rank == 0)
    printf("sum %d\n", sum);
  MPI_Group_free(&all);
  MPI_Group_free(&mine);
  MPI_Group_free(&theirs);
  MPI_Session_finalize(&session);
  if (two)
    MPI_Finalize();
  return 0;
}
