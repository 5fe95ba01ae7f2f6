#include "module.h"

#include <set>
#include <stdexcept>
#include <vector>

#include "CFG.h"
#include "instruction.h"
#include "json.h"

using namespace Dyninst;
using ParseAPI::Block;
using ParseAPI::CodeRegion;

// None drops the symbols as places to start from: only what is asked for is
// parsed.
struct None : ParseAPI::SymtabCodeSource::hint_filt {
  bool operator()(SymtabAPI::Function *) override { return true; }
};

Module::Module(const std::string &path) {
  if (!SymtabAPI::Symtab::openFile(symtab, path) || !symtab)
    throw std::runtime_error("Symtab cannot open " + path);
  None none;
  source = std::make_unique<ParseAPI::SymtabCodeSource>(symtab, &none);
  code = std::make_unique<ParseAPI::CodeObject>(source.get());
}

Module::~Module() {
  code.reset();
  source.reset();
  if (symtab)
    SymtabAPI::Symtab::closeSymtab(symtab);
}

CodeRegion *Module::region(uint64_t addr) const {
  std::set<CodeRegion *> found;
  source->findRegions(addr, found);
  return found.empty() ? nullptr : *found.begin();
}

static std::string list(const std::vector<std::string> &items) {
  std::string out = "[";
  for (auto &i : items)
    out += (out.size() > 1 ? "," : "") + i;
  return out + "]";
}

// Ends is what the edges at the end of blocks tell.
struct Ends {
  std::vector<std::string> jumps, halts;

  void add(Block *b, const Described &last) {
    std::set<uint64_t> to;
    bool returns = false;
    for (auto e : b->targets()) {
      returns = returns || e->type() == ParseAPI::CALL_FT;
      if (e->type() == ParseAPI::INDIRECT && !e->sinkEdge())
        to.insert(e->trg_addr());
    }
    auto at = std::to_string(last.addr);
    if (last.kind == CALL && !returns)
      halts.push_back(at);
    if (last.kind != JUMP || !last.indirect || to.empty())
      return;
    std::vector<std::string> all{at};
    for (auto t : to)
      all.push_back(std::to_string(t));
    jumps.push_back(list(all));
  }
};

std::string Module::function(uint64_t entry) {
  auto r = region(entry);
  if (!r)
    throw std::runtime_error("no code at this address");
  auto f = code->findFuncByEntry(r, entry);
  if (!f) {
    code->parse(r, entry, true);
    f = code->findFuncByEntry(r, entry);
  }
  if (!f)
    throw std::runtime_error("ParseAPI finds no function at this address");
  std::vector<std::string> insts;
  Ends ends;
  for (auto b : f->blocks()) {
    Block::Insns insns;
    b->getInsns(insns);
    for (auto &[addr, insn] : insns) {
      auto d = describe(insn, addr);
      insts.push_back(d.json());
      if (addr == b->lastInsnAddr())
        ends.add(b, d);
    }
  }
  Object o;
  o.raw("insts", list(insts));
  o.raw("jumps", list(ends.jumps));
  o.raw("halts", list(ends.halts));
  return o.str();
}
