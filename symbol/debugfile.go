package symbol

import (
	"debug/dwarf"
	"encoding/binary"
	"fmt"
	"slices"
	"sort"

	"laggard/binary/cursor"
)

// debugFile is the DWARF of one file. Units are indexed by address when it is
// opened; what is inside a unit is read when an address in it is asked for.
// Not safe for concurrent use.
type debugFile struct {
	img    *image
	data   *dwarf.Data
	order  binary.ByteOrder
	infoSz int64
	line   []byte
	lstr   []byte
	str    []byte
	alt    *debugFile // what dwz moved out of this file; nil if none or not found
	units  []*unit    // in order of root
	byPC   spans[*unit]
	tables map[int64]*lineTable    // by offset in .debug_line
	scopes map[dwarf.Offset]*scope // of functions, by their entry
	types  map[dwarf.Offset]*Type

	loclists, loc, addrs []byte // sections of lists of locations, and of addresses
}

// unit is one compilation unit.
type unit struct {
	root  dwarf.Offset // of its first entry
	end   dwarf.Offset
	split bool // its entries are in a .dwo file
	funcs *spans[dwarf.Offset]
	full  bool // funcs holds the nested functions too

	fortran           bool
	low               uint64 // what addresses in lists are relative to
	locBase, addrBase int64
	static            []Variable // in no function, by address
	declared          map[string]*Type
	known             bool                            // static and declared were read
	heirs             map[dwarf.Offset][]dwarf.Offset // classes by the class that they begin with; nil: not read
}

// openDebug reads the unit index of img. alt may be nil.
func openDebug(img *image, alt *debugFile) (*debugFile, error) {
	f := &debugFile{img: img, order: img.elf.ByteOrder, alt: alt, tables: map[int64]*lineTable{},
		scopes: map[dwarf.Offset]*scope{}, types: map[dwarf.Offset]*Type{}}
	err := guardFile(img.path, func() error {
		if err := f.loadSections(); err != nil {
			return err
		}
		return f.indexUnits()
	})
	if err != nil {
		return nil, err
	}
	return f, nil
}

func (f *debugFile) loadSections() error {
	names := []string{".debug_info", ".debug_abbrev", ".debug_line", ".debug_ranges", ".debug_str",
		".debug_addr", ".debug_line_str", ".debug_str_offsets", ".debug_rnglists", ".debug_loclists", ".debug_loc"}
	sec := map[string][]byte{}
	for _, name := range names {
		b, err := f.img.sectionData(name)
		if err != nil {
			return err
		}
		sec[name] = b
	}
	info, abbrev := sec[".debug_info"], sec[".debug_abbrev"]
	f.infoSz = int64(len(info))
	f.line, f.lstr, f.str = sec[".debug_line"], sec[".debug_line_str"], sec[".debug_str"]
	f.loclists, f.loc, f.addrs = sec[".debug_loclists"], sec[".debug_loc"], sec[".debug_addr"]
	var err error
	if f.units, err = unitHeaders(info, abbrev, f.order); err != nil {
		return err
	}
	f.data, err = dwarf.New(abbrev, nil, nil, info, f.line, nil, sec[".debug_ranges"], f.str)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	for _, name := range names[5:9] {
		if err := f.data.AddSection(name, sec[name]); err != nil {
			return fmt.Errorf("%w: %w", ErrMalformed, err)
		}
	}
	return nil
}

