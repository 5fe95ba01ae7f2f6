/* What every file of the recorder may use: the plain types of C, and the few
 * marks for the compiler. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LG_EXPORT __attribute__((visibility("default")))
#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
