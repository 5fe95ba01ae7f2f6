// The JSON that goes to and from the program: objects on one line each.
#pragma once

#include <cstdint>
#include <string>

// Request asks for the function at an address of a file.
struct Request {
  std::string module;
  uint64_t entry = 0;
  unsigned seconds = 0; // the process ends itself after them; 0 never
};

// parse reads a request; it throws if the line is none.
Request parse(const std::string &line);

// Object writes the members of a JSON object in their order.
class Object {
public:
  void raw(const char *key, const std::string &json);
  void text(const char *key, const std::string &value);
  void number(const char *key, int64_t value);
  std::string str() const { return "{" + body + "}"; }

private:
  std::string body;
};
