package job

import (
	"io"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"laggard/job/collect"
	"laggard/job/launcher"
	"laggard/job/preload"
	"laggard/job/rundir"
	"laggard/job/sight"
	"laggard/job/speed"
	"laggard/job/watch"
	"laggard/model"
)

// Recording says where and what is recorded of a job, and how it is watched.
type Recording struct {
	Dir      string             // the run directory; "": named by date, or by the job
	ID       uint64             // of the run; Prepare and Join fill it in
	LiveDir  string             // directory of each node for the files while the job runs; "": Dir
	Record   []string           // what is recorded, see preload.Kinds
	Features map[string]float64 // how large the run is, for the manifest
	Library  string             // the recorder; "": where it is installed
	Settings map[string]string  // more variables of the recorder, by name
	Version  string             // of laggard, for the manifest
	Timeout  time.Duration      // see standstill.Standstill.Hangs
	// CertainAfter is after how long a standstill counts as a hang if the job can certainly never go on; 0: as Timeout says.
	CertainAfter time.Duration
	Output       *os.File              // of the job, which then has no input; nil: both are laggard's own
	OnHang       string                // one of watch.Actions
	KillAfter    time.Duration         // how long processes that are ended have from SIGTERM to SIGKILL
	Anonymous    bool                  // the manifest has no command line
	Say          io.Writer             // where the user is told what is done
	Quiet        bool                  // of a test: nothing is said of a job that is well, and one that hangs is ended
	Limit        watch.Limit           // see there; nil: none
	Speed        *speed.Watch          // follows how fast the job is; nil: nothing does
	Certain      func(dir string) bool // see watch.Watcher; nil: unknown
	// Helper is the command line, with the program's name first, that makes this program one of its helpers; nil: the
	// job is not ended if this process is killed.
	Helper func(words ...string) []string
	sight  *sight.Sight // watches the ranks of this node; nil: they are not watched
}

// Prepare makes the run directory with its manifest, if the recorder is there.
func (r *Recording) Prepare(command []string) (err error) {
	if _, err := preload.Libraries(r.Library, r.Record); err != nil {
		return err
	}
	if r.Dir, err = rundir.Create(r.Dir); err != nil {
		return err
	}
	if r.ID, err = rundir.NewID(); err != nil {
		return err
	}
	return r.writeManifest(command, 0)
}

func (r *Recording) writeManifest(command []string, ranks int) error {
	if r.Anonymous {
		command = []string{}
	}
	return rundir.WriteManifest(r.Dir, r.ID, model.Manifest{
		Version: r.Version, Command: command, Ranks: ranks, LiveDir: r.LiveDir, Record: r.Record, Features: r.Features,
	})
}

// Environment is what switches the recorder on in a process.
func (r *Recording) Environment() (map[string]string, error) {
	libraries, err := preload.Libraries(r.Library, r.Record)
	if err != nil {
		return nil, err
	}
	if before := os.Getenv("LD_PRELOAD"); before != "" {
		libraries += ":" + before
	}
	env := map[string]string{
		"LD_PRELOAD":       libraries,
		"ASAN_OPTIONS":     withOption(os.Getenv("ASAN_OPTIONS"), "verify_asan_link_order", "0"),
		"LAGGARD_DIR":      r.Dir,
		"LAGGARD_RUN_ID":   model.RunIDText(r.ID),
		"LAGGARD_LIVE_DIR": r.LiveDir,
		"LAGGARD_RECORD":   strings.Join(r.Record, ","),
	}
	if slices.Contains(r.Record, "usage") {
		env["TSAN_OPTIONS"] = withOption(os.Getenv("TSAN_OPTIONS"), "ignore_noninstrumented_modules", "1")
	}
	maps.Copy(env, r.Settings)
	return env, nil
}

// withOption adds an option to those of a sanitizer, unless it is among them. AddressSanitizer refuses to run behind
// a preloaded library unless the order of libraries is not looked at; ThreadSanitizer takes what MPI does to the
// program's memory for the program's own unless it leaves alone what was not built with it.
func withOption(options, name, value string) string {
	if strings.Contains(options, name) {
		return options
	}
	return strings.Trim(options+":"+name+"="+value, ":")
}

// LauncherCommand is a launcher, found at path, that passes the recorder and more
// variables on to the ranks.
func (r *Recording) LauncherCommand(path string, words []string, more map[string]string) (*exec.Cmd, error) {
	env, err := r.Environment()
	if err != nil {
		return nil, err
	}
	maps.Copy(env, more)
	cmd := exec.Command(path, launcher.ForwardEnv(path, words[1:], env)...)
	cmd.Args[0], cmd.Env = words[0], launcher.MergeEnv(os.Environ(), env)
	return cmd, nil
}

// WatchJob watches the job until done, see watch.Watcher. pid is that of the launcher
// or of rank 0's program.
func (r *Recording) WatchJob(pid int, explain, end func(), done <-chan error) (hung bool, err error) {
	w := watch.Watcher{
		Dir: r.Dir, Own: r.nodeFileDir(), PID: pid, OnHang: r.OnHang, CanKeep: !r.Quiet,
		Timeout: r.Timeout, Explain: explain, End: end, Say: r.Say, Sight: r.sight, Limit: r.Limit,
		Certain: r.Certain, CertainAfter: r.CertainAfter,
	}
	if r.Speed != nil && !r.Quiet {
		w.Look = func(now time.Time, hung bool) { r.Speed.Look(now, r.nodeFileDir(), r.Dir, hung) }
		defer func() { r.Speed.Close(time.Now()) }()
	}
	return w.WatchUntil(done)
}

// nodeFileDir is where the file of this node is.
func (r *Recording) nodeFileDir() string {
	if r.LiveDir != "" {
		return collect.NodeDir(r.LiveDir, r.ID)
	}
	return r.Dir
}

// KeepNodeFiles looks after the files of this node until done, see watch.Keeper.
func (r *Recording) KeepNodeFiles(done <-chan error, signals <-chan os.Signal, limit time.Duration) error {
	k := watch.Keeper{Live: collect.NodeDir(r.LiveDir, r.ID), Dir: r.Dir, Timeout: r.Timeout, Say: r.Say}
	return k.KeepUntil(done, signals, limit)
}
