package symbol

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"laggard/internal/musttest"
	"laggard/model"

	"github.com/ulikunitz/xz"
)

// place is a function of a test program with the line on which it starts.
type place struct {
	prog string
	mod  *model.Module
	addr uint64
	all  map[string]code
}

// plainC builds plain.c and finds work, which starts on line 15.
func plainC(t *testing.T, flags ...string) place {
	prog := buildSource(t, "gcc", "plain.c", append([]string{"-O0", "-g"}, flags...)...)
	all := functionSymbols(t, prog)
	return place{prog, recordedModule(t, prog), all["work"].addr, all}
}

const workLine = 15

func (p place) resolveWork(t *testing.T, c Config) Location {
	return newTestResolver(t, c).Resolve(model.Frame{Module: p.mod, Offset: p.addr}, false)
}

func wantLine(t *testing.T, l Location, exact bool, note string) {
	t.Helper()
	if l.Function != "work" || l.Line != workLine || filepath.Base(l.File) != "plain.c" {
		t.Errorf("got %v, want work (plain.c:%d)", l, workLine)
	}
	if l.Exact != exact || !strings.Contains(l.Note, note) || (note == "" && l.Note != "") {
		t.Errorf("exact %v, note %q; want %v, %q", l.Exact, l.Note, exact, note)
	}
}

// separateDebug moves the debug information of p to a file and links to it.
func separateDebug(t *testing.T, p place) (debug string) {
	requirePrograms(t, "objcopy", "strip")
	dir := filepath.Dir(p.prog)
	runProgram(t, dir, "objcopy", "--only-keep-debug", "prog", "prog.debug")
	runProgram(t, dir, "strip", "prog")
	runProgram(t, dir, "objcopy", "--add-gnu-debuglink=prog.debug", "prog")
	return filepath.Join(dir, "prog.debug")
}

func moveFile(t *testing.T, from, to string) string {
	t.Helper()
	musttest.Succeed(t, os.MkdirAll(filepath.Dir(to), 0o700))
	musttest.Succeed(t, os.Rename(from, to))
	return to
}

func TestDebugLink(t *testing.T) {
	for _, where := range []string{"prog.debug", ".debug/prog.debug"} {
		p := plainC(t, "-Wl,--build-id=none")
		debug := separateDebug(t, p)
		moveFile(t, debug, filepath.Join(filepath.Dir(p.prog), where))
		wantLine(t, p.resolveWork(t, Config{}), false, "unverified: no build-id recorded")
	}
}

func TestDebugLinkChecksum(t *testing.T) {
	p := plainC(t, "-Wl,--build-id=none")
	f := musttest.Get(os.OpenFile(separateDebug(t, p), os.O_APPEND|os.O_WRONLY, 0))(t)
	f.WriteString("x")
	f.Close()
	l := p.resolveWork(t, Config{})
	if l.Line != 0 || !strings.Contains(l.Note, "checksum is not that of .gnu_debuglink") {
		t.Errorf("got %v, note %q", l, l.Note)
	}
}

func TestDebugLinkBuildID(t *testing.T) {
	p, other := plainC(t), plainC(t, "-DOTHER", "-O1")
	debug := separateDebug(t, p)
	moveFile(t, separateDebug(t, other), debug)
	l := p.resolveWork(t, Config{})
	if l.Line != 0 || !strings.Contains(l.Note, "build-id differs") {
		t.Errorf("got %v, note %q", l, l.Note)
	}
}

func TestDebugByBuildID(t *testing.T) {
	p := plainC(t)
	dir := t.TempDir()
	id := p.mod.BuildID
	moveFile(t, separateDebug(t, p), filepath.Join(dir, ".build-id", id[:2], id[2:]+".debug"))
	wantLine(t, p.resolveWork(t, Config{DebugDirs: []string{dir}}), true, "")

	// The program itself is gone: its debug file is enough.
	musttest.Succeed(t, os.Remove(p.prog))
	wantLine(t, p.resolveWork(t, Config{DebugDirs: []string{dir}}), true, "")
	l := p.resolveWork(t, Config{})
	if l.Function != "" || !strings.Contains(l.Note, "file not found") {
		t.Errorf("got %v, note %q", l, l.Note)
	}
}

