#include <string.h>
#include "base/leb.h"
#include "file/rank.h"
#include "format.h"
#include "mpi/family.h"
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

#define TYPES 128 /* at most */
#define OPENMPI_TYPE "ompi_mpi_" /* what the names of its variables begin with */

static long predefined[TYPES];
static uint32_t npredefined;

const long *lg_predefined_types(uint32_t *n)
{
  *n = npredefined;
  return predefined;
}

static void find_types(void)
{
  char name[64] = OPENMPI_TYPE;
  size_t n = sizeof openmpi_types / sizeof *openmpi_types;
  if (lg_fam.handle_bytes == 4) {
    npredefined = sizeof mpich_types / sizeof *mpich_types;
    for (uint32_t i = 0; i < npredefined; i++)
      predefined[i] = (int)mpich_types[i]; /* as a handle comes: those of pairs are negative */
    return;
  }
  for (size_t i = 0; i < n && npredefined < TYPES; i++) {
    strcpy(name + strlen(OPENMPI_TYPE), openmpi_types[i]);
    long h = (long)lg_visible(name);
    if (h)
      predefined[npredefined++] = h;
  }
}

/* ---- no object ---- */

/* By kind: OpenMPI's variable, MPICH's number, and who makes a C handle of
 * Fortran's. */
static const struct {
  int kind;
  const char *openmpi;
  long mpich;
  const char *f2c;
} nulls[] = {
    {P_comm, "ompi_mpi_comm_null", 0x04000000, "PMPI_Comm_f2c"},
    {P_win, "ompi_mpi_win_null", 0x20000000, "PMPI_Win_f2c"},
    {P_file, "ompi_mpi_file_null", 0, "PMPI_File_f2c"},
    {P_datatype, "ompi_mpi_datatype_null", 0x0c000000, "PMPI_Type_f2c"},
    {P_request, "ompi_request_null", 0x2c000000, "PMPI_Request_f2c"},
    {P_message, "ompi_message_null", 0x2c000000, "PMPI_Message_f2c"},
    {P_group, "ompi_mpi_group_null", 0x08000000, "PMPI_Group_f2c"},
    {P_op, "ompi_mpi_op_null", 0x18000000, "PMPI_Op_f2c"},
    {P_info, "ompi_mpi_info_null", 0x1c000000, "PMPI_Info_f2c"},
    {P_errhandler, "ompi_mpi_errhandler_null", 0x14000000, "PMPI_Errhandler_f2c"},
    {P_session, "ompi_mpi_instance_null", 0x38000000, "PMPI_Session_f2c"},
};

#define KINDS (P_session + 1)
static long null_of[KINDS];
static long (*f2c_of[KINDS])(long);

void lg_constants_start(void)
{
  find_types();
  for (unsigned i = 0; i < sizeof nulls / sizeof *nulls; i++) {
    bool numbers = lg_fam.handle_bytes == 4;
    null_of[nulls[i].kind] = numbers ? nulls[i].mpich : (long)lg_visible(nulls[i].openmpi);
    f2c_of[nulls[i].kind] = numbers ? NULL : (long (*)(long))lg_find_symbol(nulls[i].f2c);
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
    {P_group, {"MPI_GROUP_EMPTY", "ompi_mpi_group_empty", 0x48000000}},
    {P_info, {"MPI_INFO_ENV", "ompi_mpi_info_env", 0x5c000001}},
    {P_errhandler, {"MPI_ERRORS_ARE_FATAL", "ompi_mpi_errors_are_fatal", 0x54000000}},
    {P_errhandler, {"MPI_ERRORS_RETURN", "ompi_mpi_errors_return", 0x54000001}},
    {P_errhandler, {"MPI_ERRORS_ABORT", "ompi_mpi_errors_abort", 0x54000003}},
    {P_message, {"MPI_MESSAGE_NO_PROC", "ompi_message_no_proc", 0x6c000000}},
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
