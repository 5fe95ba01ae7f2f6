package symbol

import (
	"cmp"
	"regexp"
	"strings"
	"sync"

	"laggard/model"
)

// Resolver finds the locations of addresses. It opens each module once, when
// it is first asked about. Safe for concurrent use.
type Resolver struct {
	config  Config
	library []*regexp.Regexp // of Config.Library
	mu      sync.Mutex
	modules map[moduleKey]*module
	cache   map[addressKey]Location
	names   *Names // of the run directory; nil: not read yet
	nameErr error
}

type moduleKey struct{ id, path string }

type addressKey struct {
	moduleKey
	pc uint64
}

// New returns a Resolver that looks in the places of c.
func New(c Config) *Resolver {
	return &Resolver{config: c, library: libraryPatterns(c.Library), modules: map[moduleKey]*module{}, cache: map[addressKey]Location{}}
}

// Resolve returns what a frame stands for. isReturn says that the frame is a
// return address; the call is then before it, possibly on another line. It is
// false for the innermost frame of a model.Capture only. Resolve always gives
// an answer: the module and offset at least, and in Note what is missing.
func (r *Resolver) Resolve(f model.Frame, isReturn bool) Location {
	l := r.resolve(f, isReturn)
	l.Library = r.isLibrary(&l)
	return l
}

func (r *Resolver) resolve(f model.Frame, isReturn bool) Location {
	if f.Module == nil {
		return Location{Offset: f.Offset, Note: "no module mapped there"}
	}
	if loc, ok := pythonLocation(f); ok {
		return loc
	}
	named, known := r.namedLocation(f)
	if known && f.Module.BuildID == namesID {
		return named
	}
	loc := r.lookupFile(f, isReturn)
	if known && !loc.Exact {
		return named
	}
	return loc
}

// namedLocation returns what the run directory calls a frame. A file of names that
// cannot be read is told of by the frames that have no other names.
func (r *Resolver) namedLocation(f model.Frame) (Location, bool) {
	r.mu.Lock()
	if r.names == nil {
		r.names = &Names{}
		if r.config.RunDir != "" {
			r.names, r.nameErr = ReadNames(r.config.RunDir)
		}
	}
	names, err := r.names, r.nameErr
	r.mu.Unlock()
	loc, known := names.Lookup(f)
	if !known && f.Module.BuildID == namesID {
		loc = Location{Module: f.Module.Path, Offset: f.Offset, Note: "its name is not in " + NamesFile}
		if err != nil {
			loc.Note = err.Error()
		}
		return loc, true
	}
	return loc, known
}

// lookupFile finds the location in the files of the module.
func (r *Resolver) lookupFile(f model.Frame, isReturn bool) Location {
	pc := f.Offset
	if isReturn && pc > 0 {
		pc--
	}
	key := addressKey{moduleKey{f.Module.BuildID, f.Module.Path}, pc}
	r.mu.Lock()
	loc, ok := r.cache[key]
	m := r.moduleFor(key.moduleKey)
	r.mu.Unlock()
	if !ok {
		loc = m.resolvePC(r.config, pc)
		r.mu.Lock()
		r.cache[key] = loc
		r.mu.Unlock()
	}
	loc.Module, loc.Offset = f.Module.Path, f.Offset
	return loc
}

// ResolveStack resolves a whole stack, innermost frame first. atPC says that its
// innermost frame is a program counter (model.Capture) and not a return
// address (model.State).
func (r *Resolver) ResolveStack(frames []model.Frame, atPC bool) []Location {
	stack := make([]Location, len(frames))
	for i, f := range frames {
		stack[i] = r.Resolve(f, i > 0 || !atPC)
	}
	markApplication(stack, r.library)
	return stack
}

