package ptrace

import (
	"cmp"
	"debug/elf"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Function is a function that an ELF file tells of.
type Function struct {
	Names  []string // linker names, the most public one first; none in a stripped file
	Offset uint64   // file address of its entry
	Size   uint64   // bytes, 0 unknown
}

// Name is the most public name, "" if there is none.
func (f Function) Name() string {
	if len(f.Names) == 0 {
		return ""
	}
	return f.Names[0]
}

// Functions lists the functions that a file defines, by its symbol table and its
// dynamic symbols, in the order of their addresses. A stripped file still has
// the latter, and tells of the others without their names. Indirect functions
// (IFUNC), whose address is known at run time
// only, and the cold parts that compilers split off are left out.
func Functions(path string) ([]Function, error) {
	f, err := elf.Open(path)
	if err != nil {
		return nil, fmt.Errorf("ptrace: %w", err)
	}
	defer f.Close()
	if f.Machine != native.ELF {
		return nil, fmt.Errorf("ptrace: %s: not a program for this machine, but for %v", path, f.Machine)
	}
	found := map[uint64][]elf.Symbol{}
	for _, read := range []func() ([]elf.Symbol, error){f.Symbols, f.DynamicSymbols} {
		symbols, err := read()
		if err != nil && !errors.Is(err, elf.ErrNoSymbols) {
			return nil, fmt.Errorf("ptrace: %s: %w", path, err)
		}
		for _, s := range symbols {
			if isEntry(f, s) {
				found[s.Value] = append(found[s.Value], s)
			}
		}
	}
	var out []Function
	for _, offset := range slices.Sorted(maps.Keys(found)) {
		out = append(out, mergeSymbols(found[offset]))
	}
	out = append(out, unnamedFunctions(f, out)...)
	slices.SortFunc(out, func(a, b Function) int { return cmp.Compare(a.Offset, b.Offset) })
	return out, nil
}

func isEntry(f *elf.File, s elf.Symbol) bool {
	i := int(s.Section)
	return elf.ST_TYPE(s.Info) == elf.STT_FUNC && s.Name != "" && !strings.HasSuffix(s.Name, ".cold") &&
		i > 0 && i < len(f.Sections) && f.Sections[i].Flags&elf.SHF_EXECINSTR != 0
}

// mergeSymbols makes one function of the symbols of an address.
func mergeSymbols(symbols []elf.Symbol) Function {
	public := map[elf.SymBind]int{elf.STB_GLOBAL: 0, elf.STB_WEAK: 1}
	rank := func(s elf.Symbol) int {
		if r, ok := public[elf.ST_BIND(s.Info)]; ok {
			return r
		}
		return len(public)
	}
	slices.SortFunc(symbols, func(a, b elf.Symbol) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(len(a.Name), len(b.Name)), cmp.Compare(a.Name, b.Name))
	})
	out := Function{Offset: symbols[0].Value}
	for _, s := range symbols {
		out.Size = max(out.Size, s.Size)
		if !slices.Contains(out.Names, s.Name) {
			out.Names = append(out.Names, s.Name)
		}
	}
	return out
}

// FindFunction returns the first function that has the name.
func FindFunction(list []Function, name string) (Function, bool) {
	for _, f := range list {
		if slices.Contains(f.Names, name) {
			return f, true
		}
	}
	return Function{}, false
}