// unitHeaders finds the first entry of each unit, which debug/dwarf does not
// tell, and checks the abbreviation tables.
func unitHeaders(info, abbrev []byte, order binary.ByteOrder) ([]*unit, error) {
	var units []*unit
	tables := map[uint64]bool{}
	c := cursor.Cursor{Bytes: info, Order: order}
	for c.Left() > 0 {
		n, is64 := c.UnitLength()
		start := c.Off
		if c.Bad || n > uint64(c.Left()) {
			return nil, fmt.Errorf("%w: .debug_info ends inside a unit", ErrMalformed)
		}
		if n == 0 {
			continue
		}
		table, typ := unitHeader(&c, is64)
		tables[table] = true
		end := start + int(n)
		if c.Bad || c.Off > end {
			return nil, fmt.Errorf("%w: unit header at %#x", ErrMalformed, start)
		}
		if typ != utType && typ != utSplitType {
			units = append(units, &unit{root: dwarf.Offset(c.Off), end: dwarf.Offset(end), split: typ == utSkeleton})
		}
		c.Off = end
	}
	return units, checkAbbrevs(abbrev, tables, order)
}

// Unit types of DWARF 5, section 7.5.1.
const (
	utType         = 2
	utSkeleton     = 4
	utSplitCompile = 5
	utSplitType    = 6
)

// unitHeader reads a header behind its length field.
func unitHeader(c *cursor.Cursor, is64 bool) (abbrev uint64, typ byte) {
	if c.Fixed(2) < 5 {
		abbrev = c.Offset(is64)
		c.U8()
		return abbrev, 0
	}
	typ = c.U8()
	c.U8()
	abbrev = c.Offset(is64)
	switch typ {
	case utSkeleton, utSplitCompile:
		c.Take(8)
	case utType, utSplitType:
		c.Take(8)
		c.Offset(is64)
	}
	return abbrev, typ
}

// checkAbbrevs refuses abbreviation tables that overlap: debug/dwarf reads
// each one wholly, so overlapping ones could ask for the square of the file.
func checkAbbrevs(abbrev []byte, tables map[uint64]bool, order binary.ByteOrder) error {
	const fact = 4 // dwz shares the tail of a table here and there
	total := 0
	for off := range tables {
		if off > uint64(len(abbrev)) {
			return fmt.Errorf("%w: abbreviations at %#x", ErrMalformed, off)
		}
		c := cursor.Cursor{Bytes: abbrev, Off: int(off), Order: order}
		skipAbbrevs(&c)
		if total += c.Off - int(off); total > fact*len(abbrev) {
			return fmt.Errorf("%w: abbreviation tables overlap", ErrMalformed)
		}
	}
	return nil
}

func skipAbbrevs(c *cursor.Cursor) {
	const implicitConst = 0x21
	for !c.Bad && c.Left() > 0 && c.ULEB() != 0 {
		c.ULEB()
		c.U8()
		for !c.Bad {
			attr, form := c.ULEB(), c.ULEB()
			if form == implicitConst {
				c.ULEB()
			}
			if attr == 0 && form == 0 {
				break
			}
		}
	}
}

func (f *debugFile) indexUnits() error {
	var list []span[*unit]
	w := f.newWalker()
	for _, u := range f.units {
		e, err := w.enterUnit(u)
		if err != nil {
			return err
		}
		if e.Val(attrDwoName) != nil || e.Val(attrGNUDwoName) != nil {
			u.split = true
		}
		u.readAttributes(e)
		ranges, err := w.entryRanges(e)
		if err != nil {
			return err
		}
		for _, r := range ranges {
			list = append(list, span[*unit]{r[0], r[1], u})
		}
	}
	f.byPC = newSpans(list)
	return nil
}

// readAttributes notes what the first entry of a unit says of the others.
func (u *unit) readAttributes(root *dwarf.Entry) {
	u.low, _ = root.Val(dwarf.AttrLowpc).(uint64)
	u.locBase, _ = root.Val(dwarf.AttrLoclistsBase).(int64)
	u.addrBase, _ = root.Val(dwarf.AttrAddrBase).(int64)
	language, _ := root.Val(dwarf.AttrLanguage).(int64)
	u.fortran = slices.Contains(fortranLanguages, language)
}

// fortranLanguages are those that count from 1 (DWARF 5, table 7.17): Fortran 77,
// 90, 95, 2003, 2008 and 2018.
var fortranLanguages = []int64{0x07, 0x08, 0x0e, 0x22, 0x23, 0x2d}

