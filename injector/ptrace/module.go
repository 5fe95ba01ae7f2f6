package ptrace

import (
	"debug/elf"
	"path/filepath"
	"strings"

	"laggard/internal/procfs"
)

// Module is a program or library that is mapped into the process.
type Module struct {
	Path string // as the system names it
	Base uint64 // added to a file address gives the address in the process
	Low  uint64 // the mapping is in [Low, High)
	High uint64
}

// Name is the last element of the path.
func (m Module) Name() string { return filepath.Base(m.Path) }

// isSame reports whether it is one module; its end may be another one, since memory that is asked for
// may come between its parts.
func (m Module) isSame(other Module) bool { return m.Path == other.Path && m.Base == other.Base }

// isCode reports whether a mapping is a file's code.
func isCode(m procfs.Mapping) bool { return m.Executable && strings.HasPrefix(m.Path, "/") }

// segmentCache remembers the segments of the files that were looked at, since a job's
// libraries are many and are looked at after every dlopen.
type segmentCache map[string][]elf.ProgHeader

// modulesOf lists the modules of a process in the order of their addresses. Files
// that are no ELF objects are left out.
func (f segmentCache) modulesOf(maps []procfs.Mapping) []Module {
	var out []Module
	for i := 0; i < len(maps); {
		last := i
		for last+1 < len(maps) && maps[last+1].Path == maps[i].Path {
			last++
		}
		if m, ok := f.newModule(maps[i : last+1]); ok {
			out = append(out, m)
		}
		i = last + 1
	}
	return out
}

// newModule makes a module of neighbouring mappings of one file.
func (f segmentCache) newModule(parts []procfs.Mapping) (Module, bool) {
	for _, p := range parts {
		if !isCode(p) {
			continue
		}
		for _, s := range f.codeSegments(p.Path) {
			if s.Off/page*page == p.Offset {
				return Module{p.Path, p.Lo - s.Vaddr/page*page, parts[0].Lo, parts[len(parts)-1].Hi}, true
			}
		}
	}
	return Module{}, false
}

const page = 4096

// codeSegments returns the segments of a file that are executed.
func (f segmentCache) codeSegments(path string) []elf.ProgHeader {
	if known, ok := f[path]; ok {
		return known
	}
	f[path] = nil
	file, err := elf.Open(path)
	if err != nil {
		return nil
	}
	defer file.Close()
	for _, s := range file.Progs {
		if s.Type == elf.PT_LOAD && s.Flags&elf.PF_X != 0 {
			f[path] = append(f[path], s.ProgHeader)
		}
	}
	return f[path]
}
