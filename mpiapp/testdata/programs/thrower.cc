// The library of throws.c.
#include <stdexcept>
#include <string>

extern "C" int number(const char *word)
{
  try {
    return std::stoi(word);
  } catch (const std::invalid_argument &) {
    return -1;
  }
}
