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
	"time"

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

// Of returns the state of a rank's process, which must be one of this host. A
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
