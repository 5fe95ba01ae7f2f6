/* Buffers that are shorter than what a call puts there, or are none: diedbuffers MODE [right]. With "right" the program is correct.
 * Rank 2 is the one that dies. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define VICTIM 2
#define SHORT 100
#define LONG 4000000 /* beyond any slack behind a buffer */

static int rank, size;
static int right;

static double halo[SHORT];
static double *field; /* of LONG elements */
static const double table[SHORT] = {1};

/* bring has a message of n doubles sent to the victim. */
static void bring(int n)
{
  if (rank == 0)
    MPI_Send(field, n, MPI_DOUBLE, VICTIM, 3, MPI_COMM_WORLD);
}

/* block receives into a block of the heap that was made for another size. */
static void block(void)
{
  int n = right ? LONG : SHORT;
  double *in = malloc((size_t)n * sizeof *in);
  bring(LONG);
  if (rank == VICTIM)
    MPI_Recv(in, LONG, MPI_DOUBLE, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  free(in);
}

/* mapped sends from one that is so large that it has a mapping of its own. */
static void mapped(void)
{
  int n = right ? LONG : LONG / 8;
  double *out = calloc((size_t)n, sizeof *out);
  if (rank == VICTIM)
    MPI_Bsend(out, right ? n : 50 * LONG, MPI_DOUBLE, 0, 3, MPI_COMM_WORLD);
  free(out);
}

/* statically receives into a variable that is too short. */
static void statically(void)
{
  int n = right ? SHORT : LONG;
  bring(n);
  if (rank == VICTIM)
    MPI_Recv(halo, n, MPI_DOUBLE, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* sum adds up more elements than its local array has. */
static void __attribute__((noinline)) sum(int n)
{
  double all[SHORT];
  MPI_Reduce(field, all, n, MPI_DOUBLE, MPI_SUM, VICTIM, MPI_COMM_WORLD);
  if (all[0] > 1)
    printf("%g\n", all[0]);
}

static void local(void)
{
  sum(right ? SHORT : LONG);
}

/* nothing passes the null pointer of an allocation that was left out. */
static void nothing(void)
{
  double *out = rank == VICTIM && !right ? NULL : field;
  if (rank == VICTIM)
    MPI_Send(out, SHORT, MPI_DOUBLE, 0, 3, MPI_COMM_WORLD);
  if (rank == 0)
    MPI_Recv(field, SHORT, MPI_DOUBLE, VICTIM, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* unmapped broadcasts into memory that was given back. */
static void unmapped(void)
{
  size_t bytes = SHORT * sizeof(double) * 1000;
  double *in = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  memset(in, 0, bytes);
  if (rank == VICTIM && !right)
    munmap(in, bytes);
  MPI_Bcast(in, SHORT, MPI_DOUBLE, 0, MPI_COMM_WORLD);
}

/* constant receives into what cannot be written. */
static void constant(void)
{
  bring(SHORT);
  if (rank == VICTIM)
    MPI_Recv(right ? halo : (double *)table, SHORT, MPI_DOUBLE, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* columns sends columns of a matrix that is smaller than the datatype says. */
static void columns(void)
{
  MPI_Datatype column;
  int rows = 1000, stride = right ? 1000 : 4000000;
  double *matrix = calloc(1000 * 1000, sizeof *matrix);
  MPI_Type_vector(rows, 1, stride, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
  if (rank == VICTIM)
    MPI_Send(matrix, 1, column, 0, 3, MPI_COMM_WORLD);
  if (rank == 0)
    MPI_Recv(field, rows, MPI_DOUBLE, VICTIM, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Type_free(&column);
  free(matrix);
}

/* later receives without blocking into a short block; the wait dies. */
static void later(void)
{
  int n = right ? LONG : SHORT;
  double *in = malloc((size_t)n * sizeof *in);
  MPI_Request request = MPI_REQUEST_NULL;
  if (rank == VICTIM)
    MPI_Irecv(in, LONG, MPI_DOUBLE, 0, 3, MPI_COMM_WORLD, &request);
  MPI_Barrier(MPI_COMM_WORLD);
  bring(LONG);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  free(in);
}

int main(int argc, char **argv)
{
  static const struct {
    const char *name;
    void (*run)(void);
  } modes[] = {{"block", block}, {"mapped", mapped}, {"static", statically}, {"local", local}, {"null", nothing}, {"unmapped", unmapped},
               {"constant", constant}, {"columns", columns}, {"later", later}};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  field = calloc(LONG, sizeof *field);
  right = argc > 2 && strcmp(argv[2], "right") == 0;
  for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
    if (argc > 1 && strcmp(argv[1], modes[i].name) == 0)
      modes[i].run();
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
