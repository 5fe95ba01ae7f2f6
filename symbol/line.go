package symbol

import (
	"debug/dwarf"
	"errors"
	"fmt"
	"io"
	"path"
	"sort"

	"laggard/binary/cursor"
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

// linesOf returns the table of a unit, an empty one if it has none.
func (f *debugFile) linesOf(u *unit) (*lineTable, error) {
	root, err := f.newWalker().enterUnit(u)
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
	dir := f.stringAttr(root, dwarf.AttrCompDir)
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
		if len(seq) > 0 && img.isExecutable(seq[0].addr) {
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

// sourceLine returns the source line of pc.
func (t *lineTable) sourceLine(pc uint64) (file string, line int) {
	r := t.rowAt(pc)
	if r == nil {
		return "", 0
	}
	return t.fileName(int64(r.file)), int(r.line)
}

// rowAt returns the last row at or before pc; nil if there is none.
func (t *lineTable) rowAt(pc uint64) *row {
	seq, ok := t.seqs.find(pc)
	if !ok {
		return nil
	}
	return &seq[sort.Search(len(seq), func(i int) bool { return seq[i].addr > pc })-1]
}

// columnAt returns the column of pc in its source line, from 1; 0 unknown.
func (f *debugFile) columnAt(pc uint64) (column int) {
	guardFile(f.img.path, func() error {
		if u, ok := f.byPC.find(pc); ok {
			if lines, err := f.linesOf(u); err == nil {
				if r := lines.rowAt(pc); r != nil {
					column = int(r.column)
				}
			}
		}
		return nil
	})
	return column
}

func (t *lineTable) fileName(n int64) string {
	if n < 0 || n >= int64(len(t.files)) {
		return ""
	}
	return t.files[n]
}

// callSite returns where an inlined function was called.
func (t *lineTable) callSite(e *dwarf.Entry) (file string, line int) {
	n, ok := e.Val(dwarf.AttrCallFile).(int64)
	if ok {
		file = t.fileName(n)
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
	h := lineHeader{Cursor: cursor.Cursor{Bytes: f.line, Off: int(off), Order: f.order}, f: f}
	n, is64 := h.UnitLength()
	h.is64 = is64
	if h.Bad || n > uint64(h.Left()) {
		return nil, fmt.Errorf("%w: line table at %#x beyond the end", ErrMalformed, off)
	}
	version := h.Fixed(2)
	if version >= 5 {
		h.Take(2)
	}
	h.Offset(is64)
	if h.Take(4); version >= 4 { // one field more since version 4
		h.U8()
	}
	if opcodes := h.U8(); opcodes > 0 {
		h.Take(uint64(opcodes) - 1)
	}
	if version >= 5 {
		h.readEntries(0)
		h.absolute = map[int]string{}
		h.readEntries(h.longest)
	} else {
		h.oldNames(compDir)
	}
	if h.Bad || h.total > maxLineNames {
		return nil, fmt.Errorf("%w: header of the line table at %#x", ErrMalformed, off)
	}
	return h.absolute, nil
}

type lineHeader struct {
	cursor.Cursor
	f       *debugFile
	is64    bool
	longest int // greatest length of a directory name
	total   int // bytes that all names will take
	// absolute are the names of files that are whole paths; nil while the
	// directories are read.
	absolute map[int]string
}

// countName counts a name of n bytes that is put behind one of dir bytes.
func (h *lineHeader) countName(n, dir int) {
	h.total += n + dir
	if n > maxPath || h.total > maxLineNames {
		h.Bad = true
	}
}

// oldNames reads the directories and files of versions 2 to 4.
func (h *lineHeader) oldNames(compDir int) {
	h.longest = compDir
	for !h.Bad {
		n := len(h.Text())
		if n == 0 {
			break
		}
		h.countName(n, compDir)
		h.longest = max(h.longest, compDir+n)
	}
	for !h.Bad {
		n := len(h.Text())
		if n == 0 {
			break
		}
		h.countName(n, h.longest)
		h.ULEB()
		h.ULEB()
		h.ULEB()
	}
}

// readEntries reads the formats and entries of the directories or files of
// version 5; dir is the length of the directory that may come before a name.
func (h *lineHeader) readEntries(dir int) {
	forms := make([]uint64, h.U8())
	is := -1 // which of them is the name
	for i := range forms {
		const path = 1 // DW_LNCT_path
		if h.ULEB() == path {
			is = i
		}
		forms[i] = h.ULEB()
	}
	count := h.ULEB()
	if len(forms) == 0 && count > 0 {
		h.Bad = true
	}
	for n := 0; count > 0 && !h.Bad; count, n = count-1, n+1 {
		h.countName(0, dir)
		for i, form := range forms {
			text := h.readForm(form)
			if i == is && h.absolute != nil && !h.Bad && len(text) > 0 && text[0] == '/' {
				h.absolute[n] = string(text)
			}
		}
	}
}

// readForm passes over a value of version 5 (DWARF 5, section 6.2.4.1) and counts
// and returns it if it is a name.
func (h *lineHeader) readForm(form uint64) (text []byte) {
	switch form {
	case 0x08: // string
		text = h.Text()
	case 0x1f: // line_strp
		text = h.indirectString(h.f.lstr)
	case 0x0e: // strp
		text = h.indirectString(h.f.str)
	case 0x0b: // data1
		h.Take(1)
	case 0x05: // data2
		h.Take(2)
	case 0x06: // data4
		h.Take(4)
	case 0x07: // data8
		h.Take(8)
	case 0x1e: // data16
		h.Take(16)
	case 0x0f: // udata
		h.ULEB()
	case 0x09: // block
		h.Take(h.ULEB())
	default:
		h.Bad = true
	}
	h.countName(len(text), 0)
	h.longest = max(h.longest, len(text))
	return text
}

func (h *lineHeader) indirectString(section []byte) []byte {
	off := h.Offset(h.is64)
	if off > uint64(len(section)) {
		h.Bad = true
		return nil
	}
	// A longer string is refused, so no more of it need be looked at.
	rest := section[off:]
	c := cursor.Cursor{Bytes: rest[:min(len(rest), maxPath+1)], Order: h.Order}
	text := c.Text()
	h.Bad = h.Bad || c.Bad
	return text
}

// CodedLines are the source lines that have code, of the units that were added.
// The zero value is empty.
type CodedLines struct {
	units map[*unit]bool
	lines map[string]map[int]bool
}

// LinesOf returns the lines of a file; the caller must not change it.
func (l *CodedLines) LinesOf(file string) map[int]bool { return l.lines[file] }

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
	c.m.addNotes(guardFile(f.img.path, func() error {
		t, err := f.linesOf(u)
		if err == nil {
			l.addTable(t)
		}
		return err
	}))
}

func (l *CodedLines) addTable(t *lineTable) {
	for _, seq := range t.seqs.list {
		for i, r := range seq.item {
			if i+1 < len(seq.item) && seq.item[i+1].addr == r.addr {
				continue // a line that the compiler only mentions
			}
			name := t.fileName(int64(r.file))
			if l.lines[name] == nil {
				l.lines[name] = map[int]bool{}
			}
			l.lines[name][int(r.line)] = true
		}
	}
}
