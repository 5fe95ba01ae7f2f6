// The control flow of functions, from ParseAPI.
#pragma once

#include <memory>
#include <string>

#include "CodeObject.h"
#include "CodeSource.h"
#include "Symtab.h"

// Module is an ELF file whose functions are parsed as they are asked for.
class Module {
public:
  // It throws if the file cannot be opened.
  explicit Module(const std::string &path);
  ~Module();

  // function is the JSON of the function at an address: its instructions, where
  // computed jumps go, and the calls that do not come back.
  std::string function(uint64_t entry);

private:
  Dyninst::ParseAPI::CodeRegion *region(uint64_t addr) const;

  Dyninst::SymtabAPI::Symtab *symtab = nullptr;
  std::unique_ptr<Dyninst::ParseAPI::SymtabCodeSource> source;
  std::unique_ptr<Dyninst::ParseAPI::CodeObject> code;
};
