// np: 5
// odd: 0
// kind: skipped
// call: MPI_Bcast 36
// branch: 33
// ends: yes
// why: rank 0 does not announce a material that has not changed; the others take its seed for the sizes, and crash

// Tables of cross sections: rank 0 reads them, all look them up.
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#define BINS 64

typedef struct {
  int bins;
  int changed;
  double energy[BINS];
} material_t;

typedef struct {
  MPI_Comm comm;
  int rank;
  material_t mat;
  int width, groups; /* bins of the material as announced, and of how many groups */
  int terse;         /* only the bins are announced */
} tables_t;

/* announce says how many bins a material has, and makes room for them. */
static void announce(tables_t *t)
{
  if (t->rank == 0 && !t->mat.changed)
    return;
  int sizes[2] = {t->mat.bins, 2};
  MPI_Bcast(sizes, t->terse ? 1 : 2, MPI_INT, 0, t->comm);
  t->width = sizes[0], t->groups = sizes[1];
  for (int b = 0; b < t->width; b++)
    t->mat.energy[b] = 0;
}

/* share gives all ranks the seed of the material, which tells its bins apart. */
static void share(tables_t *t, int step)
{
  int seed = 1000000007 + step;
  MPI_Bcast(&seed, 1, MPI_INT, 0, t->comm);
  for (int b = 0; b < t->width; b++)
    t->mat.energy[b] += seed % (b + 2);
}

static double lookup(const tables_t *t)
{
  double sum = 0;
  for (int b = 0; b < t->width; b++)
    sum += t->mat.energy[b];
  return sum;
}

int main(int argc, char **argv)
{
  MPI_Init(&argc, &argv);
  tables_t t = {.comm = MPI_COMM_WORLD};
  MPI_Comm_rank(t.comm, &t.rank);
  t.mat.bins = BINS / 4;
  t.terse = argc > 1 && strcmp(argv[1], "terse") == 0;
  int hang = t.terse || argc > 1 && strcmp(argv[1], "hang") == 0;
  double total = 0;
  for (int step = 0; step < 6; step++) {
    t.mat.changed = step != 4 || !hang;
    announce(&t);
    share(&t, step);
    double sum = lookup(&t), all = 0;
    MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, t.comm);
    total += all;
  }
  if (t.rank == 0)
    printf("%g\n", total);
  MPI_Finalize();
}
