/* The modules of the process: the program and the libraries, where they are
 * mapped, and the records that name them, so that an address becomes a module
 * and an address in its file. */
#pragma once

#include "base/base.h"

#pragma GCC visibility push(hidden)

struct lg_mapped { /* a module */
  uint64_t lo, hi, bias; /* executable addresses; what to add to a file address */
  const unsigned char *eh_hdr; /* .eh_frame_hdr */
  uint64_t image_lo, image_hi;
  const unsigned char *build_id;
  uint32_t build_id_len;
  const char *path;
  const void *dynamic; /* its dynamic section */
  bool interprets;     /* it is an interpreter of Python, by its name */
  uint32_t index; /* of its record, LG_NO_MODULE before one is written */
};

extern uint32_t lg_module_gen; /* changes with the table of modules */
extern uint32_t lg_unload_gen; /* changes when an address may have come to mean other code */
extern int lg_unloading;       /* dlcloses in progress: no stack is captured meanwhile */
/* Is told of each module when the table is read, while the loader can take none away; NULL:
 * that were all. */
extern void (*lg_module_met)(const struct lg_mapped *);
extern bool lg_modules_may_refresh; /* not in a signal handler: the loader's lock may be held */

uint64_t lg_loader_state(void); /* how many modules have come and gone, as one number */

/* The file lock is held around all of these. */
void lg_modules_current(void); /* reads the table again if the loader has been at work */
struct lg_mapped *lg_module_in_table(uint64_t pc); /* NULL: none that is known */
struct lg_mapped *lg_module_at(uint64_t pc); /* reads the table again if it must and may */
bool lg_is_code(uint64_t pc); /* in a module that is known */
bool lg_module_of_mpi(const struct lg_mapped *m); /* the MPI library, one of its components, or what it is built on */
bool lg_module_interprets(uint64_t pc); /* in one that is an interpreter of Python */
/* The index of a record for what is no module: a function that an interpreter runs, by
 * file ":" name. LG_NO_MODULE: there is no room. */
uint32_t lg_module_named(const char *text);
uint64_t lg_frame_of(uint32_t index, uint64_t offset); /* a frame word */
uint64_t lg_data_word(uint64_t at); /* the same of an address in the image of a module, code or data; UINT64_MAX: in none */
uint64_t lg_frame_word(uint64_t pc); /* of the frame, see docs/reference/format.md; may write a module record */
bool lg_frame_interpreted(uint64_t word); /* it is of a module that lg_module_named made */
uint64_t lg_frame_across(uint64_t word); /* a hash of it that is the same in all processes; 0: code of no module */

#pragma GCC visibility pop
