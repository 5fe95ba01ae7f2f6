/* Loads a library in C++ for itself alone, as an interpreter does, which throws and catches: the program
 * and its MPI are in C. */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
  int sum = 0, all;
  MPI_Init(&argc, &argv);
  void *library = dlopen(argv[argc - 1], RTLD_NOW | RTLD_LOCAL);
  int (*number)(const char *) = library ? (int (*)(const char *))dlsym(library, "number") : NULL;
  if (!number) {
    fprintf(stderr, "%s\n", dlerror());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  const char *words[] = {"12", "twelve", "", "13"};
  for (int i = 0; i < 4; i++)
    sum += number(words[i]);
  MPI_Allreduce(&sum, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  printf("sum %d\n", all);
  MPI_Finalize();
  return 0;
}
