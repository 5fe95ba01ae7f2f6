package ptrace

import (
	"fmt"

	"laggard/internal/procfs"

	"golang.org/x/sys/unix"
)

// slotSize has room for the longest result of a move: on x86-64 an instruction of 15 bytes,
// or a conditional jump, and two absolute jumps.
const slotSize = 64

// areaSize is the memory asked for at once, for a thousand instructions.
const areaSize = 1000 * slotSize / page * page

// area is memory in the process for copies of instructions.
type area struct{ next, end uint64 }

// makeSlot writes the copy of a breakpoint's instruction.
func (p *Process) makeSlot(t *Thread, b *Breakpoint) error {
	a, err := p.areaNear(t, b.Address)
	if err != nil {
		return err
	}
	code, err := native.move(b.originalCode(), b.Address, a.next)
	if err != nil {
		return err
	}
	if err := p.Write(a.next, code); err != nil {
		return err
	}
	b.slot = a.next
	a.next += slotSize
	return nil
}

func (p *Process) areaNear(t *Thread, address uint64) (*area, error) {
	for i := range p.areas {
		a := &p.areas[i]
		if a.next+slotSize <= a.end && distance(a.next, address) < native.reach {
			return a, nil
		}
	}
	maps, err := procfs.ReadMaps(p.PID)
	if err != nil {
		return nil, err
	}
	at, ok := findGap(maps, address, native.reach)
	if !ok {
		return nil, fmt.Errorf("ptrace: process %d: near %#x: %w", p.PID, address, ErrNoRoom)
	}
	got, err := t.mmap(at, areaSize, unix.PROT_READ|unix.PROT_EXEC, unix.MAP_FIXED_NOREPLACE)
	if err != nil {
		return nil, err
	}
	p.areas = append(p.areas, area{got, got + areaSize})
	return &p.areas[len(p.areas)-1], nil
}

// MapPage gives the process a page of memory of its own, all zero, and returns its
// address. The thread must stand.
func (t *Thread) MapPage() (uint64, error) {
	return t.mmap(0, page, unix.PROT_READ|unix.PROT_WRITE, 0)
}

func (t *Thread) mmap(at, size, protection, flags uint64) (uint64, error) {
	flags |= unix.MAP_PRIVATE | unix.MAP_ANONYMOUS
	return t.SystemCall(unix.SYS_MMAP, at, size, protection, flags, ^uint64(0), 0)
}

func distance(a, b uint64) uint64 { return max(a, b) - min(a, b) }

// findGap finds a free range for an area near the address, as close as can be. It
// keeps clear of the first megabyte and leaves room around: the heap and stacks
// next to a gap grow.
func findGap(maps []procfs.Mapping, address, reach uint64) (uint64, bool) {
	const clear = 16 << 20
	best, found := uint64(0), false
	low := uint64(1 << 20)
	for _, m := range append(maps, procfs.Mapping{Lo: 1 << 47, Hi: 1 << 47}) {
		if m.Lo > low && m.Lo-low >= areaSize+2*page {
			room := m.Lo - low - areaSize
			margin := min(room/2, clear) / page * page
			for _, at := range []uint64{low + margin, m.Lo - areaSize - margin} {
				at = at / page * page
				if distance(at, address) < reach && (!found || distance(at, address) < distance(best, address)) {
					best, found = at, true
				}
			}
		}
		low = max(low, m.Hi)
	}
	return best, found
}
