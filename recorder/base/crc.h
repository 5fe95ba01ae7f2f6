/* The checksum of the file's fixed parts. */
#pragma once

#include "base/base.h"

#pragma GCC visibility push(hidden)

/* CRC-32C (RFC 3720, appendix B.4) of n bytes behind others whose checksum was
 * `crc`, 0 at first. */
uint32_t lg_crc(uint32_t crc, const void *p, size_t n);

#pragma GCC visibility pop
