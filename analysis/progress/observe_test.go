package progress

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"laggard/internal/checktest"
	"laggard/internal/musttest"
	"laggard/model"
	"laggard/model/process"
	"laggard/model/runfiles"
)

// TestObserveFar: a rank of another host whose record says that it moves is believed while the record may be on its way here, as on NFS.
func TestObserveFar(t *testing.T) {
	for name, c := range map[string]struct {
		age    time.Duration
		change func(r *model.Rank)
		over   bool
		late   bool // on NFS
		moves  bool
	}{
		"on its way": {20 * time.Second, nil, false, true, true},
		"not on NFS": {9 * time.Second, nil, false, false, false},
		"too old":    {50 * time.Second, nil, false, true, false},
		"quiet by then": {20 * time.Second, func(r *model.Rank) { r.QuietSince = r.Heartbeat.Add(-3 * time.Second) },
			false, true, false},
		"ended":              {20 * time.Second, func(r *model.Rank) { r.End = model.Exited }, false, true, false},
		"gone, as was seen":  {20 * time.Second, func(r *model.Rank) { r.Gone = r.Heartbeat }, false, true, false},
		"the launcher ended": {20 * time.Second, nil, true, true, false},
	} {
		dir := t.TempDir()
		if c.over {
			musttest.Succeed(t, os.WriteFile(filepath.Join(dir, process.LauncherName), nil, 0o600))
		}
		r := &model.Rank{Rank: 2, Host: "another.example.org", Phase: model.Running, Heartbeat: time.Now().Add(-c.age)}
		if c.change != nil {
			c.change(r)
		}
		o := newOverview(nil)
		e := newObserver(&runfiles.Index{Dir: dir})
		e.late = c.late
		e.observeRank(r, &o)
		checktest.Equal(t, c.moves, len(o.Moving) == 1 && !o.Progress.IsZero(), name)
	}
}