func TestOtherPlaces(t *testing.T) {
	p := plainC(t)
	root := t.TempDir()
	moved := moveFile(t, p.prog, filepath.Join(root, p.prog))
	wantLine(t, p.resolveWork(t, Config{Roots: []string{"/nonexistent", root}}), true, "")
	moveFile(t, moved, filepath.Join(root, "run", "prog"))
	wantLine(t, p.resolveWork(t, Config{RunDir: filepath.Join(root, "run")}), true, "")
}

func TestBuildIDDiffers(t *testing.T) {
	p, other := plainC(t), plainC(t, "-O2")
	root := t.TempDir()
	moveFile(t, p.prog, filepath.Join(root, "prog"))
	wrong := moveFile(t, other.prog, p.prog)
	l := p.resolveWork(t, Config{})
	want := "build-id differs: recorded " + p.mod.BuildID[:8] + "…, found " + other.mod.BuildID[:8] + "…"
	if l.Function != "" || l.Exact || !strings.Contains(l.Note, want) || !strings.Contains(l.Note, wrong) {
		t.Errorf("got %v, note %q, want %q", l, l.Note, want)
	}
	if l.Module != p.prog || l.Offset != p.addr {
		t.Errorf("module %s+%#x", l.Module, l.Offset)
	}
	wantLine(t, p.resolveWork(t, Config{Roots: []string{root}}), true, "")
}

func TestReturnAddress(t *testing.T) {
	// fail does not return, so the return address of its caller's call to
	// exit is behind the end of the function.
	p := plainC(t)
	fail := p.all["fail"]
	r := newTestResolver(t, Config{})
	f := model.Frame{Module: p.mod, Offset: fail.addr + fail.size}
	if l := r.Resolve(f, true); l.Function != "fail" || l.Line != 7 || l.Offset != f.Offset {
		t.Errorf("return address: got %v", l)
	}
	if l := r.Resolve(f, false); l.Function == "fail" {
		t.Errorf("program counter: got %v", l)
	}
	stack := r.ResolveStack([]model.Frame{f, f}, true)
	if stack[0].Function == "fail" || stack[1].Function != "fail" {
		t.Errorf("captured stack: %v", stack)
	}
}

// TestStripped: only the dynamic symbols are left, as in Debian's LAMMPS.
func TestStripped(t *testing.T) {
	requirePrograms(t, "strip")
	prog := buildSource(t, "gcc", "plain.c", "-O0", "-g", "-rdynamic")
	all := functionSymbols(t, prog)
	mod := recordedModule(t, prog)
	runProgram(t, filepath.Dir(prog), "strip", "prog")
	r := newTestResolver(t, Config{})
	work := all["work"]
	l := r.Resolve(model.Frame{Module: mod, Offset: work.addr + work.size}, true)
	if l.Function != "work" || !l.Exact || l.File != "" || l.Note != "" {
		t.Errorf("work: got %v, exact %v, note %q", l, l.Exact, l.Note)
	}
	for _, past := range []uint64{0, all["clamp"].size - 1} {
		l = r.Resolve(model.Frame{Module: mod, Offset: all["clamp"].addr + past}, false)
		if l.Exact || l.Function != "" || l.Start != all["clamp"].addr || l.Note != "no symbol covers that address" {
			t.Errorf("clamp, which is static: got %v, exact %v, start %#x, note %q", l, l.Exact, l.Start, l.Note)
		}
	}
}

// TestUnsized: a symbol without a size covers what is up to the next symbol.
func TestUnsized(t *testing.T) {
	prog := buildSource(t, "gcc", "unsized.s")
	img := musttest.Get(openImage(prog))(t)
	defer img.close()
	tables := musttest.Get(img.readSymtab())(t)
	at := map[string]uint64{}
	for _, s := range tables[0].funcs.list {
		at[tables[0].symbolName(s.item)] = s.lo
	}
	mod, r := recordedModule(t, prog), newTestResolver(t, Config{})
	for _, c := range []struct {
		name string
		past uint64
		want string
	}{
		{"main", 0, "main"}, {"main", 62, "main"}, {"main", 63, "second"}, {"sized", 0, "sized"},
		{"sized", 1, ""}, {"sized", 300, ""},
	} {
		l := r.Resolve(model.Frame{Module: mod, Offset: at[c.name] + c.past}, false)
		if l.Function != c.want || l.Exact != (c.want != "") {
			t.Errorf("%s+%d: %v, exact %t, want %q", c.name, c.past, l, l.Exact, c.want)
		}
	}
}

