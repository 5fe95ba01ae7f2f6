package ending

import (
	"bytes"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"laggard/internal/procfs"
	"laggard/job/launcher"
	"laggard/job/rundir"
	"laggard/model"
	"laggard/model/process"
)

// Job says which processes of this machine are a job's, and how they are ended.
type Job struct {
	ID       uint64  // of the run, which its processes have in their environment
	Dir      string  // the run directory
	Own      string  // where the file of this node is
	Launcher Process // all that descends from it is the job's; zero: it is not known
	// Shared: the user may have set the number of the run in a shell, so that it tells only together with the recorder.
	Shared    bool
	KillAfter time.Duration // from SIGTERM to SIGKILL
	Adopted   *OrphanReaper // nil: this process adopts none

	met   map[Process]bool // those that were found once stay the job's, whoever adopts them
	ranks map[int]bool     // by the numbers of their processes
	read  time.Time        // when the file of this node was
}

// member is a process of the job.
type member struct {
	*entry
	rank bool // or started by one
	top  bool // its parent is not of the job
}

// findMembers finds the processes of the job that run now.
func (j *Job) findMembers(now time.Time) []member {
	j.Adopted.reapZombies()
	all := readProcesses()
	j.readRanks(all, now)
	own := map[int]bool{os.Getpid(): true}
	for pid := range startedChildren() {
		own[pid] = true
	}
	walk := jobWalk{job: j, all: all, own: own, known: map[int]*member{}}
	var out []member
	for pid := range all {
		if m := walk.memberOf(pid); m != nil && !m.isDead() {
			out = append(out, *m)
		}
	}
	for _, m := range walk.known {
		if m != nil {
			if j.met == nil {
				j.met = map[Process]bool{}
			}
			j.met[m.Process] = true
		}
	}
	return out
}

// IsRunning reports whether a process of the job runs on this machine.
func (j *Job) IsRunning() bool { return len(j.findMembers(time.Now())) > 0 }

// jobWalk finds out which processes are the job's.
type jobWalk struct {
	job   *Job
	all   map[int]*entry
	own   map[int]bool    // this process, and the helpers that it has started
	known map[int]*member // nil: it is not the job's
}

// memberOf returns a process if it is the job's, which it is with its parent or by itself.
func (w *jobWalk) memberOf(pid int) *member {
	if m, ok := w.known[pid]; ok {
		return m
	}
	w.known[pid] = nil // /proc is no snapshot: parents may seem to go round in a circle
	e := w.all[pid]
	if e == nil {
		return nil
	}
	launcher := e.Process == w.job.Launcher
	if !launcher && (w.own[pid] || isHelper(e)) {
		return nil
	}
	parent := w.memberOf(e.stat.Parent)
	switch {
	case parent != nil || launcher || w.job.met[e.Process] || w.job.Adopted.isAdopted(e):
	case (w.job.ranks[pid] || w.job.hasRunMark(pid)) && !isOfOtherJob(pid):
	default:
		return nil
	}
	m := &member{entry: e, rank: w.job.ranks[pid] || parent != nil && parent.rank, top: parent == nil}
	w.known[pid] = m
	return m
}

// hasRunMark reports whether a process has the number of the run in its environment.
func (j *Job) hasRunMark(pid int) bool {
	var st unix.Stat_t
	if unix.Stat(procfs.Path(pid), &st) != nil || int(st.Uid) != os.Geteuid() {
		return false
	}
	env := readEnvironment(pid)
	has := func(kv string) bool { return bytes.Contains(env, []byte("\x00"+kv)) }
	if !has("LAGGARD_RUN_ID=" + model.RunIDText(j.ID) + "\x00") {
		return false
	}
	return !j.Shared || has("LAGGARD_DIR="+j.Dir+"\x00") && bytes.Contains(env, []byte("liblaggard"))
}

// isOfOtherJob reports whether a process was submitted as a job of its own, from inside this one: then it has the number of
// the run, and its ranks may be recorded, as it inherits the environment.
func isOfOtherJob(pid int) bool {
	env := readEnvironment(pid)
	return launcher.IsOfOtherJob(func(name string) string {
		_, after, _ := bytes.Cut(env, []byte("\x00"+name+"="))
		value, _, _ := bytes.Cut(after, []byte{0})
		return string(value)
	})
}

// readEnvironment is the environment of a process, with a NUL before each variable; empty if it cannot be read.
func readEnvironment(pid int) []byte {
	env, _ := procfs.ReadFile(procfs.Path(pid, "environ"))
	return append([]byte{0}, env...)
}

// readRanks notes which processes are recorded ranks. More come, but no more than a look a second is worth.
func (j *Job) readRanks(all map[int]*entry, now time.Time) {
	if now.Sub(j.read) < time.Second {
		return
	}
	j.read = now
	run := rundir.OpenOwn(j.Own)
	host, err := os.Hostname()
	if run == nil || err != nil || run.ID != j.ID {
		return
	}
	j.ranks = map[int]bool{}
	for _, r := range run.Processes() {
		e := all[r.PID]
		if e == nil || !process.IsLocal(r, host) || process.StateOf(r) == process.Gone {
			continue
		}
		j.ranks[r.PID] = startTime(e, now).Before(r.Start.Add(slack))
	}
}

// slack is by how much the clock that dates records may differ from the one that dates processes.
const slack = 2 * time.Second

// startTime is when a process did.
func startTime(e *entry, now time.Time) time.Time {
	const ticks = 100 // a second, as the kernel shows it (USER_HZ)
	var up unix.Timespec
	if unix.ClockGettime(unix.CLOCK_BOOTTIME, &up) != nil {
		return time.Time{}
	}
	age := time.Duration(up.Nano()) - time.Duration(e.Start)*(time.Second/ticks)
	return now.Add(-age)
}
