package ptrace

import (
	"bytes"
	"cmp"
	"debug/elf"
	"slices"

	"laggard/binary/callframe"
)

// unnamedFunctions lists the functions of a stripped file that no symbol names, by the
// search table for unwinding, .eh_frame_hdr (Linux Standard Base Core 5.0, 10.6),
// in the form that linkers write. It has every function, and the parts that
// compilers split off. known are the functions with names.
func unnamedFunctions(f *elf.File, known []Function) []Function {
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
	data, err := s.Data()
	if err != nil {
		return nil
	}
	table := callframe.Table{Memory: bytes.NewReader(data), Order: f.ByteOrder}
	starts, err := table.Starts() // from the beginning of the section
	if err != nil {
		return nil
	}
	for i := range starts {
		starts[i] += s.Addr
	}
	slices.Sort(starts)
	return slices.Compact(starts)
}
