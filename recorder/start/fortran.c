/* What programs of gfortran call where they end by themselves: errors at run time, STOP and ERROR STOP. Each stands in the place
 * of that of libgfortran, notes what it says and where, and goes on to it. */
#define _GNU_SOURCE
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "format.h"
#include "machine/machine.h"
#include "start/realfunction.h"
#include "start/thrown.h"

#define REAL(name) \
  ((__typeof__(&name))lg_real_function(#name, (void *)name, libraries, __builtin_return_address(0), &known))

static const char *const libraries[] = {"libgfortran.so.5", "libgfortran.so.4", "libgfortran.so.3", NULL};

static const char runtime_error[] = "Fortran runtime error", stop[] = "Fortran STOP", error_stop[] = "Fortran ERROR STOP";

static void note(const char *type, const char *text, uint64_t cfa)
{
  lg_note_raised(LG_RAISED_FATAL, type, text, cfa);
}

/* note_string notes a text that no zero byte ends. */
static void note_string(const char *type, const char *text, size_t n, uint64_t cfa)
{
  char copy[LG_MAX_RAISED_TEXT] = "";
  if (text)
    memcpy(copy, text, n < sizeof copy ? n : sizeof copy - 1);
  note(type, copy, cfa);
}

/* formatted is the text, "" if there is no memory. It is not freed: the process ends. */
static const char *formatted(const char *message, va_list given)
{
  char *text = NULL;
  return vasprintf(&text, message, given) < 0 ? "" : text;
}

/* NOTE_FORMATTED notes an error with what message and the arguments behind it say, and declares that text. */
#define NOTE_FORMATTED(text, message) \
  va_list given; \
  va_start(given, message); \
  const char *text = formatted(message, given); \
  va_end(given); \
  note(runtime_error, text, LG_CFA)

LG_EXPORT void _gfortran_runtime_error(const char *message, ...)
{
  static void *known;
  NOTE_FORMATTED(text, message);
  REAL(_gfortran_runtime_error)("%s", text);
}

LG_EXPORT void _gfortran_runtime_error_at(const char *where, const char *message, ...)
{
  static void *known;
  NOTE_FORMATTED(text, message);
  REAL(_gfortran_runtime_error_at)(where, "%s", text);
}

LG_EXPORT void _gfortran_os_error_at(const char *where, const char *message, ...)
{
  static void *known;
  NOTE_FORMATTED(text, message);
  REAL(_gfortran_os_error_at)(where, "%s", text);
}

LG_EXPORT void _gfortran_os_error(const char *message)
{
  static void *known;
  note(runtime_error, message, LG_CFA);
  REAL(_gfortran_os_error)(message);
}

/* The length is an int up to libgfortran 4; quiet comes with 5. */

LG_EXPORT void _gfortran_stop_string(const char *text, size_t n, long quiet)
{
  static void *known;
  note_string(stop, text, (uint32_t)n, LG_CFA);
  REAL(_gfortran_stop_string)(text, n, quiet);
}

LG_EXPORT void _gfortran_error_stop_string(const char *text, size_t n, long quiet)
{
  static void *known;
  note_string(error_stop, text, (uint32_t)n, LG_CFA);
  REAL(_gfortran_error_stop_string)(text, n, quiet);
}

static void note_number(const char *type, int code, uint64_t cfa)
{
  char text[16];
  snprintf(text, sizeof text, "%d", code);
  note(type, text, cfa);
}

LG_EXPORT void _gfortran_stop_numeric(int code, long quiet)
{
  static void *known;
  note_number(stop, code, LG_CFA);
  REAL(_gfortran_stop_numeric)(code, quiet);
}

LG_EXPORT void _gfortran_error_stop_numeric(int code, long quiet)
{
  static void *known;
  note_number(error_stop, code, LG_CFA);
  REAL(_gfortran_error_stop_numeric)(code, quiet);
}
