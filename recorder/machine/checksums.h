/* Sums of memory by the instructions that a processor may have for them. What a function
 * gives does not depend on whether they are there: who calls it does without them then. */
#pragma once

#if defined __x86_64__
#include "machine/x86_64_checksums.h"
#elif defined __aarch64__
#include "machine/aarch64_checksums.h"
#endif
