/* Calls MPI with arguments that are never the same, so that a recording of them
 * cannot be packed, until it is killed. */
#include <mpi.h>
#include <stdint.h>

int main(int argc, char **argv)
{
  static char buffer[1 << 20];
  uint64_t x = 88172645463325252ull;
  MPI_Init(&argc, &argv);
  for (;;) {
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    MPI_Send(buffer + (x & 0x7ffff), (int)(x >> 20 & 0x7ffff), MPI_CHAR, MPI_PROC_NULL, (int)(x >> 40 & 0x7fff), MPI_COMM_WORLD);
  }
}
