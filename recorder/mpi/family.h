/* The three MPI ABIs of today and how to read them: OpenMPI's own, the MPICH ABI
 * with Intel MPI, MVAPICH and Cray MPICH, and the standard one of MPI-5, which
 * both have in a library of its own (libmpi_abi.so). Nothing here comes from an
 * mpi.h; the values are the published ABIs' (MPI-5.0 §20 and appendix A). */
#ifndef LAGGARD_FAMILY_H
#define LAGGARD_FAMILY_H

#include "base/base.h"

enum { LG_OPENMPI = 1, LG_MPICH = 2, LG_STANDARD = 3 };

struct lg_family {
  uint32_t id; /* as in struct lg_rank */
  int handle_bytes; /* of a C handle in memory */
  int any_source, any_tag, proc_null, undefined;
  int status_size;                           /* bytes, C and Fortran alike */
  int status_source, status_tag;             /* byte offsets in MPI_Status */
  int status_cancelled, status_cancel_mask;  /* byte offset of an int, and its bits; 0: MPI is asked */
  long status_ignore;                        /* C value, for one status and for arrays */
  long comm_world, comm_self, comm_null, request_null;
  int fortran_request_null;                  /* where Fortran's handles are other numbers than C's */
  long in_place;                             /* MPI_IN_PLACE in C */
  int root;                                  /* MPI_ROOT */
  int err_in_status;                         /* MPI_ERR_IN_STATUS, and the bits of an error code that are its class */
  int class_mask;
  int combiner_named;                        /* MPI_COMBINER_NAMED; the others follow it */
  const uint8_t *combiners;                  /* what those are in OpenMPI; NULL: they are in its order */
  int lock_exclusive;                        /* MPI_LOCK_EXCLUSIVE */
  long type_null, op_null;                   /* MPI_DATATYPE_NULL, MPI_NO_OP */
  int order_fortran;                         /* MPI_ORDER_FORTRAN, as lg_array_constants leaves it */
  int thread_level;                          /* MPI_THREAD_FUNNELED; SERIALIZED is twice that, MULTIPLE more */
  int topo_graph, topo_cart, topo_dist_graph; /* what MPI_Topo_test answers */
};

#pragma GCC visibility push(hidden)

extern struct lg_family lg_fam;
bool lg_family_detect(void); /* false: no MPI is loaded */
int lg_peer(int peer); /* MPI's constant to ours: LG_ANY, LG_PROC_NULL, LG_NONE for any other */
int lg_tag(int tag);
int lg_thread_level(int level); /* of MPI_THREAD_SINGLE to MULTIPLE: 0 to 3 */
int lg_combiner(int combiner);  /* of MPI_COMBINER_…: from 0, in OpenMPI's order */
/* Brings what array constructors were given, the n distributions and their arguments too, from
 * the standard ABI's numbers to OpenMPI's. Those of others stay. */
void lg_array_constants(int64_t *order, int64_t *distribs, int64_t *dargs, int64_t n);

/* What a handle in memory is. */
static inline long lg_handle_of(const void *p)
{
  return lg_fam.handle_bytes == 4 ? *(const int *)p : *(const long *)p;
}

#pragma GCC visibility pop
#endif
