#include "mpi/handle.h"
#include "mpi/symbol.h"
#include "perturb/probe.h"

bool lg_message_is_there(long source, long tag, long comm)
{
  long (*probe)(long, long, long, int *, void *) = (long (*)(long, long, long, int *, void *))lg_find_symbol("PMPI_Iprobe");
  char status[LG_STATUS_BYTES];
  int flag = 0;
  return probe && probe(source, tag, comm, &flag, status) == 0 && flag;
}

long lg_request_at(const struct lg_call *c, int k)
{
  return c->desc->params[c->desc->request].ref ? lg_handle_at(c, c->desc->request, k) : lg_handle_in(c, c->desc->request);
}

bool lg_request_is_complete(const struct lg_call *c, long handle)
{
  long (*ask)(long, int *, void *) = (long (*)(long, int *, void *))lg_find_symbol("PMPI_Request_get_status");
  char status[LG_STATUS_BYTES];
  int flag = 0;
  return ask && ask(c->binding == LG_BIND_C ? handle : lg_c_handle((int)handle, "Request"), &flag, status) == 0 && flag;
}

bool lg_has_self(void)
{
  long (*initialized)(int *) = (long (*)(int *))lg_find_symbol("PMPI_Initialized");
  int flag = 0;
  return initialized && initialized(&flag) == 0 && flag;
}
