#include "mpi/integer.h"
#include "mpi/symbol.h"

#define UNTOUCHED 0x5a5a5a5a5a5a5a5all

int lg_integer_bytes;

/* A library that only translates for another one, such as libmpi_ilp64, is not known by the size of the other's MPI_INTEGER. But
 * every one writes a whole INTEGER, and MPI_Initialized may be called at any time. */
void lg_integer_ask(void)
{
  int64_t flag = UNTOUCHED, error = UNTOUCHED;
  void (*ask)(int64_t *, int64_t *) = (void (*)(int64_t *, int64_t *))lg_find_symbol("mpi_initialized_");
  if (!ask)
    ask = (void (*)(int64_t *, int64_t *))lg_find_symbol("pmpi_initialized_");
  if (ask)
    ask(&flag, &error);
  lg_integer_bytes = error == 0 ? 8 : 4;
}
