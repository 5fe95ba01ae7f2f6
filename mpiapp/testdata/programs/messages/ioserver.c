// np: 4
// says: Ranks 0-1 are least progressed
// says: rank 1 went to MPI_Finalize, while rank 0 waits for messages and can never continue
// not: decided at
// Rank 0 writes what the others send it until rank 1 tells it to stop. After an error these go to MPI_Finalize without telling it. That
// rank 0 has other work than they was decided at the start, and is no fault.
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { TAG_RECORD = 4, STOP = -1, RECORDS = 60 };

static int rank, written;

static void serve(MPI_Comm to_writer)
{
  double record[8];
  for (int kind = 0; kind != STOP;) {
    MPI_Recv(&kind, 1, MPI_INT, 1, TAG_RECORD, to_writer, MPI_STATUS_IGNORE);
    if (kind != STOP)
      MPI_Recv(record, 8, MPI_DOUBLE, 1, TAG_RECORD, to_writer, MPI_STATUS_IGNORE);
    written += kind != STOP;
  }
}

static int write_records(MPI_Comm compute, MPI_Comm to_writer, int limit)
{
  double record[8] = {0}, sum[8];
  for (int k = 0; k < RECORDS; k++) {
    record[k % 8] += rank;
    MPI_Allreduce(record, sum, 8, MPI_DOUBLE, MPI_SUM, compute);
    if (k >= limit)
      return -36;
    if (rank == 1) {
      MPI_Send(&k, 1, MPI_INT, 0, TAG_RECORD, to_writer);
      MPI_Send(sum, 8, MPI_DOUBLE, 0, TAG_RECORD, to_writer);
    }
  }
  return 0;
}

static void stop(MPI_Comm to_writer)
{
  int kind = STOP;
  if (rank == 1)
    MPI_Send(&kind, 1, MPI_INT, 0, TAG_RECORD, to_writer);
}

int main(int argc, char **argv)
{
  int hang = argc > 1 && strcmp(argv[1], "hang") == 0, error;
  MPI_Comm to_writer, compute;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_dup(MPI_COMM_WORLD, &to_writer);
  MPI_Comm_split(MPI_COMM_WORLD, rank == 0, rank, &compute);
  if (rank == 0) {
    serve(to_writer);
    printf("%d records\n", written);
  } else {
    if ((error = write_records(compute, to_writer, hang ? 40 : RECORDS))) {
      fprintf(stderr, "task %d: error %d\n", rank, error);
      MPI_Finalize();
      return 2;
    }
    stop(to_writer);
  }
  MPI_Finalize();
  return 0;
}