// Attributes that debug/dwarf has no name for.
const (
	attrDwoName     dwarf.Attr = 0x76
	attrGNUDwoName  dwarf.Attr = 0x2130
	attrMIPSLinkage dwarf.Attr = 0x2007
)

// unitAt returns the unit whose entries include off, nil if there is none.
func (f *debugFile) unitAt(off dwarf.Offset) *unit {
	i := sort.Search(len(f.units), func(i int) bool { return f.units[i].root > off }) - 1
	if i < 0 || off >= f.units[i].end {
		return nil
	}
	return f.units[i]
}

// walker reads entries of one unit after the other, with an end to its
// patience: entries may refer to strings and ranges that are long and shared,
// so the work could otherwise be the square of the file.
type walker struct {
	f    *debugFile
	r    *dwarf.Reader
	end  dwarf.Offset
	left int64
}

func (f *debugFile) newWalker() *walker {
	const factor, floor = 32, 1 << 20
	return &walker{f: f, r: f.data.Reader(), left: floor + factor*f.infoSz}
}

// enterUnit goes to the first entry of a unit and returns it. debug/dwarf needs to
// have read it before it can decode others that use indexed forms.
func (w *walker) enterUnit(u *unit) (*dwarf.Entry, error) {
	w.end = u.end
	w.r.Seek(u.root)
	e, err := w.next()
	if err == nil && e == nil {
		err = fmt.Errorf("%w: empty unit at %#x", ErrMalformed, u.root)
	}
	return e, err
}

// entryAt goes to the entry at off, in whatever unit that is, and returns it.
func (w *walker) entryAt(off dwarf.Offset) (*dwarf.Entry, error) {
	u := w.f.unitAt(off)
	if u == nil {
		return nil, fmt.Errorf("%w: reference to %#x", ErrMalformed, off)
	}
	root, err := w.enterUnit(u)
	if err != nil || off == u.root {
		return root, err
	}
	w.r.Seek(off)
	e, err := w.next()
	if err == nil && e == nil {
		err = fmt.Errorf("%w: reference to %#x", ErrMalformed, off)
	}
	return e, err
}

// next returns the next entry of the unit, with Tag 0 at the end of a list of
// children, nil at the end of the unit.
func (w *walker) next() (*dwarf.Entry, error) {
	e, err := w.r.Next()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	if e == nil || e.Offset >= w.end {
		return nil, nil
	}
	cost := 1 + int64(len(e.Field))
	for _, f := range e.Field {
		if s, ok := f.Val.(string); ok {
			cost += int64(len(s)) / 8
		}
	}
	return e, w.spendWork(cost)
}

func (w *walker) spendWork(n int64) error {
	if w.left -= n; w.left < 0 {
		return fmt.Errorf("%w: debug information asks for too much work", ErrMalformed)
	}
	return nil
}

// skipChildren passes over the children of e, the entry just read.
func (w *walker) skipChildren(e *dwarf.Entry) error {
	if !e.Children {
		return nil
	}
	if sib, ok := e.Val(dwarf.AttrSibling).(dwarf.Offset); ok && sib > e.Offset && sib < w.end {
		w.r.Seek(sib)
		return nil
	}
	for depth := 1; depth > 0; {
		e, err := w.next()
		switch {
		case err != nil || e == nil:
			return err
		case e.Tag == 0:
			depth--
		case e.Children:
			depth++
		}
	}
	return nil
}

// entryRanges returns the addresses of an entry, without those of dropped code.
func (w *walker) entryRanges(e *dwarf.Entry) ([][2]uint64, error) {
	all, err := w.f.data.Ranges(e)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	kept := all[:0]
	for _, r := range all {
		if r[0] < r[1] && w.f.img.isExecutable(r[0]) {
			kept = append(kept, r)
		}
	}
	return kept, w.spendWork(int64(len(all)))
}
