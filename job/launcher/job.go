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

// JobNameIn is JobName of a process whose variables get looks up.
//
// What the rank's own launcher says comes before the step of Slurm's that it is in: a shell in a step hands its variables
// on to all that it starts, and where mpirun was started beside a step, only the ranks of other nodes are in one.
func JobNameIn(get func(name string) string, parent int) (string, error) {
	hydra := fmt.Sprintf("hydra-%d-%s", parent, startTime(parent))
	if isHydraOnOneHost(get) {
		return hydra, nil
	}
	name := firstSet(get, "PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid", "PMI_JOBID", "PALS_APID", "ALPS_APP_ID",
		"FLUX_JOB_ID")
	if step := slurmStep(get, name); step != "" {
		return "slurm-" + step + restartSuffix(get), nil
	}
	if name != "" {
		return fileNameText(name), nil
	}
	if RankIn(get) != "" && get("PMI_SIZE") != "" { // Hydra; if it has ranks on other hosts, they disagree
		return hydra, nil
	}
	return "", ErrNoJob
}

// isHydraOnOneHost reports whether MPICH's launcher started a process and all other ranks on this host. It names nothing,
// but then all ranks are children of one process.
func isHydraOnOneHost(get func(name string) string) bool {
	local := get("MPI_LOCALNRANKS")
	return local != "" && local == get("PMI_SIZE") && get("PMI_RANK") != "" && get("OMPI_COMM_WORLD_RANK") == ""
}

// slurmStep is JOB.STEP of the step whose ranks srun has started itself, "" if that is not so: then the name, from what
// started them, is not Slurm's.
func slurmStep(get func(name string) string, name string) string {
	const namespace = "slurm.pmix." // all components of a heterogeneous job have the same one
	if step, is := strings.CutPrefix(name, namespace); is {
		return fileNameText(step)
	}
	job, step := get("SLURM_JOB_ID"), taskStep(get)
	if job == "" || step == "" || name != "" && name != job+"."+step {
		return ""
	}
	return job + "." + step
}

// ownSteps is the first of the numbers that Slurm keeps for steps of its own.
const ownSteps = 4294967000

// taskStep is the number of the step whose tasks srun has started, "" outside of one: what runs in the script of sbatch is in no step,
// a shell of salloc in one of Slurm's own, and both have SLURM_PROCID and SLURM_LOCALID as if they were rank 0.
func taskStep(get func(name string) string) string {
	step := get("SLURM_STEP_ID")
	if n, err := strconv.ParseUint(step, 10, 32); err != nil || n >= ownSteps {
		return ""
	}
	return step
}

// restartSuffix tells the runs of a job that Slurm has put into the queue again, which has the same steps each time.
func restartSuffix(get func(name string) string) string {
	if n := get("SLURM_RESTART_COUNT"); n != "" && n != "0" {
		return ".restart-" + fileNameText(n)
	}
	return ""
}

// RestartSuffix is what the name of a requeued job ends with, to tell its runs apart; "": it is the first.
func RestartSuffix() string {
	if OwnStep() == "" {
		return ""
	}
	return restartSuffix(os.Getenv)
}

// OwnStep is JOB.STEP of the Slurm step that is this process's job, with nothing else in it; "": there is none.
func OwnStep() string {
	if name, err := JobName(); err != nil || !strings.HasPrefix(name, "slurm-") {
		return ""
	}
	return os.Getenv("SLURM_JOB_ID") + "." + os.Getenv("SLURM_STEP_ID")
}

// MatchesJob reports whether a user may call the job of a process by that name: the one that
// JobNameIn has, or the number that the resource manager shows.
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
	return firstSet(get, taskVariables(get, "SLURM_PROCID", "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "PALS_RANKID",
		"ALPS_APP_PE", "MV2_COMM_WORLD_RANK", "FLUX_TASK_RANK")...)
}

// LocalRank is the number of this process among the ranks of its node, "" if the launcher does not say.
func LocalRank() string {
	return firstSet(os.Getenv, taskVariables(os.Getenv, "SLURM_LOCALID", "OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID",
		"PALS_LOCAL_RANKID", "MV2_COMM_WORLD_LOCAL_RANK", "FLUX_TASK_LOCAL_ID")...)
}

// taskVariables are names and, behind them in a task of srun, that of a variable which Slurm sets elsewhere, too.
func taskVariables(get func(name string) string, slurm string, names ...string) []string {
	if taskStep(get) != "" {
		names = append(names, slurm)
	}
	return names
}

// Size is the number of ranks of the job, 0 if the launcher does not say.
func Size() int { return SizeIn(os.Getenv) }

// SizeIn is Size of a process whose variables get looks up.
func SizeIn(get func(name string) string) int {
	n, _ := strconv.Atoi(firstSet(get, "OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE", "FLUX_JOB_SIZE",
		"SLURM_NTASKS"))
	return n
}

// IsOfOtherJob reports whether a process whose variables get looks up belongs to another job of the resource manager than
// this one, as one that was submitted from inside this job and inherited its environment. If one of them is in no job, or
// the manager gives the jobs no numbers, it is not known to.
func IsOfOtherJob(get func(name string) string) bool {
	names := []string{"PBS_JOBID", "LSB_JOBID", "FLUX_JOB_ID", "COBALT_JOBID"}
	if get("SLURM_HET_JOB_ID") == "" { // the components of a heterogeneous job have numbers of their own
		names = append(names, "SLURM_JOB_ID")
	}
	return slices.ContainsFunc(names, func(name string) bool {
		return os.Getenv(name) != "" && get(name) != "" && get(name) != os.Getenv(name)
	})
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
