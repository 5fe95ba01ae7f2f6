// Leaves MPI calls sideways: an error handler of the program's throws an
// exception through one failed call and jumps out of another. What comes after
// is deeper in the stack than the call that never returned.
#include <mpi.h>

#include <csetjmp>
#include <cstdio>

namespace {

std::jmp_buf out;
bool jumps;

struct Failed {
  int code;
};

void on_error(MPI_Comm *, int *code, ...)
{
  if (jumps)
    std::longjmp(out, 1);
  throw Failed{*code};
}

void send_nowhere(MPI_Comm comm)
{
  int x = 0;
  MPI_Send(&x, 1, MPI_INT, 1000000, 0, comm);
}

bool thrown(MPI_Comm comm)
{
  try {
    send_nowhere(comm);
  } catch (const Failed &f) {
    return f.code != MPI_SUCCESS;
  }
  return false;
}

bool jumped(MPI_Comm comm)
{
  jumps = true;
  if (setjmp(out))
    return true;
  send_nowhere(comm);
  return false;
}

// Recursion puts the calls below every earlier one on the stack.
int meet(MPI_Comm comm, int depth)
{
  volatile char room[256] = {0};
  int one = 1, sum = room[depth % 256];
  if (depth > 0)
    return meet(comm, depth - 1) + room[depth];
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
  return sum;
}

} // namespace

int main(int argc, char **argv)
{
  MPI_Errhandler handler;
  MPI_Comm comm;
  int rank, sum = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_create_errhandler(on_error, &handler);
  MPI_Comm_set_errhandler(comm, handler);
  MPI_Comm_rank(comm, &rank);
  bool first = thrown(comm);
  for (int i = 0; i < 8; i++)
    sum += meet(comm, 10);
  bool second = jumped(comm);
  for (int i = 0; i < 8; i++)
    sum += meet(comm, 10);
  if (rank == 0)
    std::printf("thrown %d, jumped %d, sum %d\n", first, second, sum);
  MPI_Errhandler_free(&handler);
  MPI_Comm_free(&comm);
  MPI_Finalize();
  return 0;
}
