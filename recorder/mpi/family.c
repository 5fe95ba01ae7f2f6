#define _GNU_SOURCE
#include <dlfcn.h>
#include <string.h>
#include "format.h"
#include "mpi/family.h"
#include "mpi/symbol.h"

#define COMBINERS 17 /* of the standard ABI */

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
      .order_fortran = 1, .thread_level = 1, .lock_exclusive = 1, .topo_cart = 1, .topo_graph = 2, .topo_dist_graph = 3};
}

static void mpich(void)
{
  lg_fam = (struct lg_family){
      .id = LG_MPICH, .handle_bytes = 4, .any_source = -2, .any_tag = -1, .proc_null = -1, .undefined = -32766,
      .status_size = 20, .status_source = 8, .status_tag = 12, .status_cancelled = 4, .status_cancel_mask = 1, .status_ignore = 1,
      .in_place = -1, .comm_world = 0x44000000, .comm_self = 0x44000001, .comm_null = 0x04000000, .request_null = 0x2c000000,
      .type_null = 0x0c000000, .op_null = 0x5800000e,
      .root = -3, .err_in_status = 17, .class_mask = 0x7f, .combiner_named = 1,
      .order_fortran = 57, .thread_level = 1, .lock_exclusive = 234, .topo_graph = 1, .topo_cart = 2, .topo_dist_graph = 3};
}

static void standard(void)
{
  static const uint8_t combiners[COMBINERS] = {0, 1, 2, 3, 5, 6, 8, 9, 18, 11, 12, 13, 14, 15, 16, 17, 19};
  lg_fam = (struct lg_family){
      .id = LG_STANDARD, .handle_bytes = 8, .any_source = -1, .any_tag = -2, .proc_null = -3, .undefined = -32766,
      .status_size = 32, .status_source = 0, .status_tag = 4, .status_ignore = 0,
      .in_place = 1, .comm_world = 0x101, .comm_self = 0x102, .comm_null = 0x100, .request_null = 0x180,
      .fortran_request_null = 0x180, .type_null = 0x200, .op_null = 0x3d,
      .root = -4, .err_in_status = 19, .class_mask = ~0, .combiner_named = 101, .combiners = combiners,
      .order_fortran = 1, .thread_level = 1024, .lock_exclusive = 301, .topo_cart = 211, .topo_graph = 212, .topo_dist_graph = 213};
}

/* has_standard_abi tells whether the program's MPI is one with the ABI of MPI-5. Libraries
 * with another one have the function too, and say so; an early one may lack it. */
static bool has_standard_abi(void)
{
  static const char name[] = "libmpi_abi.so";
  int major = -1, minor = -1;
  long (*version)(int *, int *) = (long (*)(int *, int *))lg_find_symbol("PMPI_Abi_get_version");
  if (version)
    return (int)version(&major, &minor) == 0 && major > 0;
  Dl_info where;
  void *any = lg_find_symbol("PMPI_Comm_rank");
  const char *slash = any && dladdr(any, &where) ? strrchr(where.dli_fname, '/') : NULL;
  return slash && strncmp(slash + 1, name, sizeof name - 1) == 0;
}

bool lg_family_detect(void)
{
  if (has_standard_abi())
    standard();
  else if (lg_visible("ompi_mpi_comm_world"))
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

int lg_thread_level(int level)
{
  int n = level / lg_fam.thread_level;
  return n > 3 ? 3 : n;
}

int lg_combiner(int combiner)
{
  int i = combiner - lg_fam.combiner_named;
  return lg_fam.combiners && i >= 0 && i < COMBINERS ? lg_fam.combiners[i] : i;
}

void lg_array_constants(int64_t *order, int64_t *distribs, int64_t *dargs, int64_t n)
{
  enum { ORDER_C = 12, NONE = 16, BLOCK, CYCLIC, DEFAULT_ARGUMENT };
  if (lg_fam.id != LG_STANDARD)
    return;
  *order = *order == ORDER_C ? 0 : lg_fam.order_fortran;
  for (int64_t i = 0; i < n; i++) {
    distribs[i] = distribs[i] == BLOCK ? 0 : distribs[i] == CYCLIC ? 1 : distribs[i] == NONE ? 2 : distribs[i];
    if (dargs[i] == DEFAULT_ARGUMENT)
      dargs[i] = -1;
  }
}
