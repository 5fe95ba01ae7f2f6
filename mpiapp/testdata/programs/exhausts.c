/* Makes datatypes, or begins receives, until there is no memory for more: exhausts types | requests. */
#include <mpi.h>
#include <string.h>

static void grow_types(void)
{
  MPI_Datatype row;
  MPI_Type_vector(100, 1, 2, MPI_DOUBLE, &row);
  MPI_Type_commit(&row);
}

static void grow_requests(int tag)
{
  static double value;
  MPI_Request lost;
  MPI_Irecv(&value, 1, MPI_DOUBLE, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &lost);
}

int main(int argc, char **argv)
{
  MPI_Init(&argc, &argv);
  for (int k = 0; k < 10000000; k++) {
    if (strcmp(argv[1], "types") == 0)
      grow_types();
    else
      grow_requests(k % 30000);
    if (k % 50 == 0)
      MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
