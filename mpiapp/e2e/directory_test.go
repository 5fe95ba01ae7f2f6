//go:build e2e

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"laggard/internal/checktest"
	"laggard/internal/musttest"
	"laggard/model/nodefile"
	"laggard/model/runfiles"
)

// trouble is a run directory, or a setting, that the recorder cannot work with,
// at once or after a while.
type trouble struct {
	name    string
	prepare func(t *testing.T, dir string) // dir does not exist yet; nil: leave it so
	setting string                         // NAME=VALUE, "" none
	program string
	mode    string
	says    string // part of the line that tells why it does not record
	needs   string // "root": the preparation needs it
}

var troubles = []trouble{
	{name: "disk soon full", prepare: smallDisk("size=64k"), program: "callsites.c", says: "No space left",
		needs: "root"},
	{name: "disk later full", prepare: smallDisk("size=400k"), program: "callsites.c", says: "No space left",
		needs: "root"},
	{name: "read-only", prepare: smallDisk("size=400k,ro"), program: "cart.c", says: "Read-only", needs: "root"},
	{name: "of another user", prepare: foreignDir, program: "cart.c", says: "not a directory of this user",
		needs: "root"},
	{name: "no place for it", prepare: nil, program: "cart.c", says: "cannot make"},
	{name: "a file", prepare: plainFile, program: "cart.c", says: "not a directory"},
	{name: "a link", prepare: linkToDir, program: "cart.c", says: "not a directory"},
	{name: "node file a link", prepare: symbolicLink, program: "cart.c", says: "cannot open"},
	{name: "node file a hard link", prepare: hardLink, program: "cart.c", says: "not a plain file"},
	{name: "node file of another run", prepare: otherRun, program: "cart.c", says: "another run"},
	{name: "table full", prepare: emptyDir, setting: "LAGGARD_MAX_MB=1", program: "callsites.c", says: "table full"},
	{name: "no table", prepare: emptyDir, setting: "LAGGARD_MAX_MB=0", program: "cart.c", says: "table full"},
	{name: "size limit", prepare: emptyDir, program: "callsites.c", mode: "limit", says: "File too large"},
}

// TestTroubledDirectory: the recorder turns itself off and says so in one line,
// the program runs as if nothing were the matter, and what was there before is
// as it was.
func TestTroubledDirectory(t *testing.T) {
	t.Parallel()
	eachFamily(t, func(t *testing.T, f family) {
		for _, c := range troubles {
			t.Run(c.name, func(t *testing.T) {
				if c.needs == "root" && os.Geteuid() != 0 {
					t.Skip("only root can prepare this directory")
				}
				t.Parallel()
				f.checkTrouble(t, c)
			})
		}
	})
}

func (f family) checkTrouble(t *testing.T, c trouble) {
	env := f.runEnvironment(t)
	program := []string{f.buildProgram(t, c.program, "-O0"), c.mode}
	dir := filepath.Join(t.TempDir(), "run")
	if c.prepare == nil {
		dir = filepath.Join(dir, "deeper", "run")
	} else {
		c.prepare(t, dir)
	}
	before := readFiles(t, filepath.Dir(dir))
	var settings []string
	if c.setting != "" {
		settings = []string{c.setting}
	}
	plain := f.runPlain(t, env, nil, program...)
	lines := compareWithPlain(t, plain, f.runPreloaded(t, env, dir, settings, nil, program...))
	if len(lines) == 0 {
		t.Errorf("nobody says that it does not record, want a line with %q", c.says)
	}
	for _, line := range lines {
		if !strings.Contains(line, c.says) {
			t.Errorf("%q does not say %q", line, c.says)
		}
	}
	for path, text := range before {
		if now, err := os.ReadFile(path); err != nil || string(now) != text {
			t.Errorf("%s has changed (%v)", path, err)
		}
	}
	checkReadable(t, c, dir)
}

