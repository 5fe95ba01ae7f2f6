package rundir

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"laggard/internal/checktest"
	"laggard/internal/musttest"
	"laggard/model"
	"laggard/model/runfiles"
)

func TestCreate(t *testing.T) {
	t.Chdir(t.TempDir())
	dir, err := Create("")
	if err != nil || !filepath.IsAbs(dir) || !strings.HasPrefix(filepath.Base(dir), "laggard-") {
		t.Errorf("a name of its own: %s, %v", dir, err)
	}
	musttest.Succeed(t, os.WriteFile(filepath.Join(dir, "data"), nil, 0o600))
	checktest.Fails(Create(dir))(t, ErrNotEmpty, "a directory with data in it")
	if _, err := Create(filepath.Join(dir, "data")); err == nil {
		t.Error("a file is taken for a directory")
	}
	musttest.Succeed(t, os.Mkdir("open", 0o755))
	dir = musttest.Get(Create("open"))(t)
	checktest.Equal(t, 0o700, musttest.Get(os.Stat(dir))(t).Mode().Perm(), "an empty directory")
	if dir, err = Create(filepath.Join("deep", "er")); err != nil || dir == "" {
		t.Errorf("a directory without its parent: %q, %v", dir, err)
	}
}

// TestNodePaths: however the nodes of a cluster are named, no directory has more
// than 256 entries.
func TestNodePaths(t *testing.T) {
	for _, c := range []struct {
		format string
		nodes  int
		level  int
	}{
		{"node%d", 32768, 1}, {"nid%06d", 32768, 1}, {"frontier%05d", 9408, 1}, {"r%03dc%02d", 32768, 1},
		{"cn-%d.cluster.example.org", 32768, 1},
		{"node%d", 1 << 20, 2}, {"nid%06d", 160000, 2}, {"x%08d", 1 << 20, 2},
	} {
		entries := map[string]map[string]bool{}
		for i := range c.nodes {
			host := fmt.Sprintf(c.format, i)
			if strings.Count(c.format, "%") == 2 {
				host = fmt.Sprintf(c.format, i/64, i%64)
			}
			for path := nodePaths(host)[c.level]; path != "."; path = filepath.Dir(path) {
				dir := filepath.Dir(path)
				if entries[dir] == nil {
					entries[dir] = map[string]bool{}
				}
				entries[dir][path] = true
			}
		}
		for dir, in := range entries {
			if len(in) > 256 {
				t.Errorf("%d nodes named %s: %d entries in %s", c.nodes, c.format, len(in), dir)
			}
		}
	}
}

func TestRunID(t *testing.T) {
	t.Setenv("LAGGARD_RUN_ID", "")
	a, _ := IDOf("job-1")
	again, _ := IDOf("job-1")
	b, _ := IDOf("job-2")
	if a != again || a == b {
		t.Errorf("run ids %x, %x of one job, %x of another", a, again, b)
	}
	t.Setenv("LAGGARD_RUN_ID", "00000000000004d2")
	checktest.Equal(t, 1234, musttest.Get(IDOf("job-1"))(t), "given id")
	t.Setenv("LAGGARD_RUN_ID", "night")
	if _, err := IDOf("job-1"); err == nil {
		t.Error("an id that is no number is taken")
	}
}

func TestDescribe(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("SLURM_JOB_ID", "17")
	t.Setenv("SLURM_STEP_ID", "")
	wrote := model.Manifest{Ranks: 4, Command: []string{"srun", "./app"}, LiveDir: "/dev/shm",
		Record: []string{"progress", "volume"}}
	musttest.Succeed(t, WriteManifest(dir, 0xbeef, wrote))
	checktest.ErrorIs(t, os.ErrExist, WriteManifest(dir, 0xbeef, model.Manifest{}), "a manifest was overwritten")
	index := musttest.Get(runfiles.Scan(dir))(t)
	m := *index.Manifest
	if index.ID != 0xbeef || m.Job != "slurm 17" || m.Created.IsZero() {
		t.Errorf("manifest %+v", m)
	}
	wrote.SchemaVersion, wrote.RunID, wrote.Job, wrote.Created = m.SchemaVersion, m.RunID, m.Job, m.Created
	checktest.Equal(t, wrote, m)
	checktest.ErrorIs(t, nil, CheckRunID(dir, 0xbeef))
	if err := CheckRunID(dir, 1); err == nil {
		t.Error("the directory of another run is taken")
	}
	checktest.ErrorIs(t, nil, CheckRunID(t.TempDir(), 1))
}

// TestForeign: a directory that another user made is not shared.
func TestForeign(t *testing.T) {
	dir := t.TempDir()
	musttest.Get(CreateShared(dir))(t)
	if err := os.Chown(dir, 12345, -1); err != nil {
		t.Skip(err) // only root can
	}
	if _, err := CreateShared(dir); err == nil || !strings.Contains(err.Error(), "another user") {
		t.Errorf("error %v", err)
	}
}
