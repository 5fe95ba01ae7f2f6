/* Settings: environment variables of the recorder's own, and what launchers tell
 * a process in theirs. */
#pragma once

#include "base/base.h"

#pragma GCC visibility push(hidden)

const char *lg_env(const char *name); /* LAGGARD_<name>, NULL if unset or empty */
long lg_env_int(const char *name, long otherwise); /* a number not below 0 */
bool lg_records(const char *what); /* whether LAGGARD_RECORD names it */
int lg_from_launcher(const char *const *names); /* the first of these variables that is set; -1 */
extern const char *const lg_size_names[]; /* of variables with the size of MPI_COMM_WORLD */

#pragma GCC visibility pop
