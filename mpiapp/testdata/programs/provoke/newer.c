/* A correct program with what only MPI-4 has: partitioned messages, of which parts are ready before others, and messages without
 * MPI_Init ("session"). */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { PARTS = 4, N = 3, UNTOUCHED = 77 };

static int rank, size, wrong;

static void check(int ok, const char *what)
{
  if (!ok)
    fprintf(stderr, "rank %d: wrong: %s\n", rank, what);
  wrong |= !ok;
}

static void in_parts(void)
{
  int out[PARTS * N], in[PARTS * N], there, flag;
  MPI_Request r[2];
  MPI_Psend_init(out, PARTS, N, MPI_INT, (rank + 1) % size, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &r[0]);
  MPI_Precv_init(in, PARTS, N, MPI_INT, (rank + size - 1) % size, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &r[1]);
  for (int round = 0; round < 3; round++) {
    for (int i = 0; i < PARTS * N; i++)
      in[i] = UNTOUCHED;
    if (round)
      MPI_Startall(2, r);
    else
      for (int i = 0; i < 2; i++)
        MPI_Start(&r[i]);
    for (int p = PARTS - 1; p >= 0; p--) {
      for (int i = 0; i < N; i++)
        out[p * N + i] = 100 * round + 10 * p + rank;
      if (p > 1)
        MPI_Pready(p, r[0]);
    }
    MPI_Pready_range(0, 1, r[0]);
    for (int p = 0; p < PARTS; p++) {
      for (there = 0; !there;)
        MPI_Parrived(r[1], p, &there);
      check(in[p * N] == 100 * round + 10 * p + (rank + size - 1) % size, "a part");
      MPI_Parrived(r[1], p, &there);
      check(there, "a part that had come");
    }
    for (int i = 0; i < 2; i++)
      if (round == 1)
        MPI_Wait(&r[i], MPI_STATUS_IGNORE);
      else
        for (flag = 0; !flag;)
          MPI_Test(&r[i], &flag, MPI_STATUS_IGNORE);
  }
  MPI_Request_free(&r[0]);
  MPI_Request_free(&r[1]);
}

static void exchange(MPI_Comm comm)
{
  int out = rank, in = UNTOUCHED, flag = 0, every[2 * N], right = (rank + 1) % size, left = (rank + size - 1) % size;
  MPI_Datatype second;
  MPI_Request r[2];
  MPI_Status s;
  MPI_Type_vector(N, 1, 2, MPI_INT, &second);
  MPI_Type_commit(&second);
  memset(every, 0, sizeof every);
  MPI_Irecv(every, 1, second, left, 6, comm, &r[0]);
  MPI_Isend(&(int[N]){rank, rank, rank}, N, MPI_INT, right, 6, comm, &r[1]);
  while (!flag)
    MPI_Testall(2, r, &flag, MPI_STATUSES_IGNORE);
  check(every[0] == left && every[1] == 0 && every[2 * N - 2] == left, "a message in every second place");
  MPI_Isend(&out, 1, MPI_INT, right, 7, comm, &r[1]);
  for (flag = 0; !flag;)
    MPI_Iprobe(MPI_ANY_SOURCE, 7, comm, &flag, &s);
  MPI_Recv(&in, 1, MPI_INT, s.MPI_SOURCE, 7, comm, MPI_STATUS_IGNORE);
  MPI_Wait(&r[1], MPI_STATUS_IGNORE);
  check(in == left, "a message that was polled for");
  MPI_Sendrecv(&out, 1, MPI_INT, right, 8, &in, 1, MPI_INT, MPI_ANY_SOURCE, 8, comm, &s);
  MPI_Bcast(&out, 1, MPI_INT, 0, comm);
  check(in == left && s.MPI_SOURCE == left && out == 0, "MPI_Sendrecv");
  MPI_Type_free(&second);
}

int main(int argc, char **argv)
{
  if (argc > 1 && strcmp(argv[1], "session") == 0) {
    MPI_Session session;
    MPI_Group all;
    MPI_Comm comm;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &all);
    MPI_Comm_create_from_group(all, "all", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    exchange(comm);
    MPI_Comm_free(&comm);
    MPI_Group_free(&all);
    MPI_Session_finalize(&session);
    return wrong;
  }
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  in_parts();
  exchange(MPI_COMM_WORLD);
  MPI_Finalize();
  return wrong;
}
