/* The function by which exceptions of C++ are thrown: where each thread of the program did so last, and what it said. */
#pragma once

#include "base/base.h"

struct lg_typeinfo { /* the head of std::type_info, in the C++ ABI of Itanium (§2.9.4) */
  const void *functions;
  const char *name; /* mangled; behind an asterisk if its address tells it apart */
};

#pragma GCC visibility push(hidden)

/* Notes that the calling thread met an exception, or an error that ends the process, in the code above the frame with that
 * canonical frame address; how: enum lg_raised_how. */
void lg_note_raised(uint32_t how, const char *type, const char *text, uint64_t cfa);

#pragma GCC visibility pop

/* What code of C++ calls where it throws, in the place of that of its library. */
void lg_throw(void *exception, struct lg_typeinfo *type, void (*destroy)(void *)) __asm__("__cxa_throw")
    __attribute__((visibility("default"), noreturn));
