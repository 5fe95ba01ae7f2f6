/* Each rank looks in on the message of its left neighbour until a deadline, as codes do that would rather give up than wait for ever, and
 * counts what came. With "hang" rank 1 leaves out the message of the third round, so that rank 2 polls until a deadline that is a day away
 * while the others wait for it in the sum; with "run" there is a day's work, and without an argument five rounds. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define CELLS 64

static double give_up_at;
static int rounds_seen;

static int receive_until(MPI_Request *request, double deadline)
{
  MPI_Status status;
  int done = 0, count = 0, rank;
  while (!done) {
    if (MPI_Wtime() > deadline) {
      MPI_Comm_rank(MPI_COMM_WORLD, &rank);
      fprintf(stderr, "rank %d: no message in round %d\n", rank, rounds_seen);
      MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Test(request, &done, &status);
  }
  MPI_Get_count(&status, MPI_DOUBLE, &count);
  return count;
}

static int exchange(const double *out, double *in, int leave_out)
{
  int rank, size;
  MPI_Request request;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Irecv(in, CELLS, MPI_DOUBLE, (rank + size - 1) % size, 3, MPI_COMM_WORLD, &request);
  if (!leave_out)
    MPI_Send(out, CELLS, MPI_DOUBLE, (rank + 1) % size, 3, MPI_COMM_WORLD);
  return receive_until(&request, give_up_at);
}

int main(int argc, char **argv)
{
  const char *mode = argc > 1 ? argv[1] : "";
  int rank, hang = strcmp(mode, "hang") == 0, rounds = strcmp(mode, "run") == 0 ? 86400 * 50 : 5;
  double out[CELLS] = {0}, in[CELLS], sum = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  give_up_at = MPI_Wtime() + 86400;
  for (rounds_seen = 0; rounds_seen < rounds; rounds_seen++) {
    if (rounds > 5)
      usleep(rank == 3 ? 20000 : 5000); /* works, rank 3 more */
    double got = exchange(out, in, hang && rounds_seen == 2 && rank == 1);
    MPI_Allreduce(&got, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  if (rank == 0)
    printf("cells %.0f\n", sum);
  MPI_Finalize();
  return 0;
}
