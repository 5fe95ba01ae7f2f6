#include "mpi/family.h"
#include "mpi/reduction.h"
#include "mpi/symbol.h"

const struct lg_named lg_reductions[] = {
    {"MPI_MAX", "ompi_mpi_op_max", 0x58000001, 0x23},
    {"MPI_MIN", "ompi_mpi_op_min", 0x58000002, 0x22},
    {"MPI_SUM", "ompi_mpi_op_sum", 0x58000003, 0x21},
    {"MPI_PROD", "ompi_mpi_op_prod", 0x58000004, 0x24},
    {"MPI_LAND", "ompi_mpi_op_land", 0x58000005, 0x30},
    {"MPI_BAND", "ompi_mpi_op_band", 0x58000006, 0x28},
    {"MPI_LOR", "ompi_mpi_op_lor", 0x58000007, 0x31},
    {"MPI_BOR", "ompi_mpi_op_bor", 0x58000008, 0x29},
    {"MPI_LXOR", "ompi_mpi_op_lxor", 0x58000009, 0x32},
    {"MPI_BXOR", "ompi_mpi_op_bxor", 0x5800000a, 0x2a},
    {"MPI_MINLOC", "ompi_mpi_op_minloc", 0x5800000b, 0x38},
    {"MPI_MAXLOC", "ompi_mpi_op_maxloc", 0x5800000c, 0x39},
    {"MPI_REPLACE", "ompi_mpi_op_replace", 0x5800000d, 0x3c},
    {"MPI_NO_OP", "ompi_mpi_op_no_op", 0x5800000e, 0x3d},
};
const uint32_t lg_nreductions = sizeof lg_reductions / sizeof *lg_reductions;

long lg_named_handle(const struct lg_named *n)
{
  if (lg_fam.id == LG_FAMILY_STANDARD)
    return n->standard;
  return lg_fam.id == LG_FAMILY_MPICH ? n->mpich : (long)lg_visible(n->openmpi);
}

uint32_t lg_reduction_number(long handle)
{
  static long handles[sizeof lg_reductions / sizeof *lg_reductions];
  static bool known;
  if (!__atomic_load_n(&known, __ATOMIC_ACQUIRE)) { /* two threads may fill it in, with the same */
    for (uint32_t i = 0; i < lg_nreductions; i++)
      __atomic_store_n(&handles[i], lg_named_handle(&lg_reductions[i]), __ATOMIC_RELAXED);
    __atomic_store_n(&known, true, __ATOMIC_RELEASE);
  }
  uint32_t i = 0;
  while (i < lg_nreductions && handles[i] != handle)
    i++;
  return i + 1;
}
