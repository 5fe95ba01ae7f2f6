/* Sends that do not block, whose buffer is changed before they are complete: those
 * with a tag from 100 (and the collective, if it has a count of 100 or more). The
 * others are as close to it as is allowed. For two ranks. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { BIG = 1 << 20 };

static int a[BIG], b[BIG];
static int rank;

/* wait_all receives what was sent, at the other rank, and completes it here. */
static void finish(int n, MPI_Request *q)
{
  MPI_Waitall(n, q, MPI_STATUSES_IGNORE);
}

static void receive(int n)
{
  for (int i = 0; i < n; i++)
    MPI_Recv(b, BIG, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void sender(void)
{
  MPI_Request q[3], copy;
  MPI_Datatype gaps, nested, sub;
  int sizes[2] = {8, 8}, part[2] = {2, 3}, at[2] = {1, 2}, index, flag = 0;
  MPI_Type_vector(3, 1, 2, MPI_INT, &gaps);
  MPI_Type_contiguous(2, gaps, &nested);
  MPI_Type_commit(&nested);
  MPI_Type_create_subarray(2, sizes, part, at, MPI_ORDER_C, MPI_INT, &sub);
  MPI_Type_commit(&sub);

  MPI_Isend(a, 4, MPI_INT, 1, 100, MPI_COMM_WORLD, q);
  a[3]++;
  finish(1, q);
  MPI_Isend(a, 4, MPI_INT, 1, 1, MPI_COMM_WORLD, q);
  a[4]++; /* behind it */
  finish(1, q);
  MPI_Isend(a, BIG, MPI_INT, 1, 101, MPI_COMM_WORLD, q); /* not complete at once */
  a[BIG - 1]++;
  finish(1, q);
  MPI_Isend(a, 1, nested, 1, 2, MPI_COMM_WORLD, q);
  a[1]++, a[3]++, a[6]++; /* gaps; the second begins at 5 */
  finish(1, q);
  MPI_Isend(a, 1, nested, 1, 102, MPI_COMM_WORLD, q);
  a[7]++;
  finish(1, q);
  MPI_Isend(a, 1, sub, 1, 3, MPI_COMM_WORLD, q);
  a[9]++, a[13]++, a[26]++; /* before, behind and below the part */
  finish(1, q);
  MPI_Isend(a, 1, sub, 1, 103, MPI_COMM_WORLD, q);
  a[20]++; /* its last */
  finish(1, q);
  MPI_Isend(a, 4, MPI_INT, 1, 104, MPI_COMM_WORLD, &q[0]); /* these share a handle */
  MPI_Isend(b, 4, MPI_INT, 1, 4, MPI_COMM_WORLD, &q[1]);
  a[0]++;
  MPI_Waitany(2, q, &index, MPI_STATUS_IGNORE);
  MPI_Waitany(2, q, &index, MPI_STATUS_IGNORE);
  MPI_Isend(a, 4, MPI_INT, 1, 5, MPI_COMM_WORLD, &q[0]);
  MPI_Isend(b, 4, MPI_INT, 1, 5, MPI_COMM_WORLD, &q[1]);
  finish(1, &q[1]);
  b[0]++; /* that one is complete */
  while (!flag)
    MPI_Test(&q[0], &flag, MPI_STATUS_IGNORE);
  MPI_Isend(a, 4, MPI_INT, 1, 6, MPI_COMM_WORLD, &q[0]);
  copy = q[0];
  finish(1, &copy);
  MPI_Send_init(a, 4, MPI_INT, 1, 7, MPI_COMM_WORLD, q);
  a[0]++;
  MPI_Start(q);
  finish(1, q);
  a[0]++; /* between two starts */
  MPI_Start(q);
  finish(1, q);
  MPI_Request_free(q);
  MPI_Send_init(a, 4, MPI_INT, 1, 105, MPI_COMM_WORLD, q);
  MPI_Start(q);
  a[0]++;
  finish(1, q);
  MPI_Request_free(q);
  int *there = mmap(NULL, BIG, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  MPI_Isend(there, 4, MPI_INT, 1, 8, MPI_COMM_WORLD, q);
  munmap(there, BIG); /* wrong too, but there is nothing to read */
  finish(1, q);
  MPI_Isend(a, 0, MPI_INT, 1, 9, MPI_COMM_WORLD, q);
  a[0]++;
  finish(1, q);
  MPI_Type_free(&gaps);
  MPI_Type_free(&nested);
  MPI_Type_free(&sub);
}

int main(int argc, char **argv)
{
  MPI_Request q;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0)
    sender();
  else
    receive(17);
  MPI_Ibcast(a, 100, MPI_INT, 0, MPI_COMM_WORLD, &q);
  if (rank == 0)
    a[99]++;
  finish(1, &q);
  MPI_Ibcast(a, 10, MPI_INT, 1, MPI_COMM_WORLD, &q); /* rank 0 only receives */
  finish(1, &q);
  MPI_Iallreduce(a, b, 10, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &q);
  if (rank == 0)
    a[10]++;
  finish(1, &q);
  MPI_Finalize();
  return 0;
}
