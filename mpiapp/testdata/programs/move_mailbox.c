/* A mailbox with time-outs: every rank posts letters to the next, which answers each. A letter that is
 * not answered in time is posted again, as happens when its receiver computes for long; the receiver
 * throws copies away, by their number. Arguments:
 *   deaf    one rank takes no notice of answers until the third posting
 *   slot    a few times a rank reads the letter from the slot before */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { LETTERS = 160, LEN = 96, SLOTS = 4, RARE = 40, LONG = 50, LETTER = 1, ANSWER = 2 };
static const double patience = 0.05;

static int rank, size, next, before, wanted, answered, closed;
static char *slots[SLOTS], *shelf[SLOTS], *stamp;

static void take(int slot, char *book)
{
  memcpy(shelf[slot], slots[slot], LEN);
  memcpy(book + wanted * LEN, shelf[slot], LEN);
}

/* Takes what is there: letters, which it answers, and answers. */
static void poll(char *book, int wrong)
{
  int there, number;
  MPI_Status s;
  MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &there, &s);
  if (!there)
    return;
  if (s.MPI_TAG == ANSWER) {
    MPI_Recv(&number, 1, MPI_INT, next, ANSWER, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    answered = number + 1 > answered ? number + 1 : answered;
    return;
  }
  int slot = wanted % SLOTS;
  MPI_Recv(slots[slot], LEN, MPI_CHAR, before, LETTER, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  number = *(int *)slots[slot];
  if (number == wanted) {
    take(wrong && wanted % RARE == RARE / 2 ? (slot + SLOTS - 1) % SLOTS : slot, book);
    wanted++;
  }
  MPI_Send(&number, 1, MPI_INT, before, ANSWER, MPI_COMM_WORLD);
}

static void compute(void)
{
  for (double until = MPI_Wtime() + 2.5 * patience; MPI_Wtime() < until;)
    ;
}

static void post(const char *text, char *letter, int number)
{
  memcpy(letter, text + number * LEN, LEN);
  *(int *)letter = number;
}

int main(int argc, char **argv)
{
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int deaf = argc > 1 && !strcmp(argv[1], "deaf") && rank == size / 2, wrong = argc > 1 && !strcmp(argv[1], "slot");
  next = (rank + 1) % size, before = (rank + size - 1) % size;
  char *text = calloc(LETTERS, LEN), *letter = malloc(LEN), *book = calloc(LETTERS, LEN);
  for (int i = 0; i < SLOTS; i++)
    slots[i] = malloc(LEN), shelf[i] = malloc(LEN);
  for (int i = 0; i < LETTERS; i++) {
    int postings = 0;
    post(text, letter, i);
    if (i % LONG == rank)
      compute();
    while (answered <= i || (deaf && postings < 3)) {
      double until = MPI_Wtime() + patience;
      MPI_Send(letter, LEN, MPI_CHAR, next, LETTER, MPI_COMM_WORLD);
      postings++;
      while (answered <= i && MPI_Wtime() < until)
        poll(book, wrong);
    }
  }
  MPI_Request all;
  int over = 0;
  while (wanted < LETTERS)
    poll(book, wrong);
  MPI_Ibarrier(MPI_COMM_WORLD, &all);
  while (!over) {
    poll(book, wrong);
    MPI_Test(&all, &over, MPI_STATUS_IGNORE);
  }
  for (int there = 1; there;) {
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
    poll(book, wrong);
  }
  MPI_Finalize();
  return 0;
}
