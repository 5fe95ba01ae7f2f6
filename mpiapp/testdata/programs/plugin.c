/* Loads a library that calls MPI, uses it, unloads it and loads another, which
 * may well come to lie at the same address. The library is this same source,
 * built with -DPLUGIN=1 or -DPLUGIN=2; their paths are the arguments. */
#include <mpi.h>

#ifdef PLUGIN

int plugin(int x)
{
  int sum;
#if PLUGIN == 2
  MPI_Barrier(MPI_COMM_WORLD);
#endif
  MPI_Allreduce(&x, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  return sum + PLUGIN;
}

#else

#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
  int rank, sum = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 10; i++) {
    void *library = dlopen(argv[1 + i % 2], RTLD_NOW);
    int (*plugin)(int) = library ? (int (*)(int))dlsym(library, "plugin") : NULL;
    if (!plugin) {
      fprintf(stderr, "%s\n", dlerror());
      MPI_Abort(MPI_COMM_WORLD, 1);
    }
    for (int k = 0; k < 3; k++)
      sum += plugin(rank + k);
    dlclose(library);
  }
  if (rank == 0)
    printf("sum %d\n", sum);
  MPI_Finalize();
  return 0;
}

#endif