// ResolveProgramStack is ResolveStack without the frames that start the program or the thread (TrimStack). What the C
// library does around the program is cut whatever it is called, so it is not looked up: to open debug information takes
// as long as to diagnose a thousand ranks.
func (r *Resolver) ResolveProgramStack(frames []model.Frame, atPC bool) []Location {
	stack := make([]Location, len(frames))
	known, program := make([]bool, len(frames)), false
	resolve := func(i int) {
		if !known[i] {
			stack[i], known[i] = r.Resolve(frames[i], i > 0 || !atPC), true
		}
	}
	for i, f := range frames {
		if f.Module != nil {
			stack[i].Module, stack[i].Offset = f.Module.Path, f.Offset
		}
		if !program || !InLibc(stack[i]) {
			resolve(i)
		}
		program = program || !InLibc(stack[i])
	}
	for i := range len(TrimStack(stack)) {
		resolve(i)
	}
	stack = TrimStack(stack)
	markApplication(stack, r.library)
	return stack
}

// moduleFor returns the entry of a module, with r.mu held.
func (r *Resolver) moduleFor(key moduleKey) *module {
	m := r.modules[key]
	if m == nil {
		m = &module{moduleKey: key}
		r.modules[key] = m
	}
	return m
}

// Close unmaps all files. Locations stay valid; the Resolver must not be used
// any more.
func (r *Resolver) Close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, m := range r.modules {
		m.close()
	}
	r.modules, r.cache = nil, nil
}

// module is a recorded module and the files found for it.
type module struct {
	moduleKey
	mu       sync.Mutex
	opened   bool
	images   []*image // to be closed
	image    *image   // nil: not found
	verified bool
	notes    []string // hold for every address of it
	lack     string   // of addresses that no symbol covers; "" not asked yet
	debug    *debugFile
	tables   []symbols
	objects  []symbols         // of data, in the order of tables
	slots    []slot            // what the loader fills in; nil: not read yet
	methods  map[uint64]string // of an extension module of Python, by their starts; nil: not read yet
	shown    map[string]Call   // names for a screen, by linker name
}

func (m *module) close() {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, img := range m.images {
		img.close()
	}
	m.images, m.image, m.debug, m.tables = nil, nil, nil, nil
}

func (m *module) ensureOpen(c Config) {
	if !m.opened {
		m.opened = true
		m.addNotes(guardFile(m.path, func() error { m.openFiles(c); return nil }))
	}
}

func (m *module) resolvePC(c Config, pc uint64) Location {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.ensureOpen(c)
	loc := Location{Note: strings.Join(m.notes, "; ")}
	if m.image == nil {
		return loc
	}
	if err := guardFile(m.image.path, func() error { m.fillLocation(&loc, pc); return nil }); err != nil {
		loc.addNote(err.Error())
	}
	return loc
}

func (m *module) fillLocation(loc *Location, pc uint64) {
	if !m.image.isExecutable(pc) {
		loc.addNote("no code at that address")
		return
	}
	m.fillFromDebug(loc, pc)
	name := m.symbolAt(pc)
	call := loc.outermost()
	if name == "" || strings.HasPrefix(name, cythonName) {
		loc.Start, _, _ = m.image.unwindRange(pc)
		name = cmp.Or(m.pythonMethod(loc.Start), name)
	}
	stub := name == "" && call.Function == "" && m.image.isLinkageStub(pc)
	switch {
	case call.Function != "":
		// Compilers give C++ functions that no other file sees no linker
		// name in the debug information, but one in the symbols.
		if strings.HasPrefix(name, "_Z") && !strings.HasPrefix(call.Function, "_Z") ||
			name != "" && strings.HasPrefix(call.Function, cythonName) {
			call.Function = name
		}
	case stub:
		loc.addNote("a stub through which a function of another module is called")
	case name == "":
		loc.addNote(m.missingSymbolNote())
	default:
		call.Function = name
	}
	loc.Exact = m.verified && call.Function != ""
	loc.demangleNames()
	loc.findWrappers(func() bool { return m.isForwarder(pc) })
	call.Wrapper = call.Wrapper || stub
}

// missingSymbolNote says what an address without a symbol lacks. Of an installed file it names the
// package that may have it.
func (m *module) missingSymbolNote() string {
	if m.lack == "" {
		m.lack = "no symbol covers that address"
		if m.debug == nil && m.verified && m.image.path == m.path {
			if name := debugPackage(m.path); name != "" {
				m.lack += "; " + name + " may have it"
			}
		}
	}
	return m.lack
}

