//go:build binaries

package native_test

import (
	"debug/elf"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"laggard/internal/musttest"
)

// LAGGARD_STARTS_NUMBER is how many functions are drawn, LAGGARD_STARTS_SEED from where, LAGGARD_STARTS_ONLY the
// packages, by a part of their name, and LAGGARD_STARTS_FROM the line of the list to go on at, from 1, after a run that
// was cut off.
const defaultStarts = 20_000

// TestBinaries starts all analyses at functions of packages of Debian, for x86-64 and AArch64. It downloads them once,
// into build/binaries, and needs about 2 GB there.
func TestBinaries(t *testing.T) {
	text := musttest.Get(os.ReadFile("testdata/debian-packages.txt"))(t)
	var groups [][]string
	for line := range strings.Lines(string(text)) {
		line, _, _ = strings.Cut(line, "#")
		if names := strings.Fields(line); len(names) > 0 && strings.Contains(line, os.Getenv("LAGGARD_STARTS_ONLY")) {
			groups = append(groups, names)
		}
	}
	a := newArchive(t)
	left, seed := envNumber(t, "LAGGARD_STARTS_NUMBER", defaultStarts), envNumber(t, "LAGGARD_STARTS_SEED", 1)
	from := envNumber(t, "LAGGARD_STARTS_FROM", 1)
	o, packages, files := &outcome{}, 0, 0
	for i, names := range groups {
		if i+1 < from {
			left -= left / (len(groups) - i)
			continue
		}
		dir := a.unpackPackages(t, names)
		b := batch{Files: binariesBelow(dir), Debug: filepath.Join(dir, "usr/lib/debug")}
		b.Functions = drawFunctions(b.Files, left/(len(groups)-i), int64(seed)+seedOf(names[0]))
		left -= len(b.Functions)
		packages, files = packages+len(names), files+len(b.Files)
		before := len(o.faults)
		o.runBatch(t, b)
		for _, fault := range o.faults[before:] {
			fmt.Println("FAULT", names[0], fault)
		}
		fmt.Printf("%d of %d: %s: %d functions so far, %d faults, peak %d MB\n", i+1, len(groups), names[0],
			o.functions, len(o.faults), o.peak)
		os.RemoveAll(dir)
	}
	t.Logf("%d packages, %d programs and libraries", packages, files)
	o.reportResults(t)
}

// envNumber is the number in a variable of the environment.
func envNumber(t *testing.T, name string, otherwise int) int {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	return musttest.Get(strconv.Atoi(text))(t, name)
}

// seedOf is a number for a name.
func seedOf(name string) int64 {
	h := fnv.New64a()
	io.WriteString(h, name)
	return int64(h.Sum64() >> 1)
}

// archive downloads packages, with lists and state of its own, so that the machine's stay as they are.
type archive struct{ dir string }

func newArchive(t *testing.T) *archive {
	t.Helper()
	dir := musttest.Get(filepath.Abs("../../build/binaries"))(t)
	a := &archive{dir}
	for _, sub := range []string{"state/lists/partial", "cache/archives/partial", "packages"} {
		musttest.Succeed(t, os.MkdirAll(filepath.Join(dir, sub), 0o755))
	}
	musttest.Succeed(t, os.WriteFile(filepath.Join(dir, "status"), nil, 0o644))
	if lists, _ := filepath.Glob(filepath.Join(dir, "state/lists/*Packages*")); len(lists) == 0 {
		a.aptGet(t, "update")
	}
	return a
}

// aptGet runs apt-get for x86-64 and AArch64, with the machine's sources of Debian itself.
func (a *archive) aptGet(t *testing.T, args ...string) {
	t.Helper()
	sources := "/etc/apt/sources.list.d/debian.sources"
	if _, err := os.Stat(sources); err != nil {
		sources = "/etc/apt/sources.list"
	}
	var options []string
	for _, o := range []string{"Dir::State=" + a.dir + "/state", "Dir::State::status=" + a.dir + "/status",
		"Dir::Cache=" + a.dir + "/cache", "Dir::Etc::sourcelist=" + sources, "Dir::Etc::sourceparts=-",
		"APT::Architecture=amd64", "APT::Architectures::=amd64", "APT::Architectures::=arm64",
		"APT::Sandbox::User=root"} {
		options = append(options, "-o", o)
	}
	cmd := exec.Command("apt-get", append(append(options, "-q"), args...)...)
	cmd.Dir = filepath.Join(a.dir, "packages")
	musttest.Run(t, cmd)
}

// unpackPackages unpacks some packages into one directory, and downloads those that are not there.
func (a *archive) unpackPackages(t *testing.T, names []string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for _, name := range names {
		if a.packageFile(name) == "" {
			a.aptGet(t, "download", name)
		}
		musttest.Run(t, exec.Command("dpkg", "-x", a.packageFile(name), dir))
	}
	return dir
}

// packageFile is the downloaded file of a package, "" if there is none.
func (a *archive) packageFile(name string) string {
	name, arch, other := strings.Cut(name, ":")
	if !other {
		arch = "amd64"
	}
	found, _ := filepath.Glob(filepath.Join(a.dir, "packages", name+"_*_"+arch+".deb"))
	if len(found) == 0 {
		return ""
	}
	return found[0]
}

// binariesBelow are the programs and libraries in a directory.
func binariesBelow(dir string) (out []string) {
	filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() && !strings.Contains(path, "/usr/lib/debug/") && isELF(path) {
			out = append(out, path)
		}
		return nil
	})
	return out
}

func isELF(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, 4)
	_, err = io.ReadFull(f, head)
	return err == nil && string(head) == elf.ELFMAG
}
