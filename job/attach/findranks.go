package attach

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"laggard/intake/stopped"
	"laggard/internal/procfs"
	"laggard/job/launcher"
)

// Selection says which processes of this node are looked at. The zero value: all ranks of
// this user, which must be of one job.
type Selection struct {
	PIDs []int
	Job  string // as JobIn of package launcher has it, or the resource manager's number
}

// rankProcess is the process of a rank.
type rankProcess struct {
	rank, size int // -1, 0: the launcher did not say
	job        string
	process    *stopped.Process
}

// ErrNobody is returned where no rank runs.
var ErrNobody = errors.New("no MPI rank of yours runs on this node")

// findRanks opens the processes. Those that cannot be read are problems.
func findRanks(w Selection) (ranks []*rankProcess, problems []error, err error) {
	pids := w.PIDs
	if len(pids) == 0 {
		pids = ownProcesses()
	}
	for _, pid := range pids {
		if len(w.PIDs) == 0 && !isLaunchedRank(pid, w.Job) {
			continue
		}
		p, err := stopped.Open(pid)
		switch {
		case errors.Is(err, stopped.ErrForbidden):
			problems = append(problems, permissionError(pid, err))
		case err != nil && len(w.PIDs) > 0:
			problems = append(problems, err)
		case err == nil && (len(w.PIDs) > 0 || usesMPI(p)):
			ranks = append(ranks, rankOf(p))
		}
	}
	slices.SortFunc(ranks, func(a, b *rankProcess) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.process.PID, b.process.PID))
	})
	switch {
	case len(ranks) == 0 && len(problems) > 0:
		return nil, nil, errors.Join(problems...)
	case len(ranks) == 0 && w.Job != "":
		return nil, nil, fmt.Errorf("%w, of a job called %s", ErrNobody, w.Job)
	case len(ranks) == 0:
		return nil, nil, ErrNobody
	}
	assignFreeRanks(ranks)
	return ranks, problems, requireOneJob(ranks, len(w.PIDs) == 0)
}

// ownProcesses are the processes of this user, without this program's.
func ownProcesses() []int {
	self, _ := os.Readlink("/proc/self/exe")
	var out []int
	for _, pid := range procfs.PIDs() {
		info, err := os.Stat(procfs.Path(pid))
		if err != nil {
			continue
		}
		if st, ok := info.Sys().(*syscall.Stat_t); !ok || int(st.Uid) != os.Geteuid() {
			continue
		}
		if exe, _ := os.Readlink(procfs.Path(pid, "exe")); exe != self {
			out = append(out, pid)
		}
	}
	slices.Sort(out)
	return out
}

// isLaunchedRank reports whether a launcher started the process as a rank, of that job. Where
// it cannot be read, reading the process will tell why.
func isLaunchedRank(pid int, job string) bool {
	text, err := os.ReadFile(procfs.Path(pid, "environ"))
	if err != nil {
		return errors.Is(err, os.ErrPermission) && mapsMPI(pid)
	}
	get := (&stopped.Image{Environ: strings.Split(string(text), "\x00")}).EnvVariable
	return launcher.RankIn(get) != "" && launcher.OnThisNode(get) && (job == "" || launcher.MatchesJob(job, get, parentPID(pid)))
}

// mapsMPI tells of a process that may not be read whether an MPI library is all the same
// seen to be mapped.
func mapsMPI(pid int) bool {
	text, err := os.ReadFile(procfs.Path(pid, "maps"))
	return err == nil && strings.Contains(string(text), "/libmpi")
}

func usesMPI(p *stopped.Process) bool {
	return slices.ContainsFunc(p.Maps, func(m stopped.Mapping) bool { return libraryOfMPI(m.Path) })
}

// libraryOfMPI tells by the name of a file whether it is an MPI library.
func libraryOfMPI(path string) bool {
	base := filepath.Base(path)
	return strings.HasPrefix(base, "libmpi") || strings.HasPrefix(base, "libpmpi")
}

func rankOf(p *stopped.Process) *rankProcess {
	r := &rankProcess{rank: -1, size: launcher.SizeIn(p.EnvVariable), process: p}
	if n, err := strconv.Atoi(launcher.RankIn(p.EnvVariable)); err == nil {
		r.rank = n
	}
	r.job, _ = launcher.JobNameIn(p.EnvVariable, parentPID(p.PID))
	return r
}

// parentPID is the number of the process's parent, 0 if it is not known.
func parentPID(pid int) int {
	s, _ := procfs.ReadStat(pid)
	return s.Parent
}

// assignFreeRanks gives the free ranks to processes of which no launcher says it.
func assignFreeRanks(ranks []*rankProcess) {
	taken := map[int]bool{}
	for _, r := range ranks {
		taken[r.rank] = true
	}
	next := 0
	for _, r := range ranks {
		if r.rank >= 0 {
			continue
		}
		for taken[next] {
			next++
		}
		r.rank, taken[next] = next, true
	}
}

// requireOneJob returns an error if the ranks are of several jobs.
func requireOneJob(ranks []*rankProcess, ask bool) error {
	count := map[string]int{}
	for _, r := range ranks {
		count[r.job]++
	}
	if len(count) < 2 {
		return nil
	}
	if !ask {
		return errors.New("these processes are ranks of several jobs; give those of one job")
	}
	text := ""
	for _, r := range ranks {
		if n := count[r.job]; n > 0 {
			text += fmt.Sprintf("\n  --job %s   %d ranks of %s", r.job, n, r.process.Program)
			count[r.job] = 0
		}
	}
	return errors.New("ranks of several jobs run here; choose one:" + text)
}
