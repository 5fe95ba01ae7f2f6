package symbol

import (
	"debug/dwarf"
	"errors"
	"fmt"
	"io"
	"path"
	"sort"
)

// lineTable maps the addresses of a unit to source lines.
type lineTable struct {
	files []string // as the table numbers them
	seqs  spans[[]row]
}

// row says that the code from addr on comes from a line.
type row struct {
	addr   uint64
	file   uint32 // indexes files
	line   uint32 // 0: made by the compiler
	column uint32 // from 1; 0 unknown
}

// lines returns the table of a unit, an empty one if it has none.
func (f *debugFile) lines(u *unit) (*lineTable, error) {
	root, err := f.walker().enter(u)
	if err != nil {
		return nil, err
	}
	off, ok := root.Val(dwarf.AttrStmtList).(int64)
	if !ok || len(f.line) == 0 {
		return &lineTable{}, nil
	}
	if t := f.tables[off]; t != nil {
		return t, nil
	}
	dir := f.text(root, dwarf.AttrCompDir)
	absolute, err := f.checkLines(off, len(dir))
	if err != nil {
		return nil, err
	}
	r, err := f.data.LineReader(root)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	t, err := readLines(r, dir, f.img)
	if err != nil {
		return nil, err
	}
	for n, name := range absolute {
		if n < len(t.files) {
			t.files[n] = path.Clean(name)
		}
	}
	f.tables[off] = t
	return t, nil
}

func readLines(r *dwarf.LineReader, dir string, img *image) (*lineTable, error) {
	t := &lineTable{}
	number := map[*dwarf.LineFile]uint32{}
	var list []span[[]row]
	var seq []row
	for {
		var e dwarf.LineEntry
		if err := r.Next(&e); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrMalformed, err)
		}
		if !e.EndSequence {
			seq = append(seq, row{e.Address, fileNumber(r, number, e.File), uint32(e.Line), uint32(max(e.Column, 0))})
			continue
		}
		if len(seq) > 0 && img.executable(seq[0].addr) {
			sort.SliceStable(seq, func(i, j int) bool { return seq[i].addr < seq[j].addr })
			list = append(list, span[[]row]{seq[0].addr, e.Address, seq})
		}
		seq = nil
	}
	for _, f := range r.Files() {
		name := ""
		if f != nil && f.Name != "" {
			name = f.Name
			if !path.IsAbs(name) {
				name = path.Join(dir, name)
			}
			name = path.Clean(name)
		}
		t.files = append(t.files, name)
	}
	t.seqs = newSpans(list)
	return t, nil
}

// fileNumber finds the number of a file in the table; number remembers it.
func fileNumber(r *dwarf.LineReader, number map[*dwarf.LineFile]uint32, f *dwarf.LineFile) uint32 {
	n, ok := number[f]
	if ok {
		return n
	}
	for i, g := range r.Files() {
		if g != nil {
			number[g] = uint32(i)
		}
	}
	return number[f]
}

// find returns the source line of pc.
func (t *lineTable) find(pc uint64) (file string, line int) {
	r := t.row(pc)
	if r == nil {
		return "", 0
	}
	return t.file(int64(r.file)), int(r.line)
}

// row returns the last row at or before pc; nil if there is none.
func (t *lineTable) row(pc uint64) *row {
	seq, ok := t.seqs.find(pc)
	if !ok {
		return nil
	}
	return &seq[sort.Search(len(seq), func(i int) bool { return seq[i].addr > pc })-1]
}

// column returns the column of pc in its source line, from 1; 0 unknown.
func (f *debugFile) column(pc uint64) (column int) {
	guard(f.img.path, func() error {
		if u, ok := f.byPC.find(pc); ok {
			if lines, err := f.lines(u); err == nil {
				if r := lines.row(pc); r != nil {
					column = int(r.column)
				}
			}
		}
		return nil
	})
	return column
}

func (t *lineTable) file(n int64) string {
	if n < 0 || n >= int64(len(t.files)) {
		return ""
	}
	return t.files[n]
}

// callSite returns where an inlined function was called.
func (t *lineTable) callSite(e *dwarf.Entry) (file string, line int) {
	n, ok := e.Val(dwarf.AttrCallFile).(int64)
	if ok {
		file = t.file(n)
	}
	l, _ := e.Val(dwarf.AttrCallLine).(int64)
	return file, int(max(l, 0))
}

// Limits on the names in a header of a line table. Each file name is joined
// with its directory, so short headers could ask for much memory.
const (
	maxPath      = 4096
	maxLineNames = 64 << 20
)

// checkLines walks the header at off before debug/dwarf does, which believes
// the counts it finds there and allocates for them. It returns the file names of
// version 5 that are absolute, by their numbers: debug/dwarf puts a directory
// before them nevertheless.
func (f *debugFile) checkLines(off int64, compDir int) (absolute map[int]string, err error) {
	if off < 0 || off > int64(len(f.line)) || compDir > maxPath {
		return nil, fmt.Errorf("%w: line table at %#x", ErrMalformed, off)
	}
	h := lineHeader{cursor: cursor{b: f.line, off: int(off), order: f.order}, f: f}
	n, is64 := h.length()
	h.is64 = is64
	if h.bad || n > uint64(h.left()) {
		return nil, fmt.Errorf("%w: line table at %#x beyond the end", ErrMalformed, off)
	}
	version := h.u16()
	if version >= 5 {
		h.take(2)
	}
	h.offset(is64)
	if h.take(4); version >= 4 { // one field more since version 4
		h.u8()
	}
	if opcodes := h.u8(); opcodes > 0 {
		h.take(uint64(opcodes) - 1)
	}
	if version >= 5 {
		h.entries(0)
		h.absolute = map[int]string{}
		h.entries(h.longest)
	} else {
		h.oldNames(compDir)
	}
	if h.bad || h.total > maxLineNames {
		return nil, fmt.Errorf("%w: header of the line table at %#x", ErrMalformed, off)
	}
	return h.absolute, nil
}

