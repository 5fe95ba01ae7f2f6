package floors

import (
	"debug/elf"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"laggard/internal/musttest"
)

// What the recorder asks of the C library was there in glibc 2.17, of 2012, with
// which the oldest systems run that clusters still have.
func TestOldestLibrary(t *testing.T) {
	libraries := musttest.Get(filepath.Glob(filepath.Join("..", "..", "build", "arm64", "bin", "*.so")))(t) // of make arm64
	for _, name := range []string{"liblaggard.so", "liblaggard-libc.so", "liblaggard-before.so", "liblaggard-behind.so"} {
		libraries = append(libraries, filepath.Join("..", "..", "bin", name))
	}
	for _, name := range libraries {
		lib, err := elf.Open(name)
		if err != nil {
			t.Skip("build it with make build: ", err)
		}
		defer lib.Close()
		symbols := musttest.Get(lib.ImportedSymbols())(t)
		versioned := 0
		for _, s := range symbols {
			if s.Version == "" {
				continue
			}
			versioned++
			if isTooNew(s.Version) {
				t.Errorf("%s: %s is of %s: see recorder/oldest.h", name, s.Name, s.Version)
			}
		}
		if versioned == 0 {
			t.Errorf("%s: nothing is asked of the C library", name)
		}
	}
}

// isTooNew holds also for names that are no number, such as GLIBC_PRIVATE and
// GLIBC_ABI_DT_RELR, and for other libraries than the C library.
func isTooNew(version string) bool {
	number, ok := strings.CutPrefix(version, "GLIBC_")
	var major, minor int
	if n, _ := fmt.Sscanf(number, "%d.%d", &major, &minor); !ok || n != 2 {
		return true
	}
	return major != 2 || minor > 17
}
