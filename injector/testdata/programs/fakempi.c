/* What an MPI library looks like from outside: every call has two names. */
int calls;

#define CALL(name)                                        \
  int P##name(int x)                                      \
  {                                                       \
    calls += x;                                           \
    return calls;                                         \
  }                                                       \
  int name(int x) __attribute__((weak, alias("P" #name)))

CALL(MPI_Init);
CALL(MPI_Comm_rank);
CALL(MPI_Comm_dup);
CALL(MPI_Send);
CALL(MPI_Finalize);
