// What an exception costs that is thrown so many frames below where it is caught: CPU nanoseconds each, as percall.c
// prints them.
#include <mpi.h>

#include <cstdio>
#include <ctime>
#include <stdexcept>

static double cpu()
{
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return t.tv_sec * 1e9 + t.tv_nsec;
}

static __attribute__((noinline)) int deep(int depth)
{
  if (depth == 0)
    throw std::runtime_error("thrown");
  int n = deep(depth - 1);
  __asm__ volatile("" ::: "memory"); // no tail call
  return n;
}

static __attribute__((noinline)) int here(int depth)
{
  try {
    return deep(depth);
  } catch (const std::exception &) {
    return 1;
  }
}

static __attribute__((noinline)) int there(int depth)
{
  try {
    return deep(depth);
  } catch (const std::exception &) {
    return 2;
  }
}

int main(int argc, char **argv)
{
  const int times = 20000;
  MPI_Init(&argc, &argv);
  for (bool same : {true, false})
    for (int depth : {1, 8, 30}) {
      double begin = cpu();
      for (int i = 0; i < times; i++)
        same || i % 2 ? here(depth) : there(depth);
      std::printf("%s_%d %.1f\n", same ? "one_place" : "two_places", depth, (cpu() - begin) / times);
    }
  MPI_Finalize();
}
