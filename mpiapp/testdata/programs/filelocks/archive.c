// A rank hands finished files to a process of its own that packs them. That one keeps the lock of the list while it waits for more.
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct {
  char list[1024];
  int to;
  pid_t packer;
} archive_t;

static void pack(const char *list, int from, int keeps)
{
  char file;
  int lock = open(list, O_RDWR);
  prctl(PR_SET_NAME, "packer");
  while (read(from, &file, 1) == 1) {
    flock(lock, LOCK_EX);
    if (write(lock, &file, 1) < 0)
      _exit(1);
    if (!keeps || file != 'c')
      flock(lock, LOCK_UN);
  }
  _exit(0);
}

static void start_packer(archive_t *a, const char *folder, int keeps)
{
  int ends[2];
  snprintf(a->list, sizeof a->list, "%s/list", folder);
  close(open(a->list, O_RDWR | O_CREAT, 0600));
  if (pipe(ends))
    MPI_Abort(MPI_COMM_WORLD, 1);
  a->packer = fork();
  if (a->packer == 0) {
    close(ends[1]);
    pack(a->list, ends[0], keeps);
  }
  close(ends[0]);
  a->to = ends[1];
}

/* hand_over waits until the packer has noted the file. */
static void hand_over(archive_t *a, char file)
{
  char noted[8] = "";
  if (write(a->to, &file, 1) < 0)
    MPI_Abort(MPI_COMM_WORLD, 1);
  while (!strchr(noted, file)) {
    int lock = open(a->list, O_RDWR);
    flock(lock, LOCK_SH);
    ssize_t n = read(lock, noted, sizeof noted - 1);
    noted[n > 0 ? n : 0] = 0;
    close(lock);
  }
}

int main(int argc, char **argv)
{
  int rank;
  archive_t a = {.to = -1};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 1)
    start_packer(&a, argv[2], strcmp(argv[1], "hang") == 0);
  for (char file = 'a'; file < 'f'; file++) {
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1)
      hand_over(&a, file);
  }
  if (rank == 1) {
    close(a.to);
    waitpid(a.packer, NULL, 0);
  }
  MPI_Finalize();
}
