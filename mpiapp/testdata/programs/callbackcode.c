/* A callback of the program refuses to copy an attribute with a code of its own, which MPI passes on: MPI_Error_string does not know it. */
#include <mpi.h>
#include <stdio.h>
static int refuse(MPI_Comm c, int k, void *extra, void *in, void *out, int *flag)
{
  (void)c, (void)k, (void)extra, (void)in, (void)out;
  *flag = 0;
  return 4242;
}
int main(int argc, char **argv)
{
  int key, code;
  MPI_Comm own, copy = MPI_COMM_NULL;
  MPI_Init(&argc, &argv);
  MPI_Comm_dup(MPI_COMM_WORLD, &own);
  MPI_Comm_set_errhandler(own, MPI_ERRORS_RETURN);
  MPI_Comm_create_keyval(refuse, MPI_COMM_NULL_DELETE_FN, &key, NULL);
  MPI_Comm_set_attr(own, key, &key);
  code = MPI_Comm_dup(own, &copy);
  printf("%d\n", code != MPI_SUCCESS);
  MPI_Finalize();
  return 0;
}
