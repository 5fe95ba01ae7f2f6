#include <string.h>
#include "base/leb.h"
#include "file/rank.h"
#include "format.h"
#include "mpi/family.h"
#include "mpi/handle.h"
#include "mpi/reduction.h"
#include "mpi/symbol.h"
#include "mpi/table.h"
#include "usage/constants.h"
#include "usage/event.h"

static const char *const openmpi_types[] = {
    "ub", "lb", "byte", "packed", "char", "short", "int", "long", "float", "double", "long_double",
    "unsigned_char", "signed_char", "unsigned_short", "unsigned_long", "unsigned", "float_int", "double_int",
    "longdbl_int", "long_int", "short_int", "2int", "wchar", "long_long_int", "unsigned_long_long", "2cplex",
    "2dblcplex", "character", "logical", "logical1", "logical2", "logical4", "logical8", "integer", "integer1",
    "integer2", "integer4", "integer8", "integer16", "real", "real4", "real8", "real16", "dblprec", "cplex",
    "complex8", "complex16", "complex32", "dblcplex", "2real", "2dblprec", "2integer", "int8_t", "uint8_t",
    "int16_t", "uint16_t", "int32_t", "uint32_t", "int64_t", "uint64_t", "aint", "offset", "c_bool",
    "c_float_complex", "c_double_complex", "c_long_double_complex", "cxx_bool", "cxx_cplex", "cxx_dblcplex",
    "cxx_ldblcplex", "count", "ldblcplex", "real2", "c_complex",
};

static const uint32_t mpich_types[] = {
    0x4c000101, 0x4c000118, 0x4c000102, 0x4c00010d, 0x4c00040e, 0x4c000203, 0x4c000204, 0x4c000405, 0x4c000406,
    0x4c000807, 0x4c000808, 0x4c00040a, 0x4c00080b, 0x4c00100c, 0x4c000809, 0x4c000819, 0x4c00010f, 0x4c000010,
    0x4c000011, 0x8c000000, 0x8c000001, 0x8c000002, 0x8c000003, 0x4c000816, 0x8c000004, 0x4c00081e, 0x4c001022,
    0x4c00041d, 0x4c00041c, 0x4c00081f, 0x4c00041b, 0x4c000820, 0x4c000821, 0x4c001023, 0x4c00011a, 0x4c000427,
    0x4c000829, 0x4c00102b, 0x4c000828, 0x4c00102a, 0x4c00202c, 0x4c00012d, 0x4c00022f, 0x4c000430, 0x4c000831,
    0x4c000137, 0x4c000238, 0x4c000439, 0x4c00083a, 0x4c00013b, 0x4c00023c, 0x4c00043d, 0x4c00083e, 0x4c00013f,
    0x4c000840, 0x4c001041, 0x4c002042, 0x4c000843, 0x4c000844, 0x4c000845, 0x4c000133, 0x4c000834, 0x4c001035,
    0x4c002036,
};

static const uint16_t standard_types[] = {
    0x201, 0x202, 0x203, 0x207, 0x208, 0x209, 0x20a, 0x20b, 0x20c, 0x20d, 0x20e, 0x20f, 0x210, 0x212, 0x213, 0x214,
    0x216, 0x217, 0x218, 0x219, 0x21a, 0x21b, 0x21c, 0x21d, 0x21e, 0x220, 0x224, 0x225, 0x228, 0x229, 0x22a, 0x22b,
    0x22c, 0x22d, 0x230, 0x231, 0x232, 0x238, 0x239, 0x23c, 0x240, 0x241, 0x243, 0x244, 0x245, 0x247, 0x248, 0x249,
    0x250, 0x251, 0x258, 0x259, 0x2c0, 0x2c1, 0x2c8, 0x2c9, 0x2ca, 0x2d0, 0x2d1, 0x2d2, 0x2d3, 0x2d8, 0x2d9, 0x2da,
    0x2db, 0x2e0, 0x2e1, 0x2e2, 0x2e3, 0x2eb,
};

#define TYPES 128 /* at most */
#define OPENMPI_TYPE "ompi_mpi_" /* what the names of its variables begin with */

static long predefined[TYPES];
static uint32_t npredefined;

const long *lg_predefined_types(uint32_t *n)
{
  *n = npredefined;
  return predefined;
}

static void number_types(void)
{
  bool mpich = lg_fam.id == LG_FAMILY_MPICH;
  npredefined = mpich ? sizeof mpich_types / sizeof *mpich_types : sizeof standard_types / sizeof *standard_types;
  for (uint32_t i = 0; i < npredefined; i++)
    predefined[i] = mpich ? (int)mpich_types[i] : standard_types[i]; /* as a handle comes: MPICH's of pairs are negative */
}

