// laggard-dyninst takes functions apart with Dyninst, for `laggard slice
// --backend dyninst`. It is a process of its own: Dyninst may need much memory
// and may fail. It reads requests, one JSON object per line, and answers each
// with one line:
//
//   {"module":"/path","entry":4198,"seconds":8}
//   {"insts":[...],"jumps":[[from,to,...]],"halts":[addr]}
//
// or {"error":"..."}. An instruction has the members of Described
// (instruction.h). It ends with its standard input.
#include <exception>
#include <iostream>
#include <map>
#include <memory>
#include <string>

#include <sys/resource.h>
#include <unistd.h>

#include "dyninstversion.h"
#include "json.h"
#include "module.h"

constexpr rlim_t memoryLimit = rlim_t(2) << 30;

static std::string answer(std::map<std::string, std::unique_ptr<Module>> &modules, const std::string &line) {
  try {
    Request r = parse(line);
    alarm(r.seconds); // its signal ends the process
    auto &m = modules[r.module];
    if (!m)
      m = std::make_unique<Module>(r.module);
    auto out = m->function(r.entry);
    alarm(0);
    return out;
  } catch (const std::bad_alloc &) {
    throw;
  } catch (const std::exception &e) {
    alarm(0);
    Object o;
    o.text("error", e.what());
    return o.str();
  }
}

int main(int argc, char **argv) {
  if (argc == 2 && std::string(argv[1]) == "--version") {
    std::cout << "Dyninst " << DYNINST_MAJOR_VERSION << '.' << DYNINST_MINOR_VERSION << '.' << DYNINST_PATCH_VERSION << '\n';
    return 0;
  }
  rlimit limit{memoryLimit, memoryLimit};
  setrlimit(RLIMIT_AS, &limit);
  rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
  std::map<std::string, std::unique_ptr<Module>> modules;
  try {
    for (std::string line; std::getline(std::cin, line);)
      std::cout << answer(modules, line) << std::endl;
  } catch (const std::bad_alloc &) {
    std::cerr << "the memory limit of 2 GB is reached\n";
    _exit(3);
  }
  std::cout.flush();
  _exit(0); // there is nothing to tidy up, and Dyninst is slow at it
}
