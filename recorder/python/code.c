#include <string.h>
#include "format.h"
#include "python/code.h"
#include "python/lines.h"
#include "python/memory.h"

#define MAX_LINES 65536 /* bytes that are read of a table of lines */
#define MAX_FILE 3000   /* bytes kept of the name of a file, */
#define MAX_NAME 900    /* and of a function */
#define CODE_BYTES 256  /* of a code object that are read at once */

bool lg_py_is(const struct lg_py_layout *l, uint64_t object, const char *name, uint64_t *met)
{
  uint64_t type, at;
  char text[16] = "";
  if (!object || object % 8 || !lg_py_word(object + l->object_type, &type))
    return false;
  if (type == *met)
    return true;
  if (!lg_py_word(type + l->type_name, &at))
    return false;
  size_t room = LG_PAGE_SIZE - at % LG_PAGE_SIZE, most = room < sizeof text - 1 ? room : sizeof text - 1;
  if (!lg_py_some(at, text, most) || strcmp(text, name) != 0)
    return false;
  *met = type;
  return true;
}

bool lg_py_code(const struct lg_py_layout *l, uint64_t code, struct lg_py_code *out)
{
  static uint64_t met;
  unsigned char b[CODE_BYTES];
  if (!lg_py_is(l, code, "code", &met))
    return false;
  size_t need = (l->code_lines > l->code_name ? l->code_lines : l->code_name) + 8;
  if (need > sizeof b || l->code_file + 8 > need || l->code_first + 4 > need || !lg_py_bytes(code, b, need))
    return false;
  memcpy(&out->file, b + l->code_file, 8);
  memcpy(&out->name, b + l->code_name, 8);
  memcpy(&out->lines, b + l->code_lines, 8);
  memcpy(&out->first, b + l->code_first, 4);
  out->bytes = l->code_bytes == LG_PY_ABSENT ? 0 : code + l->code_bytes;
  return true;
}

int lg_py_code_line(const struct lg_py_layout *l, const struct lg_py_code *c, uint64_t instruction)
{
  static unsigned char table[MAX_LINES]; /* the file lock is held */
  static uint64_t met;
  uint64_t n;
  if (!lg_py_is(l, c->lines, "bytes", &met) || !lg_py_word(c->lines + l->length, &n) || n > sizeof table ||
      !lg_py_bytes(c->lines + l->bytes, table, n))
    return 0;
  return lg_py_line(l->minor, table, n, c->first, (int64_t)(instruction - c->bytes));
}

/* utf8 appends a character. */
static size_t utf8(char *to, uint32_t c)
{
  if (c < 0x80) {
    to[0] = (char)c;
    return 1;
  }
  int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
  for (int i = more; i > 0; i--, c >>= 6)
    to[i] = (char)(0x80 | (c & 0x3f));
  to[0] = (char)(0xff00 >> (more + 1) | c);
  return (size_t)more + 1;
}

/* The bits of the state of a text; how wide its characters are stands in KIND. */
enum { KIND_SHIFT = 2, KIND = 7, COMPACT = 1 << 5, ASCII = 1 << 6 };
#define NOT_ASCII 16 /* bytes that lie before the characters of other texts, more than before ASCII */

size_t lg_py_text(const struct lg_py_layout *l, uint64_t object, char *to, size_t room, char avoid)
{
  static unsigned char raw[4 * MAX_FILE]; /* the file lock is held */
  static uint64_t met;
  uint64_t length;
  uint32_t state;
  size_t at = 0;
  if (!lg_py_is(l, object, "str", &met) || !lg_py_word(object + l->length, &length) ||
      !lg_py_bytes(object + l->text_state, &state, sizeof state))
    return 0;
  size_t wide = state >> KIND_SHIFT & KIND;
  /* Of other texts, such as those of a class derived from str, the characters are elsewhere. */
  if (!(state & COMPACT) || (wide != 1 && wide != 2 && wide != 4))
    return 0;
  if (length > MAX_FILE)
    length = MAX_FILE;
  uint64_t from = object + l->text_ascii + (state & ASCII ? 0 : NOT_ASCII);
  /* Up to 3.11 there is one word more. */
  if (!(state & ASCII) && l->minor < 12)
    from += 8;
  if (!lg_py_bytes(from, raw, wide * length))
    return 0;
  for (size_t i = 0; i < length && at + 4 < room; i++) {
    uint32_t c = 0;
    memcpy(&c, raw + i * wide, wide);
    if (c < ' ' || c == (unsigned char)avoid || (c >= 0xd800 && c < 0xe000) || c > 0x10ffff)
      c = '.';
    at += utf8(to + at, c);
  }
  to[at] = 0;
  return at;
}

bool lg_py_code_text(const struct lg_py_layout *l, const struct lg_py_code *c, char *text, size_t room)
{
  if (room < MAX_FILE + MAX_NAME || c->file == c->name)
    return false; /* a frame that the interpreter makes for itself has one text for both */
  size_t n = lg_py_text(l, c->file, text, MAX_FILE, 0);
  if (!n)
    return false;
  text[n++] = ':';
  return lg_py_text(l, c->name, text + n, MAX_NAME, ':') > 0;
}
