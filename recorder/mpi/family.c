#define _GNU_SOURCE
#include <dlfcn.h>
#include <string.h>
#include "format.h"
#include "mpi/family.h"
#include "mpi/symbol.h"

#define COMBINERS 17 /* of the standard ABI */

#define OPENMPI(set, field, openmpi, mpich, standard) .field = openmpi,
#define MPICH(set, field, openmpi, mpich, standard) .field = mpich,
#define STANDARD(set, field, openmpi, mpich, standard) .field = standard,
#define ROW(set, field, openmpi, mpich, standard) {SET_##set, {openmpi, mpich, standard}},

struct lg_family lg_fam;

static void openmpi(void)
{
  lg_fam = (struct lg_family){
      .id = LG_FAMILY_OPENMPI, LG_CONSTANTS(OPENMPI) .handle_bytes = 8,
      .status_size = 24, .status_source = 0, .status_tag = 4, .status_cancelled = 12, .status_cancel_mask = ~0, .status_ignore = 0,
      .in_place = 1, .comm_world = (long)lg_visible("ompi_mpi_comm_world"), .comm_self = (long)lg_visible("ompi_mpi_comm_self"),
      .comm_null = (long)lg_visible("ompi_mpi_comm_null"), .request_null = (long)lg_visible("ompi_request_null"),
      .type_null = (long)lg_visible("ompi_mpi_datatype_null"), .op_null = (long)lg_visible("ompi_mpi_op_no_op"),
      .class_mask = ~0};
}

static void mpich(void)
{
  lg_fam = (struct lg_family){
      .id = LG_FAMILY_MPICH, LG_CONSTANTS(MPICH) .handle_bytes = 4,
      .status_size = 20, .status_source = 8, .status_tag = 12, .status_cancelled = 4, .status_cancel_mask = 1, .status_ignore = 1,
      .in_place = -1, .comm_world = 0x44000000, .comm_self = 0x44000001, .comm_null = 0x04000000, .request_null = 0x2c000000,
      .type_null = 0x0c000000, .op_null = 0x5800000e,
      .class_mask = 0x7f};
}

static void standard(void)
{
  static const uint8_t combiners[COMBINERS] = {0, 1, 2, 3, 5, 6, 8, 9, 18, 11, 12, 13, 14, 15, 16, 17, 19};
  lg_fam = (struct lg_family){
      .id = LG_FAMILY_STANDARD, LG_CONSTANTS(STANDARD) .handle_bytes = 8,
      .status_size = 32, .status_source = 0, .status_tag = 4, .status_ignore = 0,
      .in_place = 1, .comm_world = 0x101, .comm_self = 0x102, .comm_null = 0x100, .request_null = 0x180,
      .fortran_request_null = 0x180, .type_null = 0x200, .op_null = 0x3d,
      .class_mask = ~0, .combiners = combiners};
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

int64_t lg_constant(enum lg_set set, int64_t number)
{
  static const struct constant {
    enum lg_set set;
    int number[3]; /* by family */
  } constants[] = {LG_CONSTANTS(ROW)};
  bool sums = set == SET_amode || set == SET_assert;
  int64_t sum = 0;
  for (size_t i = 0; i < sizeof constants / sizeof *constants; i++) {
    const struct constant *c = &constants[i];
    int own = c->number[lg_fam.id - LG_FAMILY_OPENMPI];
    if (c->set != set)
      continue;
    if (!sums && number == own)
      return c->number[0];
    if (sums && number & own)
      sum |= c->number[0];
  }
  return sums ? sum : number;
}

int lg_thread_level(int level)
{
  return (int)lg_constant(SET_thread, level);
}

int lg_combiner(int combiner)
{
  int i = combiner - lg_fam.combiner_named;
  return lg_fam.combiners && i >= 0 && i < COMBINERS ? lg_fam.combiners[i] : i;
}

void lg_array_constants(int64_t *order, int64_t *distribs, int64_t *dargs, int64_t n)
{
  *order = lg_constant(SET_order, *order);
  for (int64_t i = 0; i < n; i++) {
    distribs[i] = lg_constant(SET_distribution, distribs[i]);
    if (dargs[i] == lg_fam.distribute_dflt_darg)
      dargs[i] = LG_N_distribute_dflt_darg;
  }
}
