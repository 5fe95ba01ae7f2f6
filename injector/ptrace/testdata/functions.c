/* Functions that nothing inlines, two of them for this file only. */
#include <stdio.h>

static __attribute__((noinline)) int one(int x) { return printf("%d\n", x); }
static __attribute__((noinline)) int two(int x) { return one(x) + one(x + 1); }
__attribute__((noinline)) int three(int x) { return two(x) * 2; }

int main(int argc, char **argv)
{
  (void)argv;
  return three(argc) == 0;
}
