#include <limits.h>
#include "python/lines.h"

enum { UNIT = 2 }; /* bytes of an instruction */

static int line_or_none(int64_t line)
{
  return line > 0 && line <= INT_MAX ? (int)line : 0;
}

/* Up to 3.9: pairs of how many bytes further, and then how many lines.
 * (Objects/lnotab_notes.txt) */
static int by_lnotab(const unsigned char *p, size_t n, int64_t line, int64_t instruction)
{
  int64_t at = 0;
  for (size_t i = 0; i + 1 < n; i += 2) {
    at += p[i];
    if (at > instruction)
      break;
    line += (signed char)p[i + 1];
  }
  return line_or_none(line);
}

/* 3.10: pairs of how many bytes there are with a line, and how many lines it is
 * further; -128: these have none. (PEP 626) */
static int by_ranges(const unsigned char *p, size_t n, int64_t line, int64_t instruction)
{
  int64_t end = 0;
  for (size_t i = 0; i + 1 < n; i += 2) {
    bool none = (signed char)p[i + 1] == SCHAR_MIN;
    end += p[i];
    line += none ? 0 : (signed char)p[i + 1];
    if (instruction < end)
      return none ? 0 : line_or_none(line);
  }
  return 0;
}

/* The kinds of entries since 3.11. (Objects/locations.md) */
enum { SHORT_LAST = 9, ONE_LINE_FIRST = 10, ONE_LINE_LAST = 12, NO_COLUMNS = 13, LONG_FORM = 14, NO_LINE = 15 };
#define ENTRY 0x80   /* the first byte of an entry has it, the others do not */
#define MORE 0x40    /* of a number: another byte follows */
#define BITS 6       /* of a number in each byte */
#define MAX_BITS 36

/* signed_number reads what is added to the line. */
static int64_t signed_number(const unsigned char *p, size_t n)
{
  uint64_t v = 0;
  for (size_t i = 0; i < n && i * BITS < MAX_BITS; i++) {
    v |= (uint64_t)(p[i] & (MORE - 1)) << i * BITS;
    if (!(p[i] & MORE))
      break;
  }
  return v & 1 ? -(int64_t)(v >> 1) : (int64_t)(v >> 1);
}

static int by_locations(const unsigned char *p, size_t n, int64_t line, int64_t instruction)
{
  int64_t end = 0;
  for (size_t i = 0; i < n;) {
    int kind = p[i] >> 3 & 15;
    end += ((p[i] & 7) + 1) * UNIT;
    size_t next = i + 1;
    while (next < n && !(p[next] & ENTRY))
      next++;
    if (kind >= ONE_LINE_FIRST && kind <= ONE_LINE_LAST)
      line += kind - ONE_LINE_FIRST;
    else if (kind == NO_COLUMNS || kind == LONG_FORM)
      line += signed_number(p + i + 1, next - i - 1);
    if (instruction < end)
      return kind == NO_LINE ? 0 : line_or_none(line);
    i = next;
  }
  return 0;
}

int lg_py_line(int minor, const unsigned char *table, size_t n, int first, int64_t instruction)
{
  if (instruction < 0)
    return line_or_none(first); /* nothing has been executed yet */
  if (minor < 10)
    return by_lnotab(table, n, first, instruction);
  return minor == 10 ? by_ranges(table, n, first, instruction) : by_locations(table, n, first, instruction);
}
