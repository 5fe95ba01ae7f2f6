package ptrace

import (
	"cmp"
	"debug/elf"
	"encoding/binary"
	"slices"
)

// unnamed lists the functions of a stripped file that no symbol names, by the
// search table for unwinding, .eh_frame_hdr (Linux Standard Base Core 5.0, 10.6),
// in the form that linkers write. It has every function, and the parts that
// compilers split off. known are the functions with names.
func unnamed(f *elf.File, known []Function) []Function {
	text := f.Section(".text")
	if f.Section(".symtab") != nil || text == nil {
		return nil
	}
	starts := searchTable(f)
	starts = slices.DeleteFunc(starts, func(at uint64) bool {
		_, named := slices.BinarySearchFunc(known, at,
			func(k Function, at uint64) int { return cmp.Compare(k.Offset, at) })
		return named || at == f.Entry || at < text.Addr || at >= text.Addr+text.Size
	})
	var out []Function
	for i, at := range starts {
		end := text.Addr + text.Size
		if i+1 < len(starts) {
			end = starts[i+1]
		}
		out = append(out, Function{Offset: at, Size: end - at})
	}
	return out
}

// searchTable returns the addresses in the table, in order; nil for a table of
// another form, or one that is damaged.
func searchTable(f *elf.File) []uint64 {
	s := f.Section(".eh_frame_hdr")
	if s == nil {
		return nil
	}
	const header, entry = 12, 8
	data, err := s.Data()
	// Version 1; pointers relative to their place, a 4-byte count, a table of
	// 4-byte distances from the beginning of the section.
	if err != nil || len(data) < header || data[0] != 1 || data[2] != 0x03 || data[3] != 0x3b {
		return nil
	}
	count := uint64(binary.LittleEndian.Uint32(data[8:]))
	if count > uint64(len(data)-header)/entry {
		return nil
	}
	var out []uint64
	for i := range count {
		distance := int32(binary.LittleEndian.Uint32(data[header+i*entry:]))
		out = append(out, s.Addr+uint64(int64(distance)))
	}
	slices.Sort(out)
	return slices.Compact(out)
}