// TestMiniSymbols: a stripped program with .gnu_debugdata, as in Fedora.
func TestMiniSymbols(t *testing.T) {
	requirePrograms(t, "strip", "objcopy")
	p := plainC(t)
	dir := filepath.Dir(p.prog)
	runProgram(t, dir, "objcopy", "--strip-debug", "prog", "mini")
	data := musttest.Get(os.ReadFile(filepath.Join(dir, "mini")))(t)
	var packed bytes.Buffer
	w := musttest.Get(xz.NewWriter(&packed))(t)
	w.Write(data)
	w.Close()
	musttest.Succeed(t, os.WriteFile(filepath.Join(dir, "mini.xz"), packed.Bytes(), 0o600))
	runProgram(t, dir, "strip", "prog")
	runProgram(t, dir, "objcopy", "--add-section", ".gnu_debugdata=mini.xz", "prog")
	p.addr = p.all["clamp"].addr
	if l := p.resolveWork(t, Config{}); l.Function != "clamp" || !l.Exact {
		t.Errorf("got %v, exact %v, note %q", l, l.Exact, l.Note)
	}
}

// TestDwz: what two programs share lies in a third file.
func TestDwz(t *testing.T) {
	requirePrograms(t, "dwz")
	a := buildSource(t, "g++", "tool.cc", "-O2", "-g")
	dir := filepath.Dir(a)
	data := musttest.Get(os.ReadFile(a))(t)
	musttest.Succeed(t, os.WriteFile(filepath.Join(dir, "twin"), data, 0o700))
	fn := functionSymbols(t, a)["_ZN5outer9outermostEi"]
	mod := recordedModule(t, a)
	before := chainAt(t, mod, fn)
	runProgram(t, dir, "dwz", "-m", "shared.dwz", "prog", "twin")
	img := musttest.Get(openImage(a))(t)
	link, _ := img.sectionData(".gnu_debugaltlink")
	img.close()
	if link == nil {
		t.Skip("this dwz shared nothing")
	}
	if after := chainAt(t, mod, fn); after != before || !strings.Contains(before, "hidden") {
		t.Errorf("before %s\nafter  %s", before, after)
	}
	musttest.Succeed(t, os.Remove(filepath.Join(dir, "shared.dwz")))
	l := newTestResolver(t, Config{}).Resolve(model.Frame{Module: mod, Offset: fn.addr}, false)
	if !strings.Contains(l.Note, ".gnu_debugaltlink was not found") || l.Function != "outer::outermost" {
		t.Errorf("without the shared file: %v, note %q", l, l.Note)
	}
}

// chainAt describes every byte of a function.
func chainAt(t *testing.T, mod *model.Module, fn code) string {
	r := newTestResolver(t, Config{})
	var all strings.Builder
	for a := fn.addr; a < fn.addr+fn.size; a++ {
		all.WriteString(describeLocation(r.Resolve(model.Frame{Module: mod, Offset: a}, false)) + "\n")
	}
	return all.String()
}

func TestSplitDWARF(t *testing.T) {
	for _, v := range []string{"-gdwarf-4", "-gdwarf-5"} {
		p := plainC(t, v, "-gsplit-dwarf")
		wantLine(t, p.resolveWork(t, Config{}), true, "split debug information (.dwo) is not read")
	}
}

func TestNoModule(t *testing.T) {
	l := newTestResolver(t, Config{}).Resolve(model.Frame{Offset: 0x1234}, true)
	if l.String() != "0x1234" || l.Exact || l.Note != "no module mapped there" {
		t.Errorf("got %v, exact %v, note %q", l, l.Exact, l.Note)
	}
}
