package launcher

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"laggard/internal/procfs"
)

// ErrNoJob is returned when nothing in the environment is shared by all ranks of
// the job and by no others.
var ErrNoJob = errors.New("the launcher provides no common job name; give -o DIR and set LAGGARD_RUN_ID to a " +
	"hexadecimal number")

// JobName is a name for the job that all its ranks, and those of no other job,
// compute. It can be part of a file name.
func JobName() (string, error) { return JobNameIn(os.Getenv, os.Getppid()) }

// JobNameIn is Job of a process whose variables get looks up.
func JobNameIn(get func(name string) string, parent int) (string, error) {
	if id, step := get("SLURM_JOB_ID"), get("SLURM_STEP_ID"); id != "" && step != "" {
		return "slurm-" + id + "." + step, nil
	}
	name := firstSet(get, "PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid", "PMI_JOBID", "PALS_APID", "ALPS_APP_ID",
		"FLUX_JOB_ID")
	if name != "" {
		return fileNameText(name), nil
	}
	// MPICH's Hydra names nothing, but on one host the ranks share their parent.
	if RankIn(get) != "" && get("PMI_SIZE") != "" {
		return fmt.Sprintf("hydra-%d-%s", parent, startTime(parent)), nil
	}
	return "", ErrNoJob
}

// MatchesJob reports whether a user may call the job of a process by that name: the one that
// JobIn has, or the number that the resource manager shows.
func MatchesJob(name string, get func(name string) string, parent int) bool {
	if job, err := JobNameIn(get, parent); err == nil && job == name {
		return true
	}
	if step := get("SLURM_STEP_ID"); step != "" && get("SLURM_JOB_ID")+"."+step == name {
		return true
	}
	names := []string{"SLURM_JOB_ID", "PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid", "PMI_JOBID", "PALS_APID",
		"ALPS_APP_ID", "FLUX_JOB_ID", "PBS_JOBID", "LSB_JOBID", "COBALT_JOBID"}
	return slices.ContainsFunc(names, func(v string) bool { return name != "" && get(v) == name })
}

// OnThisNode reports whether a process that is seen is on this node, as Slurm has nodes: several of them may be
// one machine.
func OnThisNode(get func(name string) string) bool {
	const node = "SLURMD_NODENAME"
	return os.Getenv(node) == "" || get(node) == "" || get(node) == os.Getenv(node)
}

// Rank is the rank of this process as the launcher has it, "" if it does not say.
func Rank() string { return RankIn(os.Getenv) }

// RankIn is Rank of a process whose variables get looks up.
func RankIn(get func(name string) string) string {
	return firstSet(get, "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "PALS_RANKID", "ALPS_APP_PE",
		"MV2_COMM_WORLD_RANK", "FLUX_TASK_RANK", "SLURM_PROCID")
}

// LocalRank is the number of this process among the ranks of its node, "" if the launcher does not say.
func LocalRank() string {
	return firstSet(os.Getenv, "OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "PALS_LOCAL_RANKID",
		"MV2_COMM_WORLD_LOCAL_RANK", "FLUX_TASK_LOCAL_ID", "SLURM_LOCALID")
}

// Size is the number of ranks of the job, 0 if the launcher does not say.
func Size() int { return SizeIn(os.Getenv) }

// SizeIn is Size of a process whose variables get looks up.
func SizeIn(get func(name string) string) int {
	n, _ := strconv.Atoi(firstSet(get, "OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE", "FLUX_JOB_SIZE",
		"SLURM_NTASKS"))
	return n
}

// Allocation is what the resource manager calls the job, such as "slurm 17.2",
// "" outside of one.
func Allocation() string {
	if id := os.Getenv("SLURM_JOB_ID"); id != "" {
		if step := os.Getenv("SLURM_STEP_ID"); step != "" {
			return "slurm " + id + "." + step
		}
		return "slurm " + id
	}
	for _, v := range []struct{ name, manager string }{
		{"PBS_JOBID", "pbs"}, {"LSB_JOBID", "lsf"}, {"FLUX_JOB_ID", "flux"}, {"COBALT_JOBID", "cobalt"},
	} {
		if id := os.Getenv(v.name); id != "" {
			return v.manager + " " + id
		}
	}
	return ""
}

// firstSet is the value of the first variable that is set and not empty.
func firstSet(get func(name string) string, names ...string) string {
	for _, n := range names {
		if v := get(n); v != "" {
			return v
		}
	}
	return ""
}

// startTime is when a process began, in the kernel's ticks since boot. It tells
// processes apart that have had the same number.
func startTime(pid int) string {
	s, _ := procfs.ReadStat(pid)
	return strconv.FormatUint(s.Start, 10)
}

// fileNameText replaces what cannot be part of a file name.
func fileNameText(s string) string {
	return strings.Map(func(r rune) rune {
		letter := r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		if letter || strings.ContainsRune(".-_", r) {
			return r
		}
		return '_'
	}, s)
}
