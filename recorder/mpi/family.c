#define _GNU_SOURCE
#include "format.h"
#include "mpi/family.h"
#include "mpi/symbol.h"

struct lg_family lg_fam;

static void openmpi(void)
{
  lg_fam = (struct lg_family){
      .id = LG_OPENMPI, .handle_bytes = 8, .any_source = -1, .any_tag = -1, .proc_null = -2, .undefined = -32766,
      .status_size = 24, .status_source = 0, .status_tag = 4, .status_cancelled = 12, .status_cancel_mask = ~0, .status_ignore = 0,
      .in_place = 1, .comm_world = (long)lg_visible("ompi_mpi_comm_world"), .comm_self = (long)lg_visible("ompi_mpi_comm_self"),
      .comm_null = (long)lg_visible("ompi_mpi_comm_null"), .request_null = (long)lg_visible("ompi_request_null"),
      .type_null = (long)lg_visible("ompi_mpi_datatype_null"), .op_null = (long)lg_visible("ompi_mpi_op_no_op"),
      .root = -4, .err_in_status = 18, .class_mask = ~0, .combiner_named = 0,
      .order_fortran = 1, .lock_exclusive = 1, .topo_cart = 1, .topo_graph = 2, .topo_dist_graph = 3};
}

static void mpich(void)
{
  lg_fam = (struct lg_family){
      .id = LG_MPICH, .handle_bytes = 4, .any_source = -2, .any_tag = -1, .proc_null = -1, .undefined = -32766,
      .status_size = 20, .status_source = 8, .status_tag = 12, .status_cancelled = 4, .status_cancel_mask = 1, .status_ignore = 1,
      .in_place = -1, .comm_world = 0x44000000, .comm_self = 0x44000001, .comm_null = 0x04000000, .request_null = 0x2c000000,
      .type_null = 0x0c000000, .op_null = 0x5800000e,
      .root = -3, .err_in_status = 17, .class_mask = 0x7f, .combiner_named = 1,
      .order_fortran = 57, .lock_exclusive = 234, .topo_graph = 1, .topo_cart = 2, .topo_dist_graph = 3};
}

bool lg_family_detect(void)
{
  if (lg_visible("ompi_mpi_comm_world"))
    openmpi();
  else if (lg_find_symbol("PMPI_Comm_rank"))
    mpich();
  else
    return false;
  return true;
}

int lg_peer(int peer)
{
  if (peer >= 0)
    return peer;
  if (peer == lg_fam.any_source)
    return LG_ANY;
  return peer == lg_fam.proc_null ? LG_PROC_NULL : LG_NONE;
}

int lg_tag(int tag)
{
  return tag == lg_fam.any_tag ? LG_ANY : tag;
}
