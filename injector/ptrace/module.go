package ptrace

import (
	"bufio"
	"debug/elf"
	"fmt"
	"os"
	"path/filepath"
	"strings"
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

// same tells whether it is one module; its end may be another one, since memory that is asked for
// may come between its parts.
func (m Module) same(other Module) bool { return m.Path == other.Path && m.Base == other.Base }

// mapping is one line of /proc/PID/maps.
type mapping struct {
	low, high, offset uint64
	perms, path       string
}

func mappings(pid int) ([]mapping, error) {
	f, err := os.Open(fmt.Sprintf("/proc/%d/maps", pid))
	if err != nil {
		return nil, fmt.Errorf("ptrace: process %d: %w", pid, err)
	}
	defer f.Close()
	var out []mapping
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		var m mapping
		var device string
		var inode uint64
		n, _ := fmt.Sscanf(lines.Text(), "%x-%x %s %x %s %d", &m.low, &m.high, &m.perms, &m.offset, &device, &inode)
		if n < 6 {
			continue
		}
		if at := strings.IndexAny(lines.Text(), "/["); at >= 0 {
			m.path = strings.TrimSuffix(lines.Text()[at:], " (deleted)")
		}
		out = append(out, m)
	}
	return out, lines.Err()
}

// executable tells a mapping of a file's code.
func (m mapping) executable() bool {
	return strings.Contains(m.perms, "x") && strings.HasPrefix(m.path, "/")
}

// files remembers the segments of the files that were looked at, since a job's
// libraries are many and are looked at after every dlopen.
type files map[string][]elf.ProgHeader

// mapped lists the modules of a process in the order of their addresses. Files
// that are no ELF objects are left out.
func (f files) mapped(maps []mapping) []Module {
	var out []Module
	for i := 0; i < len(maps); {
		last := i
		for last+1 < len(maps) && maps[last+1].path == maps[i].path {
			last++
		}
		if m, ok := f.module(maps[i : last+1]); ok {
			out = append(out, m)
		}
		i = last + 1
	}
	return out
}

// module makes a module of neighbouring mappings of one file.
func (f files) module(parts []mapping) (Module, bool) {
	for _, p := range parts {
		if !p.executable() {
			continue
		}
		for _, s := range f.code(p.path) {
			if s.Off/page*page == p.offset {
				return Module{p.path, p.low - s.Vaddr/page*page, parts[0].low, parts[len(parts)-1].high}, true
			}
		}
	}
	return Module{}, false
}

const page = 4096

// code returns the segments of a file that are executed.
func (f files) code(path string) []elf.ProgHeader {
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
