/* A thread loads and unloads libraries, those of MPI programs with many others among them as far as they are there, while the main thread is in MPI_Init. */
#include <dlfcn.h>
#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

static atomic_bool stop;

static void *load(void *unused)
{
  static const char *const libraries[] = {"liblammps.so.0", "libpetsc_real.so.3.18", "libxml2.so.2", "libthread_db.so.1"};
  for (unsigned i = 0; !stop; i++) {
    void *h = dlopen(libraries[i % 4], RTLD_NOW | RTLD_LOCAL);
    if (h)
      dlclose(h);
  }
  return unused;
}

int main(int argc, char **argv)
{
  pthread_t t;
  int level;
  pthread_create(&t, NULL, load, NULL);
  usleep(100000);
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  MPI_Barrier(MPI_COMM_WORLD);
  stop = 1;
  pthread_join(t, NULL);
  puts("started");
  MPI_Finalize();
  return 0;
}
