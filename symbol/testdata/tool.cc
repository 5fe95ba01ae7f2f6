// Functions of every sort that a C++ compiler names and inlines.
#include <cstdio>
#include <string>
#include <vector>

namespace outer {
namespace {
int hidden(int x) { return x * 7 + 1; }
}  // namespace

template <class T>
struct Grid {
  std::vector<T> cells;
  explicit Grid(int n) : cells(n, T(n)) {}
  T sum(int scale) const {
    T s = 0;
    for (T c : cells) s += c * T(scale);
    return s;
  }
};

static inline __attribute__((always_inline)) int innermost(int x) {
  int y = x;
  for (int i = 0; i < 3; i++) y = y * 31 + std::puts("innermost");
  return y;
}

static inline __attribute__((always_inline)) int middle(int x) {
  return innermost(x + 1) + hidden(x);
}

__attribute__((noinline)) int outermost(int x) {
  int a = middle(x);
  int b = middle(a);
  return a + b;
}

struct Shape {
  virtual ~Shape() {}
  virtual std::string name(const char *suffix) const { return std::string("shape") + suffix; }
};
}  // namespace outer

int main(int argc, char **argv) {
  outer::Grid<double> g(argc + 3);
  outer::Shape s;
  auto twice = [&](int k) { return k * 2 + outer::outermost(k); };
  std::printf("%f %s %d\n", g.sum(argc), s.name(argv[0]).c_str(), twice(argc));
  return 0;
}