// outermost returns the level that is a function of its own.
func (l *Location) outermost() *Call {
	if len(l.Inlined) > 0 {
		return &l.Inlined[len(l.Inlined)-1]
	}
	return &l.Call
}

// demangleNames replaces the linker names in Function.
func (l *Location) demangleNames() {
	l.Function, l.Signature = displayNames(l.Function)
	for i := range l.Inlined {
		in := &l.Inlined[i]
		in.Function, in.Signature = displayNames(in.Function)
	}
}

func (m *module) fillFromDebug(loc *Location, pc uint64) {
	if m.debug == nil {
		return
	}
	calls, split, err := m.debug.lookupCalls(pc)
	if err != nil {
		loc.addNote(err.Error())
		return
	}
	if split {
		loc.addNote("split debug information (.dwo) is not read")
	}
	if len(calls) > 0 {
		loc.Call = calls[0]
		loc.Inlined = calls[1:]
		loc.Column = m.debug.columnAt(pc)
	}
	if len(loc.Inlined) == 0 {
		loc.Inlined = nil
	}
}

// symbolAt returns the name of the function that covers pc, "" if no symbol does.
func (m *module) symbolAt(pc uint64) string {
	for _, t := range m.tables {
		if x, ok := t.funcs.find(pc); ok {
			if name := t.bestName(x); name != "" {
				return name
			}
		}
	}
	for _, t := range m.tables {
		if x, ok := t.unsizedAt(pc); ok && m.image.mayReach(x.addr, pc) {
			return t.bestName(x)
		}
	}
	return ""
}

// openFiles finds and reads the files of the module, and notes what it cannot have.
func (m *module) openFiles(c Config) {
	img, problems := m.findImage(c)
	if img == nil {
		m.addNotes(problems...)
		if len(problems) == 0 {
			m.notes = append(m.notes, "file not found: "+m.path)
		}
		return
	}
	m.image, m.images = img, []*image{img}
	if m.verified = m.id != ""; !m.verified {
		m.notes = append(m.notes, "unverified: no build-id recorded, found "+shortBuildID(img.buildID))
	}
	sources := []*image{img}
	if !img.hasDWARF() {
		separate, problems := c.debugImage(img)
		m.addNotes(problems...)
		if separate != nil {
			m.images = append(m.images, separate)
			sources = append([]*image{separate}, sources...)
		}
	}
	if sources[0].hasDWARF() {
		m.openDebug(c, sources[0])
	}
	m.openSymbols(sources)
}

// findImage looks for the module itself, then for its debug file alone.
func (m *module) findImage(c Config) (*image, []error) {
	accept := sameID(m.id)
	if m.id == "" {
		accept = func(*image) error { return nil }
	}
	img, problems := openFirst(c.modulePaths(m.path, m.id), accept)
	if img == nil && m.id != "" {
		img, _ = openFirst(c.byBuildID(m.id, ".debug"), accept)
	}
	for _, kind := range []string{"executable", "debuginfo"} {
		if img == nil {
			img, problems = c.fetchImage(m.id, kind, problems)
		}
	}
	return img, problems
}

func (m *module) openDebug(c Config, img *image) {
	alt, problems := c.altImage(img)
	m.addNotes(problems...)
	var shared *debugFile
	if alt != nil {
		m.images = append(m.images, alt)
		f, err := openDebug(alt, nil)
		m.addNotes(err)
		shared = f
	}
	f, err := openDebug(img, shared)
	m.addNotes(err)
	m.debug = f
}

func (m *module) openSymbols(sources []*image) {
	for _, img := range sources {
		m.addNotes(guardFile(img.path, func() error {
			tables, err := img.readSymtab()
			m.tables = append(m.tables, tables...)
			return err
		}))
	}
}

func (m *module) addNotes(problems ...error) {
	for _, err := range problems {
		if err != nil {
			m.notes = append(m.notes, strings.TrimPrefix(err.Error(), "symbol: "))
		}
	}
}
