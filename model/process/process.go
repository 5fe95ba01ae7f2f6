package process

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"laggard/model"
)

// Fresh is how old the last sign of life of a live rank may be; the recorder
// gives one about every second.
const Fresh = 5 * time.Second

// State is what a process is doing.
type State int

// The states of a process.
const (
	Gone    State = iota // it has ended, perhaps as a zombie, or another program has its number
	Stopped              // by a signal or a tracer, or its control group is frozen
	Alive
)

// initialPIDNamespace is the pid namespace of a host outside all containers (PROC_PID_INIT_INO of Linux).
const initialPIDNamespace = 0xEFFFFFFC

// ownPIDNamespace is the pid namespace of this process, 0 unknown.
var ownPIDNamespace = sync.OnceValue(func() uint64 {
	var st unix.Stat_t
	if unix.Stat("/proc/self/ns/pid", &st) != nil {
		return 0
	}
	return st.Ino
})

// IsLocal reports whether a rank's number is that of a process of this host, which has that name. In a container of its
// own a rank may have a number that is another process's here.
func IsLocal(r *model.Rank, host string) bool {
	return r.Host == host && (r.PIDSpace == 0 || ownPIDNamespace() == 0 || r.PIDSpace == ownPIDNamespace())
}

// IsAlive reports whether a rank's process exists, as far as can be seen from here: it is a process of this host, or gave a
// sign of life a moment ago.
func IsAlive(r *model.Rank, host string, now time.Time) bool {
	if IsLocal(r, host) {
		return StateOf(r) != Gone
	}
	return r.End == model.NoEnd && now.Sub(r.Heartbeat) < Fresh
}

// IsContained reports whether a rank's number is one inside a container, and not here.
func IsContained(r *model.Rank, host string) bool {
	return r.PIDSpace != 0 && r.PIDSpace != initialPIDNamespace && !IsLocal(r, host)
}

// StateOf returns the state of a rank's process, which must be Here. A
// record may hold only the beginning of the path of a program.
func StateOf(r *model.Rank) State {
	proc := procDirectory(r)
	letter := stateLetter(proc)
	if letter == 0 || !runsProgram(proc, r.Exe) {
		return Gone
	}
	switch letter {
	case 'Z', 'X':
		return Gone
	case 'T', 't':
		return Stopped
	case 'R':
		return Alive
	}
	if isFrozen(proc) {
		return Stopped
	}
	return Alive
}

// IsTraced reports whether a debugger, or another tracer, has stopped a rank's process, which must be Here.
func IsTraced(r *model.Rank) bool {
	return stateLetter(procDirectory(r)) == 't'
}

// procDirectory is that of a rank's process in /proc.
func procDirectory(r *model.Rank) string { return "/proc/" + strconv.Itoa(r.PID) }

// stateLetter is what the kernel says of a process, as ps shows it: R, S, D, T, t, Z, X. 0: there is no such process.
func stateLetter(proc string) byte {
	text, err := os.ReadFile(proc + "/stat")
	if err != nil {
		return 0
	}
	after := text[bytes.LastIndexByte(text, ')')+1:] // the name before it may have any character
	if len(after) < 2 {
		return 0
	}
	return after[1]
}

// runsProgram reports whether a process has a program of this path, or may have for all that is known.
// One that an emulator runs has that for its program, and its own only among what is mapped.
func runsProgram(proc, program string) bool {
	exe, err := os.Readlink(proc + "/exe")
	if errors.Is(err, fs.ErrNotExist) {
		return false // it ended meanwhile, or is a thread of the kernel
	}
	if err != nil || strings.HasPrefix(exe, program) {
		return true
	}
	maps, err := os.ReadFile(proc + "/maps")
	return err == nil && bytes.Contains(maps, []byte(" "+program))
}

// isFrozen reports whether the control group of a process is: the system calls such a
// process asleep.
func isFrozen(proc string) bool {
	groups, err := os.ReadFile(proc + "/cgroup")
	if err != nil {
		return false
	}
	for line := range strings.Lines(string(groups)) {
		fields := strings.SplitN(strings.TrimSuffix(line, "\n"), ":", 3)
		if len(fields) < 3 {
			continue
		}
		if fields[1] == "" {
			events, _ := os.ReadFile("/sys/fs/cgroup" + fields[2] + "/cgroup.events")
			return strings.Contains("\n"+string(events), "\nfrozen 1\n")
		}
		if fields[1] == "freezer" {
			state, _ := os.ReadFile("/sys/fs/cgroup/freezer" + fields[2] + "/freezer.state")
			return strings.TrimSpace(string(state)) == "FROZEN"
		}
	}
	return false
}
