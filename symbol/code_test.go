package symbol

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"laggard/internal/musttest"
	"laggard/model"
)

// openCode returns the code of a program.
func openCode(t *testing.T, path string, c Config) *Code {
	t.Helper()
	return musttest.Get(newTestResolver(t, c).CodeOf(recordedModule(t, path)))(t)
}

// TestCodeOfStripped: without symbols the unwinding information still tells
// where functions begin and end.
func TestCodeOfStripped(t *testing.T) {
	for _, flags := range [][]string{{"-O0"}, {"-O2"}, {"-O2", "-no-pie"}, {"-O2", "-fPIC", "-shared"}} {
		path := buildSource(t, "gcc", "plain.c", flags...)
		want := functionSymbols(t, path)
		runProgram(t, filepath.Dir(path), "strip", path)
		code := openCode(t, path, Config{})
		found := 0
		for name, f := range want {
			if name == "main" || name == "work" || name == "fail" {
				got, ok := code.FunctionAt(f.addr + f.size/2)
				if !ok || got.Lo != f.addr || got.Hi != f.addr+f.size {
					t.Errorf("%v: %s: %#x-%#x, %v, want %#x-%#x", flags, name, got.Lo, got.Hi, ok, f.addr,
						f.addr+f.size)
				}
				found++
			}
		}
		if found == 0 {
			t.Errorf("%v: no function to look for", flags)
		}
	}
}

// TestCodeSymbols: names lead to addresses, and addresses on to the next name.
func TestCodeSymbols(t *testing.T) {
	path := buildSource(t, "gcc", "plain.c", "-O0", "-g")
	code, all := openCode(t, path, Config{}), functionSymbols(t, path)
	if addr, ok := code.FunctionAddress("work"); !ok || addr != all["work"].addr {
		t.Errorf("work: %#x, %v", addr, ok)
	}
	if addr, ok := code.FunctionAddress("wor"); ok {
		t.Errorf("wor: %#x", addr)
	}
	seen := map[uint64]bool{}
	for at := code.NextFunction(0); at != 0; at = code.NextFunction(at) {
		if seen[at] {
			t.Fatalf("%#x comes twice", at)
		}
		seen[at] = true
	}
	for name, f := range all {
		if !seen[f.addr] {
			t.Errorf("%s was passed over", name)
		}
	}
	if !code.HasLines() || code.Bytes(all["work"].addr) == nil || !code.IsExecutable(all["work"].addr) ||
		code.IsWritable(all["work"].addr) {
		t.Error("work is no code")
	}
	var coded CodedLines
	coded.Add(code, all["work"].addr)
	lines := coded.LinesOf(filepath.Join(filepath.Dir(path), "plain.c"))
	if !lines[17] || lines[9] {
		t.Errorf("lines with code: %v", lines)
	}
}

// TestVariables: places on the stack are those of the frame, with their sizes.
func TestVariables(t *testing.T) {
	for _, compiler := range []string{"gcc", "clang"} {
		path := buildSource(t, compiler, "plain.c", "-O0", "-g")
		code := openCode(t, path, Config{})
		sizes := map[int64]int{}
		for _, v := range code.Variables(functionSymbols(t, path)["main"].addr).Stack {
			sizes[v.Size]++
			if v.Offset >= 0 {
				t.Errorf("%s: %+v is not in the frame", compiler, v)
			}
		}
		if sizes[4] != 1 || sizes[8] != 1 { // argc and argv
			t.Errorf("%s: sizes %v", compiler, sizes)
		}
	}
}

// TestNoCode: the error says why.
func TestNoCode(t *testing.T) {
	dir := t.TempDir()
	text := filepath.Join(dir, "text")
	musttest.Succeed(t, os.WriteFile(text, []byte("no program"), 0o600))
	path := buildSource(t, "gcc", "plain.c", "-g")
	debug := filepath.Join(dir, "plain.debug")
	runProgram(t, dir, "objcopy", "--only-keep-debug", path, debug)
	for _, c := range []struct {
		module *model.Module
		why    string
	}{
		{nil, "no module"},
		{&model.Module{Path: filepath.Join(dir, "none")}, "file not found"},
		{&model.Module{Path: text}, "not a 64-bit ELF file"},
		{&model.Module{Path: path, BuildID: "abcdef"}, "build-id differs"},
		{recordedModule(t, debug), "only its debug file"},
	} {
		code, err := newTestResolver(t, Config{}).CodeOf(c.module)
		if code != nil || !errors.Is(err, ErrNoCode) || !strings.Contains(err.Error(), c.why) {
			t.Errorf("%v: %v, want %q", c.module, err, c.why)
		}
	}
}

// TestAbsoluteNames: clang's DWARF 5 has whole paths for files that share no
// directory with the one the compiler ran in.
func TestAbsoluteNames(t *testing.T) {
	for _, version := range []string{"-gdwarf-4", "-gdwarf-5"} {
		requirePrograms(t, "clang")
		source := musttest.Get(filepath.Abs(filepath.Join("testdata", "plain.c")))(t)
		path := filepath.Join(t.TempDir(), "prog")
		runProgram(t, filepath.Dir(path), "clang", version, "-g", source, "-o", path)
		code := openCode(t, path, Config{})
		addr, _ := code.FunctionAddress("work")
		if l := code.CallLevels(addr); len(l) != 1 || l[0].File != source {
			t.Errorf("%s: %+v, want %s", version, l, source)
		}
	}
}
