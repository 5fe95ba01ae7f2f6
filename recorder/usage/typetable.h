/* The datatypes that the recording knows: by number, and by handle while it lasts. */
#pragma once

#include "base/base.h"

struct lg_segment { int64_t at, size; }; /* bytes of a type, from its origin */

struct lg_dtype {
  long handle;
  uint32_t index; /* in the recording; its number there */
  uint32_t refs;  /* handles that were given out and not freed */
  uint32_t holds; /* sums that still need it */
  int combiner;   /* enum lg_combiner */
  int64_t size, lb, extent, true_lb, true_extent;
  int64_t *ints, *addresses; /* as MPI_Type_get_contents gives them */
  struct lg_dtype **types;
  int64_t nints, naddresses, ntypes;
  struct lg_segment *segments; /* see lg_type_map */
  int64_t nsegments;           /* -1: too many; 0 with segments NULL: not yet made */
};

enum lg_combiner { /* MPI_COMBINER_…, in OpenMPI's order */
  LG_NAMED, LG_DUP, LG_CONTIGUOUS, LG_VECTOR, LG_HVECTOR_INTEGER, LG_HVECTOR, LG_INDEXED, LG_HINDEXED_INTEGER,
  LG_HINDEXED, LG_INDEXED_BLOCK, LG_STRUCT_INTEGER, LG_STRUCT, LG_SUBARRAY, LG_DARRAY, LG_F90_REAL, LG_F90_COMPLEX,
  LG_F90_INTEGER, LG_RESIZED, LG_HINDEXED_BLOCK, LG_VALUE_INDEX
};

#pragma GCC visibility push(hidden)

extern uint32_t lg_type_gen; /* changes when a handle may have come to mean another type */

struct lg_dtype *lg_type_at(int64_t index); /* NULL: no such */
struct lg_dtype *lg_type_find(long handle); /* NULL: none is known by it */
struct lg_dtype *lg_type_add(long handle);  /* a new one, with the next number; NULL: no memory */
bool lg_type_enter(struct lg_dtype *t);     /* its handle finds it from now on */
void lg_type_forget(struct lg_dtype *t);    /* and no longer */
/* A type that was freed lives on while types made of it, or sums, need it. */
void lg_type_hold(struct lg_dtype *t);
void lg_type_drop(struct lg_dtype *t);

#pragma GCC visibility pop

/* lg_type_derived: neither predefined nor of the F90 constructors or a pair of value and
 * index, which must not be freed. */
static inline bool lg_type_derived(const struct lg_dtype *t)
{
  bool f90 = t->combiner >= LG_F90_REAL && t->combiner <= LG_F90_INTEGER;
  return t->combiner != LG_NAMED && t->combiner != LG_VALUE_INDEX && !f90;
}
