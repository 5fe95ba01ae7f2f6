package symbol

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"laggard/internal/musttest"
	"laggard/model"
)

// An extension module as a compiler makes it: a table of a class, one of the module, a
// function that is in none, and what only looks like a table.
const extension = `
typedef struct { const char *name; void *function; int flags; const char *doc; } method;
typedef struct { long counts[3]; const char *name; long between[25]; method *methods; long rest[20]; } type;
__attribute__((noinline)) static int helper(int n) { __asm__ volatile(""); return n + 1; }
static int bcast(int n) { return helper(n) + 2; }
static int barrier(int n) { return helper(n) + 3; }
static int lookup(int n) { return helper(n) + 4; }
static int no_flags(int n) { return helper(n) + 5; }
method comm_methods[] = {{"bcast", bcast, 3, "text"}, {"Barrier", barrier, 4, 0}, {0, 0, 0, 0}};
method module_methods[] = {{"lookup", lookup, 0x82, 0}, {0, 0, 0, 0}};
method unlike[] = {{"no flags", no_flags, 0, 0}, {"spaces here", no_flags, 1, 0}, {0, 0, 0, 0}};
type comm_type = {{0}, "package.MPI.Comm", {0}, comm_methods, {0}};
int PyInit_made(void) { return helper(1); }
`

func TestMethodsOfExtensionModules(t *testing.T) {
	dir := t.TempDir()
	source := filepath.Join(dir, "made.c")
	musttest.Succeed(t, os.WriteFile(source, []byte(extension), 0o600))
	for _, file := range []string{"made.cpython-311-x86_64-linux-gnu.so", "made.abi3.so", "libmade.so"} {
		path := filepath.Join(dir, file)
		args := []string{"-O1", "-shared", "-fPIC", "-Wl,--build-id", "-o", path, source}
		musttest.Run(t, exec.Command("gcc", args...))
		starts := startsOf(t, path)
		musttest.Run(t, exec.Command("strip", path))
		img := musttest.Get(openImage(path))(t)
		id := img.buildID
		img.close()
		r := New(Config{})
		defer r.Close()
		for function, want := range map[string]string{"bcast": "Comm.bcast", "barrier": "Comm.Barrier",
			"lookup": "lookup", "helper": "", "no_flags": ""} {
			if file == "libmade.so" {
				want = ""
			}
			at := model.Frame{Module: &model.Module{BuildID: id, Path: path}, Offset: starts[function] + 1}
			if got := r.Resolve(at, true); got.Function != want {
				t.Errorf("%s: %s is called %q (%s), want %q", file, function, got.Function, got.Note, want)
			}
		}
	}
}

// startsOf reads where functions begin, before the names are stripped.
func startsOf(t *testing.T, path string) map[string]uint64 {
	t.Helper()
	img := musttest.Get(openImage(path))(t)
	defer img.close()
	list := musttest.Get(img.elf.Symbols())(t)
	out := map[string]uint64{}
	for _, s := range list {
		out[s.Name] = s.Value
	}
	return out
}
