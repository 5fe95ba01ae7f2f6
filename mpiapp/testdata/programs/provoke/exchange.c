/* A stencil on a row of ranks. As "race" both neighbours send their borders first, which
 * works as long as MPI buffers them; as "right" even ranks send first and odd ones
 * receive first. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CELLS = 64, STEPS = 20 };

struct strip {
  double cell[CELLS + 2];
  int left, right, rank;
};

static void send_border(const double *border, int to, int tag)
{
  MPI_Send(border, 1, MPI_DOUBLE, to, tag, MPI_COMM_WORLD);
}

static void receive_border(double *border, int from, int tag)
{
  MPI_Recv(border, 1, MPI_DOUBLE, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void exchange_eagerly(struct strip *s)
{
  send_border(&s->cell[CELLS], s->right, 1);
  send_border(&s->cell[1], s->left, 2);
  receive_border(&s->cell[0], s->left, 1);
  receive_border(&s->cell[CELLS + 1], s->right, 2);
}

static void exchange_by_parity(struct strip *s)
{
  if (s->rank % 2 == 0) {
    send_border(&s->cell[CELLS], s->right, 1);
    receive_border(&s->cell[0], s->left, 1);
    send_border(&s->cell[1], s->left, 2);
    receive_border(&s->cell[CELLS + 1], s->right, 2);
  } else {
    receive_border(&s->cell[0], s->left, 1);
    send_border(&s->cell[CELLS], s->right, 1);
    receive_border(&s->cell[CELLS + 1], s->right, 2);
    send_border(&s->cell[1], s->left, 2);
  }
}

static void relax(struct strip *s)
{
  double next[CELLS + 2];
  for (int i = 1; i <= CELLS; i++)
    next[i] = 0.5 * s->cell[i] + 0.25 * (s->cell[i - 1] + s->cell[i + 1]);
  memcpy(&s->cell[1], &next[1], CELLS * sizeof *next);
}

int main(int argc, char **argv)
{
  struct strip s = {{0}};
  int ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &s.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  s.left = s.rank > 0 ? s.rank - 1 : MPI_PROC_NULL;
  s.right = s.rank < ranks - 1 ? s.rank + 1 : MPI_PROC_NULL;
  for (int i = 1; i <= CELLS; i++)
    s.cell[i] = s.rank;
  for (int step = 0; step < STEPS; step++) {
    if (strcmp(argv[1], "race") == 0)
      exchange_eagerly(&s);
    else
      exchange_by_parity(&s);
    relax(&s);
  }
  MPI_Finalize();
  return 0;
}
