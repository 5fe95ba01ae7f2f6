package launcher

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// ErrNoJob is returned when nothing in the environment is shared by all ranks of
// the job and by no others.
var ErrNoJob = errors.New("the launcher gives the ranks no common name; " +
	"say where with -o DIR and set LAGGARD_RUN_ID to a hexadecimal number")

// Job is a name for the job that all its ranks, and those of no other job,
// compute. It can be part of a file name.
func Job() (string, error) {
	if id := os.Getenv("SLURM_JOB_ID"); id != "" && os.Getenv("SLURM_STEP_ID") != "" {
		return "slurm-" + id + "." + os.Getenv("SLURM_STEP_ID"), nil
	}
	name := first("PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid", "PMI_JOBID", "PALS_APID", "FLUX_JOB_ID")
	if name != "" {
		return plain(name), nil
	}
	// MPICH's Hydra names nothing, but on one host the ranks share their parent.
	if Rank() != "" && first("PMI_SIZE") != "" {
		return fmt.Sprintf("hydra-%d-%s", os.Getppid(), startTime(os.Getppid())), nil
	}
	return "", ErrNoJob
}

// Rank is the rank of this process as the launcher has it, "" if it does not say.
func Rank() string { return RankIn(os.Getenv) }

// RankIn is Rank of a process whose variables get looks up.
func RankIn(get func(name string) string) string {
	for _, name := range []string{"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "PALS_RANKID", "SLURM_PROCID"} {
		if v := get(name); v != "" {
			return v
		}
	}
	return ""
}

// Size is the number of ranks of the job, 0 if the launcher does not say.
func Size() int {
	n, _ := strconv.Atoi(first("OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_NTASKS"))
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
func first(names ...string) string {
	for _, n := range names {
		if v := os.Getenv(n); v != "" {
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
