/* C functions, one of them cold, one split off by the optimiser. */
#include <stdio.h>
#include <stdlib.h>

__attribute__((cold, noinline)) static void fail(const char *why) {
  fprintf(stderr, "%s\n", why);
  exit(1);
}

static inline int clamp(int x, int top) {
  if (x > top) fail("too great");
  return x < 0 ? 0 : x;
}

__attribute__((noinline)) int work(int n) {
  int total = 0;
  for (int i = 0; i < n; i++) total += clamp(i * 3, 1000) + printf("%d\n", i);
  return total;
}

int main(int argc, char **argv) {
  (void)argv;
  return work(argc) == 12345;
}