// checkReadable: what was recorded before the trouble can still be read.
func checkReadable(t *testing.T, c trouble, dir string) {
	t.Helper()
	if c.program != "callsites.c" {
		return
	}
	run := musttest.Get(runfiles.Open(dir))(t)
	off := 0
	for _, r := range run.Ranks {
		if r.Off {
			off++
		}
		for _, th := range r.Threads {
			visits, edges := modelTotals(&th.Model)
			if absDiff(visits, th.Calls) > 1 || visits > 0 && absDiff(edges, visits-1) > 1 {
				t.Errorf("rank %d: %d calls, %d visits, %d passages", r.Rank, th.Calls, visits, edges)
			}
		}
	}
	if off == 0 && len(run.Ranks) == preloadRanks {
		t.Error("no rank is marked as off")
	}
}

// readFiles reads the plain files below a directory.
func readFiles(t *testing.T, dir string) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		found[path] = string(text)
		return err
	})
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return found
}

func emptyDir(t *testing.T, dir string) { musttest.Succeed(t, os.Mkdir(dir, 0o700)) }

func smallDisk(options string) func(t *testing.T, dir string) {
	return func(t *testing.T, dir string) {
		emptyDir(t, dir)
		size, readOnly := strings.CutSuffix(options, ",ro")
		var flags uintptr
		if readOnly {
			flags = syscall.MS_RDONLY
		}
		if err := syscall.Mount("laggard-test", dir, "tmpfs", flags, size+",mode=0700"); err != nil {
			t.Skipf("no mounting here: %v", err)
		}
		t.Cleanup(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) })
	}
}

func foreignDir(t *testing.T, dir string) {
	musttest.Succeed(t, os.Mkdir(dir, 0o777))
	musttest.Succeed(t, os.Chown(dir, 65534, 65534))
}

func plainFile(t *testing.T, dir string) {
	musttest.Succeed(t, os.WriteFile(dir, []byte("mine"), 0o600))
}

func linkToDir(t *testing.T, dir string) {
	emptyDir(t, dir+".real")
	musttest.Succeed(t, os.Symlink(dir+".real", dir))
	t.Cleanup(func() {
		if left := readFiles(t, dir+".real"); len(left) > 0 {
			t.Errorf("the link was followed: %d files", len(left))
		}
	})
}

func symbolicLink(t *testing.T, dir string) {
	emptyDir(t, dir)
	plainFile(t, dir+".target")
	musttest.Succeed(t, os.Symlink(dir+".target", nodeFile(t, dir)))
}

func hardLink(t *testing.T, dir string) {
	emptyDir(t, dir)
	plainFile(t, dir+".target")
	musttest.Succeed(t, os.Link(dir+".target", nodeFile(t, dir)))
}

func otherRun(t *testing.T, dir string) {
	emptyDir(t, dir)
	host := musttest.Get(os.Hostname())(t)
	name := musttest.Get(nodefile.WriteNode(dir, nodefile.Header{RunID: preloadRunID + 1, Host: host}, nil))(t)
	if filepath.Join(dir, name) != nodeFile(t, dir) {
		t.Fatalf("the node file of this host is called %s", name)
	}
}

// TestModes: nobody else can read a run, whatever the user's umask.
func TestModes(t *testing.T) {
	t.Parallel()
	eachFamily(t, func(t *testing.T, f family) {
		program := f.buildProgram(t, "cart.c", "-O0")
		dir := filepath.Join(t.TempDir(), "run")
		args := append([]string{"sh", "-c", `umask 0; exec "$@"`, "sh"}, f.underRun(t, dir, nil, preloadRanks, program)...)
		got := startJob(t, f.runEnvironment(t), nil, args...).wait()
		got.mustSucceed(t)
		want := map[string]os.FileMode{dir: os.ModeDir | 0o700, nodeFile(t, dir): 0o600,
			filepath.Join(dir, runfiles.ManifestName): 0o600}
		for path, mode := range want {
			info := musttest.Get(os.Lstat(path))(t)
			checktest.Equal(t, mode, info.Mode(), path, "has mode")
		}
	})
}
