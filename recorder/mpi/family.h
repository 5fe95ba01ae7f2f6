/* The three MPI ABIs of today and how to read them: OpenMPI's own, the MPICH ABI
 * with Intel MPI, MVAPICH and Cray MPICH, and the standard one of MPI-5, which
 * both have in a library of its own (libmpi_abi.so). Nothing here comes from an
 * mpi.h; the values are the published ABIs' (MPI-5.0 §20 and appendix A). */
#pragma once

#include "base/base.h"
#include "format.h"
#include "mpi/numbers.h"

/* The constants by the numbers of Open MPI, such as LG_N_order_c. */
#define LG_NUMBER(set, name, openmpi, mpich, standard) LG_N_##name = openmpi,
enum { LG_CONSTANTS(LG_NUMBER) };

struct lg_family {
  uint32_t id; /* enum lg_mpi_family */
  int handle_bytes; /* of a C handle in memory */
#define LG_FIELD(set, name, openmpi, mpich, standard) int name;
  LG_CONSTANTS(LG_FIELD) /* the constants of MPI, in lower case and without MPI_ */
  int status_size;                           /* bytes, C and Fortran alike */
  int status_source, status_tag;             /* byte offsets in MPI_Status */
  int status_cancelled, status_cancel_mask;  /* byte offset of an int, and its bits; 0: MPI is asked */
  long status_ignore;                        /* C value, for one status and for arrays */
  long comm_world, comm_self, comm_null, request_null;
  int fortran_request_null;                  /* where Fortran's handles are other numbers than C's */
  long in_place;                             /* MPI_IN_PLACE in C */
  int class_mask;                            /* the bits of an error code that are its class */
  const uint8_t *combiners;                  /* what those behind MPI_COMBINER_NAMED are in Open MPI; NULL: they are in its order */
  long type_null, op_null;                   /* MPI_DATATYPE_NULL, MPI_NO_OP */
};

#define LG_THREAD_MULTIPLE 3

#pragma GCC visibility push(hidden)

extern struct lg_family lg_fam;
bool lg_family_detect(void); /* false: no MPI is loaded */
int lg_peer(int peer); /* MPI's constant to ours: LG_ANY, LG_PROC_NULL, LG_NONE for any other */
int lg_tag(int tag);
int lg_thread_level(int level); /* of MPI_THREAD_SINGLE to MULTIPLE: 0 to LG_THREAD_MULTIPLE */
int lg_combiner(int combiner);  /* of MPI_COMBINER_…: from 0, in OpenMPI's order */
/* The number of Open MPI, by which a run directory has a constant, for that of this library; of the sets amode and
 * assert, a sum. A number that is none of the set stays, but of a sum is left out. */
int64_t lg_constant(enum lg_set set, int64_t number);
/* Does so with what array constructors were given, the n distributions and their arguments too. */
void lg_array_constants(int64_t *order, int64_t *distribs, int64_t *dargs, int64_t n);

/* What a handle in memory is. */
static inline long lg_handle_of(const void *p)
{
  return lg_fam.handle_bytes == 4 ? *(const int *)p : *(const long *)p;
}

#pragma GCC visibility pop
