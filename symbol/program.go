package symbol

import (
	"debug/elf"
	"fmt"

	"laggard/model"
)

// Program is an ELF file as a module, for addresses that come without one.
type Program struct {
	Module *model.Module // its path is that of the file
	// Fixed: it runs at the addresses that are in the file, and is not moved.
	Fixed bool
	code  [][2]uint64 // first and one past the last address
}

// OpenProgram reads what is known of a program from its file, which is closed
// again. Errors wrap ErrMalformed or that of opening.
func OpenProgram(path string) (*Program, error) {
	img, err := openImage(path)
	if err != nil {
		return nil, err
	}
	defer img.close()
	p := &Program{Module: &model.Module{BuildID: img.buildID, Path: path}, Fixed: img.elf.Type == elf.ET_EXEC}
	for _, s := range img.elf.Progs {
		if s.Type == elf.PT_LOAD && s.Flags&elf.PF_X != 0 && s.Vaddr+s.Memsz > s.Vaddr {
			p.code = append(p.code, [2]uint64{s.Vaddr, s.Vaddr + s.Memsz})
		}
	}
	if len(p.code) == 0 {
		return nil, fmt.Errorf("symbol: %s: %w: it has no code", path, ErrMalformed)
	}
	return p, nil
}

// Contains tells whether code of the file is at an address of the file. A
// return address may be just past it.
func (p *Program) Contains(address uint64) bool {
	for _, c := range p.code {
		if c[0] <= address && address <= c[1] {
			return true
		}
	}
	return false
}
