/* The halo of a block-structured mesh: each rank has blocks of different sizes, and packs the faces of
 * all into one message for its neighbour. The receiver answers whether the message came whole; if
 * not, it is sent again. Arguments:
 *   stale   a few times one small block is not packed, so its face is that of the step before
 *   slot    one rank takes a message that is to be sent again from the other of two buffers, at times */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCKS = 12, STEPS = 200, RARE = 40, SMALL = 7, FACES = 2, AGAIN = 25, DATA = 1, ANSWER = 2 };

struct block {
  int rows, columns;
  double *cells;
};

static struct block blocks[BLOCKS];
static int rank, size, total;

static void make(void)
{
  for (int b = 0; b < BLOCKS; b++) {
    struct block *k = &blocks[b];
    k->rows = b == SMALL ? 2 : 4 + b % 5;
    k->columns = 8;
    k->cells = calloc(k->rows * k->columns, sizeof *k->cells);
    total += k->rows;
  }
}

static void pack(double *face, int without)
{
  for (int b = 0; b < BLOCKS; face += blocks[b++].rows)
    for (int i = 0; b != without && i < blocks[b].rows; i++)
      memcpy(face + i, &blocks[b].cells[i * blocks[b].columns + blocks[b].columns - 2], sizeof *face);
}

static void unpack(const double *face)
{
  for (int b = 0; b < BLOCKS; face += blocks[b++].rows)
    for (int i = 0; i < blocks[b].rows; i++)
      memcpy(&blocks[b].cells[i * blocks[b].columns], face + i, sizeof *face);
}

static void advance(void)
{
  for (int b = 0; b < BLOCKS; b++)
    for (int i = 1; i < blocks[b].rows * blocks[b].columns - 1; i++)
      blocks[b].cells[i] = (blocks[b].cells[i - 1] + blocks[b].cells[i + 1]) / 2;
}

/* Whether the message of a rank in a step comes damaged the first time. */
static int damaged(int from, int step) { return (step * 7 + from * 11) % AGAIN == 3; }

static void exchange(double *face, double *other, double *halo, int step)
{
  int left = (rank + size - 1) % size, right = (rank + 1) % size, tries = damaged(left, step), sent = 0, whole;
  MPI_Request r, a;
  do {
    MPI_Irecv(halo, total, MPI_DOUBLE, left, DATA, MPI_COMM_WORLD, &r);
    if (!sent) {
      MPI_Send(face, total, MPI_DOUBLE, right, DATA, MPI_COMM_WORLD);
      MPI_Irecv(&whole, 1, MPI_INT, right, ANSWER, MPI_COMM_WORLD, &a);
    }
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    int good = tries == 0;
    MPI_Send(&good, 1, MPI_INT, left, ANSWER, MPI_COMM_WORLD);
    if (!sent)
      MPI_Wait(&a, MPI_STATUS_IGNORE);
    sent = 1;
    if (!whole) {
      MPI_Send(other, total, MPI_DOUBLE, right, DATA, MPI_COMM_WORLD);
      MPI_Recv(&whole, 1, MPI_INT, right, ANSWER, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
  } while (tries-- > 0);
  unpack(halo);
}

int main(int argc, char **argv)
{
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int stale = argc > 1 && !strcmp(argv[1], "stale"), slot = argc > 1 && !strcmp(argv[1], "slot");
  make();
  double *face[FACES], *halo = malloc(total * sizeof *halo);
  for (int i = 0; i < FACES; i++)
    face[i] = calloc(total, sizeof *face[i]);
  for (int step = 0; step < STEPS; step++) {
    double *mine = face[step % FACES], *other = face[(step + 1) % FACES];
    pack(mine, stale && step % RARE == RARE / 2 ? SMALL : -1);
    exchange(mine, slot && rank == size / 2 && step % 2 ? other : mine, halo, step);
    advance();
  }
  MPI_Finalize();
  return 0;
}
