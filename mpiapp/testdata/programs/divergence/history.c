// np: 6
// odd: 4
// kind: extra
// call: MPI_Alltoall 31
// branch: 58
// why: two tasks for output are told of an error by the library, and only one of them returns; the condition around that is theirs alike
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LOCAL = 8, VARIABLES = 4 };

typedef struct {
  MPI_Comm all, output;
  int rank, size, writes;
} tasks;

typedef struct {
  tasks *tasks;
  int records;
  double written;
} file;

static int rearrange(tasks *t, const double *field, double *lines)
{
  double *all = calloc((size_t)t->size * LOCAL, sizeof *all), *from = calloc((size_t)t->size * LOCAL, sizeof *from);
  for (int i = 0; i < LOCAL; i++)
    all[(t->rank / 2 * 2) * LOCAL + i] = field[i];
  MPI_Alltoall(all, LOCAL, MPI_DOUBLE, from, LOCAL, MPI_DOUBLE, t->all);
  memcpy(lines, from, (size_t)t->size * LOCAL * sizeof *from);
  free(all);
  free(from);
  return t->writes ? t->size * LOCAL : 0;
}

static int put_lines(tasks *t, const double *lines, int n, double *total)
{
  int status = 0;
  double local = 0;
  for (int i = 0; i < n; i++) {
    if (fabs(lines[i]) > 1e30)
      status = -60;
    local += lines[i] * 1e-30;
  }
  MPI_Allreduce(&local, total, 1, MPI_DOUBLE, MPI_SUM, t->output);
  return status; /* its own */
}

static int write_variable(file *f, const double *field)
{
  tasks *t = f->tasks;
  double *lines = malloc((size_t)t->size * LOCAL * sizeof *lines);
  int error = 0, n = rearrange(t, field, lines);
  if (t->writes) {
    error = put_lines(t, lines, n, &f->written);
    if (error) {
      free(lines);
      fprintf(stderr, "task %d: error %d\n", t->rank, error);
      return error;
    }
  }
  free(lines);
  MPI_Bcast(&error, 1, MPI_INT, 0, t->all);
  if (error)
    return error;
  int records = f->records + 1;
  MPI_Allreduce(&records, &f->records, 1, MPI_INT, MPI_MAX, t->all);
  return 0;
}

int main(int argc, char **argv)
{
  int hang = argc > 1 && strcmp(argv[1], "hang") == 0;
  tasks t;
  MPI_Init(&argc, &argv);
  MPI_Comm_dup(MPI_COMM_WORLD, &t.all);
  MPI_Comm_rank(t.all, &t.rank);
  MPI_Comm_size(t.all, &t.size);
  t.writes = t.rank % 2 == 0;
  MPI_Comm_split(t.all, t.writes, t.rank, &t.output);
  for (int step = 0; step < 3; step++) {
    file f = {&t, 0, 0};
    for (int v = 0; v < VARIABLES; v++) {
      double field[LOCAL];
      for (int i = 0; i < LOCAL; i++)
        field[i] = i + v + (hang && step == 1 && v == 2 && t.rank == 5 ? 1e35 : 0);
      if (write_variable(&f, field))
        fprintf(stderr, "task %d: variable %d is not written\n", t.rank, v);
    }
  }
  MPI_Finalize();
  return 0;
}
