/* Structs with arrays in them, seen through a pointer. */
#include <stdlib.h>

struct inner {
  int count;
  short list[6];
};

struct outer {
  long head;
  struct inner parts[3];
  struct outer *next;
  unsigned a : 3, b : 9;
};

struct outer table[4];

__attribute__((noinline)) long sum(struct outer *o, int n) {
  long total = 0;
  for (int i = 0; i < n; i++) total += o->parts[i].list[i] + table[i].head;
  return total + (o->next ? sum(o->next, n) : 0);
}

int main(int argc, char **argv) {
  (void)argv;
  struct outer *o = calloc(1, sizeof *o);
  return (int)sum(o, argc);
}
