package symbol

import (
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"laggard/internal/musttest"
	"laggard/model"
)

// requirePrograms skips the test when one of the programs is not on this machine.
func requirePrograms(t testing.TB, programs ...string) {
	t.Helper()
	for _, p := range programs {
		if _, err := exec.LookPath(p); err != nil {
			t.Skipf("%s is not installed", p)
		}
	}
}

// runProgram runs a program in dir and returns its output.
func runProgram(t testing.TB, dir string, args ...string) string {
	t.Helper()
	requirePrograms(t, args[0])
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "LC_ALL=C")
	out := musttest.Run(t, cmd)
	return string(out)
}

// buildSource compiles testdata/source with the flags in a directory of its own and
// returns the path of the program.
func buildSource(t testing.TB, compiler, source string, flags ...string) string {
	t.Helper()
	requirePrograms(t, compiler)
	dir := t.TempDir()
	text := musttest.Get(os.ReadFile(filepath.Join("testdata", source)))(t)
	musttest.Succeed(t, os.WriteFile(filepath.Join(dir, source), text, 0o600))
	args := append([]string{compiler, source, "-o", "prog", "-Wl,--build-id"}, flags...)
	runProgram(t, dir, args...)
	return filepath.Join(dir, "prog")
}

// compileSeed is for seeds of fuzz tests, which do without a compiler if need be.
func compileSeed(source, out, flag string) error {
	return exec.Command("gcc", source, "-o", out, "-O1", "-g", flag).Run()
}

// recordedModule returns the module as the recorder would have written it.
func recordedModule(t testing.TB, path string) *model.Module {
	t.Helper()
	img := musttest.Get(openImage(path))(t)
	defer img.close()
	return &model.Module{Path: path, BuildID: img.buildID}
}

// code is a function of a symbol table.
type code struct{ addr, size uint64 }

// functionSymbols reads the functions of a program before it is stripped.
func functionSymbols(t testing.TB, path string) map[string]code {
	t.Helper()
	f := musttest.Get(elf.Open(path))(t)
	defer f.Close()
	syms := musttest.Get(f.Symbols())(t)
	found := map[string]code{}
	for _, s := range syms {
		if elf.ST_TYPE(s.Info) == elf.STT_FUNC && s.Section != elf.SHN_UNDEF && s.Size > 0 {
			found[s.Name] = code{s.Value, s.Size}
		}
	}
	return found
}

// newTestResolver returns one that looks nowhere on this machine but in c and at the
// recorded paths.
func newTestResolver(t testing.TB, c Config) *Resolver {
	t.Helper()
	if c.DebugDirs == nil {
		c.DebugDirs = []string{}
	}
	r := New(c)
	t.Cleanup(r.Close)
	return r
}
