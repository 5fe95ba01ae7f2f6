package ending

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"golang.org/x/sys/unix"
)

// How long those below the first get to be ended by them, before they get SIGTERM themselves. A launcher that got it
// takes a second or two; one that gets it again from elsewhere may kill its ranks at once.
const (
	belowAfter = 2 * time.Second
	ranksAfter = 4 * time.Second
)

// dying is how long the kernel may take to end a process after SIGKILL.
const dying = 5 * time.Second

// Leftover is a process of a job that could not be ended.
type Leftover struct {
	Host string
	PID  int
	Name string
	Why  string
}

// String is what the user is told of it.
func (l Leftover) String() string {
	return fmt.Sprintf("host %s pid %d (%s, %s)", l.Host, l.PID, cmp.Or(l.Name, "?"), l.Why)
}

// End ends the processes of the job on this machine, with those that appear meanwhile, and returns which are left.
// First it waits for settle: processes that were told to end already may do so in their own way. It calls begun before
// the first signal, if one is needed.
func (j *Job) End(settle time.Duration, begun func()) []Leftover {
	begin := time.Now().Add(settle)
	sent, killed := map[Process]bool{}, map[Process]error{}
	for empty := 0; empty < 2; time.Sleep(pause) {
		now := time.Now()
		members := j.findMembers(now)
		if empty++; len(members) > 0 {
			empty = 0
		}
		after := now.Sub(begin)
		if after >= j.KillAfter+dying && len(members) > 0 {
			return leftoversOf(members, killed)
		}
		for _, m := range members {
			if !sent[m.Process] && after >= j.termDelay(m) {
				if len(sent) == 0 {
					begun()
				}
				sent[m.Process] = true
				_ = m.sendSignal(unix.SIGTERM)
			}
			if sent[m.Process] && m.stat.State == 'T' { // it has to go on to take the signal, also if it was stopped meanwhile
				_ = m.sendSignal(unix.SIGCONT)
			}
			if after >= j.KillAfter {
				killed[m.Process] = m.sendSignal(unix.SIGKILL)
			}
		}
	}
	return nil
}

// pause is between two looks at the processes.
const pause = 50 * time.Millisecond

// termDelay is how long a process may be ended by others before it gets SIGTERM from here.
func (j *Job) termDelay(m member) time.Duration {
	switch {
	case m.Process == j.Launcher || m.top && !m.rank:
		return 0
	case m.rank:
		return min(ranksAfter, j.KillAfter/2)
	}
	return min(belowAfter, j.KillAfter/4)
}

func leftoversOf(members []member, killed map[Process]error) (out []Leftover) {
	host, _ := os.Hostname()
	for _, m := range members {
		why := fmt.Sprintf("state %c", m.stat.State)
		if errors.Is(killed[m.Process], unix.EPERM) {
			why += ", of another user"
		}
		out = append(out, Leftover{Host: host, PID: m.PID, Name: m.stat.Name, Why: why})
	}
	slices.SortFunc(out, func(a, b Leftover) int { return cmp.Compare(a.PID, b.PID) })
	return out
}
