/* Memory for the recorder's own tables, straight from the kernel: the program's
 * allocator may be interrupted, interposed or broken. */
#pragma once

#include "base/base.h"

#pragma GCC visibility push(hidden)

void *lg_pages(size_t bytes); /* zeroed private memory; NULL: none */
/* More of it with the same content; NULL: the old one stays. */
void *lg_pages_grow(void *old, size_t was, size_t bytes);

#pragma GCC visibility pop
