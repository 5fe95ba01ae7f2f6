/* A program that makes collectives, in C and as Fortran does, in a loop and behind a
 * branch. The two jumps that decide have names. */
#include <stdio.h>

extern int MPI_Init(int *, char ***), MPI_Barrier(int), MPI_Bcast(void *, int, int, int, int), MPI_Finalize(void),
    MPI_Gather(const void *, int, int, void *, int, int, int, int);
extern void mpi_bcast_(void *, int *, int *, int *, int *, int *);

#ifdef __aarch64__
#define LESS "b.lt"
#define EQUAL "b.eq"
#define COMPARE(number) "cmp %w0, " #number
#else
#define LESS "jl"
#define EQUAL "je"
#define COMPARE(number) "cmp $" #number ", %0"
#endif

static volatile int world = 5, other = 6;
static int codes;

static void fortran(void)
{
  static double x;
  static int count = 3, type = 11, root = 2, comm = 5;
  int code = -1;
  mpi_bcast_(&x, &count, &type, &root, &comm, &code);
  codes |= code;
}

static __attribute__((noinline)) void work(int *in, int *out)
{
  volatile int odd = 0;
  codes |= MPI_Barrier(world);
  codes |= MPI_Bcast(in, 4, 10, 0, world);
  codes |= MPI_Gather(in, 1, 10, out, 2, 11, 1, other);
  for (int i = 0;;) {
    codes |= MPI_Bcast(out, 1, 11, 3, other);
    i++;
    /* The loop ends when i is 3. */
    __asm__ goto(COMPARE(3) "\n.globl around\naround:\n\t" LESS " %l1" : : "r"(i) : "cc" : more);
    break;
  more:;
  }
  __asm__ goto(COMPARE(0) "\n.globl apart\napart:\n\t" EQUAL " %l1" : : "r"(odd) : "cc" : past);
  codes |= MPI_Barrier(other);
past:
  fortran();
}

int main(int argc, char **argv)
{
  int in = 1, out = 0;
  MPI_Init(&argc, &argv);
  work(&in, &out);
  MPI_Finalize();
  fprintf(stderr, "ends with %d\n", codes);
  return 0;
}
