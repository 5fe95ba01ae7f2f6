// np: 4
// says: Rank 1 is least progressed, of 4 ranks
// not: has posted its window
// not: which has posted 6
// Six epochs on a first window, which is freed. On the second one, rank 3 begins its first access to rank 1, which still computes.
#include <mpi.h>
#include <string.h>

static MPI_Group one_of(MPI_Group world, int rank)
{
  MPI_Group group;
  MPI_Group_incl(world, 1, &rank, &group);
  return group;
}

static void exchange(MPI_Win window, int rank, int origin, MPI_Group origins, MPI_Group targets)
{
  if (rank == 1) {
    MPI_Win_post(origins, 0, window);
    MPI_Win_wait(window);
  } else if (rank == origin) {
    MPI_Win_start(targets, 0, window);
    MPI_Win_complete(window);
  }
}

int main(int argc, char **argv)
{
  int rank, memory = 0;
  MPI_Win window;
  MPI_Group world;
  MPI_Init(&argc, &argv);
  volatile int stays = argc > 1 && strcmp(argv[1], "hang") == 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group first = one_of(world, 0), targets = one_of(world, 1), third = one_of(world, 3);
  MPI_Win_create(&memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  for (int i = 0; i < 6; i++)
    exchange(window, rank, 0, first, targets);
  MPI_Win_free(&window);
  MPI_Win_create(&memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  while (rank == 1 && stays)
    ;
  exchange(window, rank, 3, third, targets);
  MPI_Win_free(&window);
  MPI_Group_free(&first);
  MPI_Group_free(&targets);
  MPI_Group_free(&third);
  MPI_Group_free(&world);
  MPI_Finalize();
  return 0;
}
