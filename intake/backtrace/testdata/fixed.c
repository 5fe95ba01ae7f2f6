/* A program that stays at the addresses in its file, with the name of a function
 * of MPI, as on machines whose programs contain the library. */
int MPI_Recv(int from) { return from + 1; }

int exchange(int turn)
{
  return MPI_Recv(turn) + 1; /* line 7 */
}

int main(int argc, char **argv)
{
  (void)argv;
  return exchange(argc) + 1; /* line 13 */
}
