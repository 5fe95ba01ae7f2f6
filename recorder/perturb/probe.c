#include "mpi/symbol.h"
#include "perturb/probe.h"

bool lg_message_is_there(long source, long tag, long comm)
{
  long (*probe)(long, long, long, int *, void *) = (long (*)(long, long, long, int *, void *))lg_find_symbol("PMPI_Iprobe");
  char status[LG_STATUS_BYTES];
  int flag = 0;
  return probe && probe(source, tag, comm, &flag, status) == 0 && flag;
}