static void find_types(void)
{
  char name[64] = OPENMPI_TYPE;
  size_t n = sizeof openmpi_types / sizeof *openmpi_types;
  if (lg_fam.id != LG_FAMILY_OPENMPI)
    return number_types();
  for (size_t i = 0; i < n && npredefined < TYPES; i++) {
    strcpy(name + strlen(OPENMPI_TYPE), openmpi_types[i]);
    long h = (long)lg_visible(name);
    if (h)
      predefined[npredefined++] = h;
  }
}

/* ---- no object ---- */

/* By kind: what MPI's functions call it (see lg_from_fortran), and its null. */
static const struct {
  int kind;
  const char *object;
  struct lg_named null;
} nulls[] = {
    {P_comm, "Comm", {"MPI_COMM_NULL", "ompi_mpi_comm_null", 0x04000000, 0x100}},
    {P_win, "Win", {"MPI_WIN_NULL", "ompi_mpi_win_null", 0x20000000, 0x110}},
    {P_file, "File", {"MPI_FILE_NULL", "ompi_mpi_file_null", 0, 0x118}},
    {P_datatype, "Type", {"MPI_DATATYPE_NULL", "ompi_mpi_datatype_null", 0x0c000000, 0x200}},
    {P_request, "Request", {"MPI_REQUEST_NULL", "ompi_request_null", 0x2c000000, 0x180}},
    {P_message, "Message", {"MPI_MESSAGE_NULL", "ompi_message_null", 0x2c000000, 0x128}},
    {P_group, "Group", {"MPI_GROUP_NULL", "ompi_mpi_group_null", 0x08000000, 0x108}},
    {P_op, "Op", {"MPI_OP_NULL", "ompi_mpi_op_null", 0x18000000, 0x20}},
    {P_info, "Info", {"MPI_INFO_NULL", "ompi_mpi_info_null", 0x1c000000, 0x130}},
    {P_errhandler, "Errhandler", {"MPI_ERRHANDLER_NULL", "ompi_mpi_errhandler_null", 0x14000000, 0x140}},
    {P_session, "Session", {"MPI_SESSION_NULL", "ompi_mpi_instance_null", 0x38000000, 0x120}},
};

#define KINDS (P_session + 1)
static long null_of[KINDS];
static lg_converter f2c_of[KINDS];

void lg_constants_start(void)
{
  if (npredefined)
    return;
  find_types();
  for (unsigned i = 0; i < sizeof nulls / sizeof *nulls; i++) {
    null_of[nulls[i].kind] = lg_named_handle(&nulls[i].null);
    f2c_of[nulls[i].kind] = lg_fam.handle_bytes == 4 ? NULL : lg_from_fortran(nulls[i].object);
  }
}

bool lg_is_null(int kind, long handle)
{
  return handle == null_of[kind] && (handle || kind == P_file);
}

long lg_f2c(int kind, int handle)
{
  if (lg_fam.handle_bytes == 4)
    return handle;
  return f2c_of[kind] && lg_mpi_usable() ? f2c_of[kind](handle) : 0;
}

/* ---- names ---- */

static const struct {
  uint8_t kind;
  struct lg_named object;
} names[] = {
    {P_group, {"MPI_GROUP_EMPTY", "ompi_mpi_group_empty", 0x48000000, 0x109}},
    {P_info, {"MPI_INFO_ENV", "ompi_mpi_info_env", 0x5c000001, 0x131}},
    {P_errhandler, {"MPI_ERRORS_ARE_FATAL", "ompi_mpi_errors_are_fatal", 0x54000000, 0x141}},
    {P_errhandler, {"MPI_ERRORS_RETURN", "ompi_mpi_errors_return", 0x54000001, 0x143}},
    {P_errhandler, {"MPI_ERRORS_ABORT", "ompi_mpi_errors_abort", 0x54000003, 0x142}},
    {P_message, {"MPI_MESSAGE_NO_PROC", "ompi_message_no_proc", 0x6c000000, 0x129}},
};

static void define(struct lg_usage *u, int kind, const struct lg_named *object)
{
  long value = lg_named_handle(object);
  size_t len = strlen(object->name);
  unsigned char *p = value ? lg_event_begin(u, LG_NUMBERS(6) + len) : NULL;
  if (!p)
    return;
  p = lg_event_head(p, LG_USE_DEFINE, LG_DEF_NAME);
  *p++ = (unsigned char)kind;
  p = lg_put_s(p, value);
  p = lg_put_u(p, len);
  memcpy(p, object->name, len);
  lg_event_end(u, p + len);
}

void lg_constants_define(struct lg_usage *u)
{
  for (uint32_t i = 0; i < lg_nreductions; i++)
    define(u, P_op, &lg_reductions[i]);
  for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
    define(u, names[i].kind, &names[i].object);
}
