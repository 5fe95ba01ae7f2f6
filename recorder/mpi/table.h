/* The function table, generated from model/mpi/functions.tbl by gen/: what each
 * MPI function means to the recorder, and where its arguments are. */
#pragma once

#include "base/base.h"
#include "mpi/numbers.h"

/* A parameter, as package mpi has it. Kind 0 ends the list. */
struct lg_param {
  uint8_t kind;        /* enum lg_param_kind */
  uint8_t dir;         /* enum lg_direction */
  uint8_t ref;         /* 1: passed by pointer in C */
  uint8_t fortran_int; /* 1: Fortran has an INTEGER for C's address */
  uint8_t len;         /* enum lg_length_kind, of an array */
  uint8_t by;          /* the parameter that len or only refers to */
  uint8_t only;        /* enum lg_condition */
  uint8_t recorded;    /* bits of enum lg_recorded: when a recording of usage has it */
};

/* Positions of arguments by role, -1 where the function has none. They are the
 * same in C and Fortran, but for MPI_Init and its kin, which use none. */
struct lg_desc {
  const char *name;
  int16_t cls;
  int8_t nargs;
  int8_t comm, peer, tag, peer2, tag2; /* peer2, tag2: the receiving half of a sendrecv */
  int8_t count, request, status, flag, index, outcount, indices;
  int8_t newcomm, win, file, message, group, group2; /* group2: the remote one */
  int8_t recv_buf, recv_count, recv_type, partitions;
  bool wide; /* counts are MPI_Count, not int */
  uint16_t choices;    /* bits of enum lg_choice: what a perturbed run may choose otherwise */
  int16_t synchronous; /* the function of lg_descs that sends likewise and waits for the receive, -1 none */
  int16_t entries[4];  /* of lg_real by binding, -1 none */
  uint32_t traits; /* bits of enum lg_trait, as functions.tbl explains them; TRAIT_sends are those that say how much it sends */
  /* what it sends, if it does */
  int8_t send_buf, send_count, send_type, in_place_count, in_place_type, op;
  int8_t send_displs, recv_displs; /* displacements of the blocks for each member, behind their counts */
  int8_t told[4]; /* count and type by it, operation and root; any argument where there is none */
  bool told_more; /* what they tell depends on others, too */
  uint8_t by_value, results; /* 1: all that is recorded before the call comes by value in C; 1: something is after it */
  const struct lg_param *params;
};

/* LG_BIND_F08TS is use mpi_f08 with buffers passed as array descriptors. */
enum { LG_BIND_C, LG_BIND_F, LG_BIND_F08, LG_BIND_F08TS };

#pragma GCC visibility push(hidden)

extern const struct lg_desc lg_descs[];
extern const char *const lg_entry_names[]; /* of what the wrappers forward to */
extern void *lg_real[];                    /* the same as addresses, NULL until first called */

#pragma GCC visibility pop