type lineHeader struct {
	cursor
	f       *debugFile
	is64    bool
	longest int // greatest length of a directory name
	total   int // bytes that all names will take
	// absolute are the names of files that are whole paths; nil while the
	// directories are read.
	absolute map[int]string
}

// name counts a name of n bytes that is put behind one of dir bytes.
func (h *lineHeader) name(n, dir int) {
	h.total += n + dir
	if n > maxPath || h.total > maxLineNames {
		h.bad = true
	}
}

// oldNames reads the directories and files of versions 2 to 4.
func (h *lineHeader) oldNames(compDir int) {
	h.longest = compDir
	for !h.bad {
		n := h.cstring()
		if n == 0 {
			break
		}
		h.name(n, compDir)
		h.longest = max(h.longest, compDir+n)
	}
	for !h.bad {
		n := h.cstring()
		if n == 0 {
			break
		}
		h.name(n, h.longest)
		h.uleb()
		h.uleb()
		h.uleb()
	}
}

// entries reads the formats and entries of the directories or files of
// version 5; dir is the length of the directory that may come before a name.
func (h *lineHeader) entries(dir int) {
	forms := make([]uint64, h.u8())
	is := -1 // which of them is the name
	for i := range forms {
		const path = 1 // DW_LNCT_path
		if h.uleb() == path {
			is = i
		}
		forms[i] = h.uleb()
	}
	count := h.uleb()
	if len(forms) == 0 && count > 0 {
		h.bad = true
	}
	for n := 0; count > 0 && !h.bad; count, n = count-1, n+1 {
		h.name(0, dir)
		for i, form := range forms {
			text := h.form(form)
			if i == is && h.absolute != nil && !h.bad && len(text) > 0 && text[0] == '/' {
				h.absolute[n] = string(text)
			}
		}
	}
}

// form passes over a value of version 5 (DWARF 5, section 6.2.4.1) and counts
// and returns it if it is a name.
func (h *lineHeader) form(form uint64) (text []byte) {
	switch form {
	case 0x08: // string
		start := h.off
		text = h.b[start : start+h.cstring()]
	case 0x1f: // line_strp
		text = h.indirect(h.f.lstr)
	case 0x0e: // strp
		text = h.indirect(h.f.str)
	case 0x0b: // data1
		h.take(1)
	case 0x05: // data2
		h.take(2)
	case 0x06: // data4
		h.take(4)
	case 0x07: // data8
		h.take(8)
	case 0x1e: // data16
		h.take(16)
	case 0x0f: // udata
		h.uleb()
	case 0x09: // block
		h.take(h.uleb())
	default:
		h.bad = true
	}
	h.name(len(text), 0)
	h.longest = max(h.longest, len(text))
	return text
}

func (h *lineHeader) indirect(section []byte) []byte {
	off := h.offset(h.is64)
	if off > uint64(len(section)) {
		h.bad = true
		return nil
	}
	// A longer string is refused, so no more of it need be looked at.
	rest := section[off:]
	c := cursor{b: rest[:min(len(rest), maxPath+1)], order: h.order}
	n := c.cstring()
	h.bad = h.bad || c.bad
	return rest[:n]
}

// CodedLines are the source lines that have code, of the units that were added.
// The zero value is empty.
type CodedLines struct {
	units map[*unit]bool
	lines map[string]map[int]bool
}

// Of returns the lines of a file; the caller must not change it.
func (l *CodedLines) Of(file string) map[int]bool { return l.lines[file] }

// Add adds the compilation unit around an address of a module. Without debug
// information there it adds nothing.
func (l *CodedLines) Add(c *Code, pc uint64) {
	c.m.mu.Lock()
	defer c.m.mu.Unlock()
	f := c.m.debug
	if f == nil {
		return
	}
	u, ok := f.byPC.find(pc)
	if !ok || l.units[u] {
		return
	}
	if l.units == nil {
		l.units, l.lines = map[*unit]bool{}, map[string]map[int]bool{}
	}
	l.units[u] = true
	c.m.note(guard(f.img.path, func() error {
		t, err := f.lines(u)
		if err == nil {
			l.add(t)
		}
		return err
	}))
}

func (l *CodedLines) add(t *lineTable) {
	for _, seq := range t.seqs.list {
		for i, r := range seq.item {
			if i+1 < len(seq.item) && seq.item[i+1].addr == r.addr {
				continue // a line that the compiler only mentions
			}
			name := t.file(int64(r.file))
			if l.lines[name] == nil {
				l.lines[name] = map[int]bool{}
			}
			l.lines[name][int(r.line)] = true
		}
	}
}
