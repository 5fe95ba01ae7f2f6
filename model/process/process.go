// Package process says what has become of the processes of recorded ranks on
// this machine. A record cannot tell that its process was stopped or killed.
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

// initial is the pid namespace of a host outside all containers (PROC_PID_INIT_INO of Linux).
const initial = 0xEFFFFFFC

// own is the pid namespace of this process, 0 unknown.
var own = sync.OnceValue(func() uint64 {
	var st unix.Stat_t
	if unix.Stat("/proc/self/ns/pid", &st) != nil {
		return 0
	}
	return st.Ino
})

// Here tells whether a rank's number is that of a process of this host, which has that name. In a container of its
// own a rank may have a number that is another process's here.
func Here(r *model.Rank, host string) bool {
	return r.Host == host && (r.PIDSpace == 0 || own() == 0 || r.PIDSpace == own())
}

// Contained tells whether a rank's number is one inside a container, and not here.
func Contained(r *model.Rank, host string) bool {
	return r.PIDSpace != 0 && r.PIDSpace != initial && !Here(r, host)
}

// Of returns the state of a rank's process, which must be Here. A
// record may hold only the beginning of the path of a program.
func Of(r *model.Rank) State {
	proc := "/proc/" + strconv.Itoa(r.PID)
	text, err := os.ReadFile(proc + "/stat")
	if err != nil {
		return Gone
	}
	if !runs(proc, r.Exe) {
		return Gone
	}
	after := text[bytes.LastIndexByte(text, ')')+1:] // the name before it may have any character
	if len(after) < 2 {
		return Gone
	}
	switch after[1] {
	case 'Z', 'X':
		return Gone
	case 'T', 't':
		return Stopped
	case 'R':
		return Alive
	}
	if frozen(proc) {
		return Stopped
	}
	return Alive
}

// runs tells whether a process has a program of this path, or may have for all that is known.
// One that an emulator runs has that for its program, and its own only among what is mapped.
func runs(proc, program string) bool {
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

// frozen tells whether the control group of a process is: the system calls such a
// process asleep.
func frozen(proc string) bool {
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
