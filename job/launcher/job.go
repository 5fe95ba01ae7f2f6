package launcher

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
)

// ErrNoJob is returned when nothing in the environment is shared by all ranks of
// the job and by no others.
var ErrNoJob = errors.New("the launcher gives the ranks no common name; " +
	"say where with -o DIR and set LAGGARD_RUN_ID to a hexadecimal number")

// Job is a name for the job that all its ranks, and those of no other job,
// compute. It can be part of a file name.
func Job() (string, error) { return JobIn(os.Getenv, os.Getppid()) }

// JobIn is Job of a process whose variables get looks up.
func JobIn(get func(name string) string, parent int) (string, error) {
	if id, step := get("SLURM_JOB_ID"), get("SLURM_STEP_ID"); id != "" && step != "" {
		return "slurm-" + id + "." + step, nil
	}
	name := first(get, "PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid", "PMI_JOBID", "PALS_APID", "ALPS_APP_ID",
		"FLUX_JOB_ID")
	if name != "" {
		return plain(name), nil
	}
	// MPICH's Hydra names nothing, but on one host the ranks share their parent.
	if RankIn(get) != "" && get("PMI_SIZE") != "" {
		return fmt.Sprintf("hydra-%d-%s", parent, startTime(parent)), nil
	}
	return "", ErrNoJob
}

// Called tells whether a user may call the job of a process by that name: the one that
// JobIn has, or the number that the resource manager shows.
func Called(name string, get func(name string) string, parent int) bool {
	if job, err := JobIn(get, parent); err == nil && job == name {
		return true
	}
	if step := get("SLURM_STEP_ID"); step != "" && get("SLURM_JOB_ID")+"."+step == name {
		return true
	}
	names := []string{"SLURM_JOB_ID", "PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid", "PMI_JOBID", "PALS_APID",
		"ALPS_APP_ID", "FLUX_JOB_ID", "PBS_JOBID", "LSB_JOBID", "COBALT_JOBID"}
	return slices.ContainsFunc(names, func(v string) bool { return name != "" && get(v) == name })
}

// Here tells whether a process that is seen is on this node, as Slurm has nodes: several of them may be
// one machine.
func Here(get func(name string) string) bool {
	const node = "SLURMD_NODENAME"
	return os.Getenv(node) == "" || get(node) == "" || get(node) == os.Getenv(node)
}

// Rank is the rank of this process as the launcher has it, "" if it does not say.
func Rank() string { return RankIn(os.Getenv) }

// RankIn is Rank of a process whose variables get looks up.
func RankIn(get func(name string) string) string {
	return first(get, "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "PALS_RANKID", "ALPS_APP_PE",
		"MV2_COMM_WORLD_RANK", "FLUX_TASK_RANK", "SLURM_PROCID")
}

// Size is the number of ranks of the job, 0 if the launcher does not say.
func Size() int { return SizeIn(os.Getenv) }

// SizeIn is Size of a process whose variables get looks up.
func SizeIn(get func(name string) string) int {
	n, _ := strconv.Atoi(first(get, "OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE", "FLUX_JOB_SIZE",
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

// first is the value of the first variable that is set and not empty.
func first(get func(name string) string, names ...string) string {
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
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return "0"
	}
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	if len(fields) < 20 {
		return "0"
	}
	return fields[19]
}

// plain replaces what cannot be part of a file name.
func plain(s string) string {
	return strings.Map(func(r rune) rune {
		letter := r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		if letter || strings.ContainsRune(".-_", r) {
			return r
		}
		return '_'
	}, s)
}
