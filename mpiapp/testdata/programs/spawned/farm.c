/* A farm spawns its workers one by one, two at one line: each has an
 * MPI_COMM_WORLD of its own. It then serves whoever asks. With "hang" the worker
 * of the second spawn asks with another tag than the farm listens to.
 *
 * Truth: the process of the second spawn waits at "job" for a job from the farm,
 * which waits at "request" for a request with tag 1 of that process (it probed
 * the first one's requests to the end). The first worker is done: it waits in
 * MPI_Comm_disconnect, or in MPI_Finalize, for the farm. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#define WORKERS 2
#define JOBS 3

static void work(MPI_Comm farm, int tag)
{
  int request = 0, job;
  for (int i = 0; i < JOBS; i++) {
    MPI_Send(&request, 1, MPI_INT, 0, tag, farm);
    MPI_Recv(&job, 1, MPI_INT, 0, 2, farm, MPI_STATUS_IGNORE); /* LAGGARD: job */
    request = job * job;
  }
}

static int serve(MPI_Comm worker)
{
  int sum = 0, result;
  for (int job = 0; job < JOBS; job++) {
    MPI_Status status;
    MPI_Recv(&result, 1, MPI_INT, MPI_ANY_SOURCE, 1, worker, &status); /* LAGGARD: request */
    sum += result;
    MPI_Send(&job, 1, MPI_INT, status.MPI_SOURCE, 2, worker);
  }
  return sum;
}

int main(int argc, char **argv)
{
  MPI_Comm parent, workers[WORKERS];
  int sum = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_get_parent(&parent);
  if (parent != MPI_COMM_NULL) {
    work(parent, strcmp(argv[1], "odd") == 0 ? 3 : 1); /* LAGGARD: cause */
    MPI_Comm_disconnect(&parent);
  } else {
    int hang = argc > 1 && strcmp(argv[1], "hang") == 0;
    for (int i = 0; i < WORKERS; i++) {
      char *arguments[] = {hang && i == 1 ? "odd" : "even", NULL};
      MPI_Comm_spawn(argv[0], arguments, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &workers[i], MPI_ERRCODES_IGNORE); /* LAGGARD: spawn */
    }
    for (int i = 0; i < WORKERS; i++)
      sum += serve(workers[i]);
    for (int i = 0; i < WORKERS; i++)
      MPI_Comm_disconnect(&workers[i]);
    printf("sum %d\n", sum);
  }
  MPI_Finalize();
  return 0;
}
