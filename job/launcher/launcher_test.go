package launcher

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"laggard/internal/checktest"
	"laggard/internal/musttest"
)

// clearJobEnv takes away what a launcher around the tests may have set.
func clearJobEnv(t *testing.T) {
	for _, kv := range os.Environ() {
		name, _, _ := strings.Cut(kv, "=")
		for _, prefix := range []string{"SLURM_", "OMPI_", "PMI", "PALS_", "ALPS_", "MV2_", "FLUX_", "PBS_", "LSB_",
			"COBALT_", "LAGGARD_", "MPI_LOCAL"} {
			if strings.HasPrefix(name, prefix) {
				t.Setenv(name, "")
			}
		}
	}
}

func TestLaunchers(t *testing.T) {
	for _, c := range []struct {
		name      string
		environ   []string
		key, rank string // key "": no name for the job
		size      int    // 0: unknown
	}{
		{"srun, requeued", []string{"SLURM_JOB_ID=17", "SLURM_STEP_ID=0", "SLURM_PROCID=1", "SLURM_NTASKS=2",
			"SLURM_RESTART_COUNT=2", "PMI_JOBID=17.0"}, "slurm-17.0.restart-2", "1", 2},
		{"srun, a component of a heterogeneous job", []string{"SLURM_JOB_ID=18", "SLURM_STEP_ID=0", "SLURM_NTASKS=2",
			"PMIX_NAMESPACE=slurm.pmix.17.0", "PMIX_RANK=1"}, "slurm-17.0", "1", 2},
		{"OpenMPI 4 in a shell of a step, or a node that srun has started for it", []string{"SLURM_JOB_ID=17",
			"SLURM_STEP_ID=0", "SLURM_RESTART_COUNT=1", "PMIX_NAMESPACE=3211264001", "OMPI_MCA_ess_base_jobid=3211264001",
			"OMPI_COMM_WORLD_RANK=0", "OMPI_COMM_WORLD_SIZE=4"}, "3211264001", "0", 4},
		{"MPICH on two hosts, from a step", []string{"SLURM_JOB_ID=17", "SLURM_STEP_ID=1", "PMI_RANK=2", "PMI_SIZE=4",
			"MPI_LOCALNRANKS=2"}, "slurm-17.1", "2", 4},
		{"srun with PMI2", []string{"SLURM_JOB_ID=17", "SLURM_STEP_ID=2", "SLURM_PROCID=3", "SLURM_NTASKS=8",
			"PMI_RANK=3"}, "slurm-17.2", "3", 8},
		{"srun with PMIx", []string{"SLURM_JOB_ID=17", "SLURM_STEP_ID=0", "SLURM_PROCID=1", "SLURM_NTASKS=2",
			"PMIX_NAMESPACE=slurm.pmix.17.0", "PMIX_RANK=1"}, "slurm-17.0", "1", 2},
		{"OpenMPI's mpirun", []string{"PMIX_NAMESPACE=prterun-n1-77@1", "PMIX_RANK=5", "OMPI_COMM_WORLD_RANK=5",
			"OMPI_COMM_WORLD_SIZE=16"}, "prterun-n1-77_1", "5", 16},
		{"OpenMPI 4", []string{"OMPI_MCA_ess_base_jobid=3211264001", "OMPI_COMM_WORLD_RANK=0",
			"OMPI_COMM_WORLD_SIZE=4"}, "3211264001", "0", 4},
		{"srun without PMI", []string{"SLURM_JOB_ID=17", "SLURM_STEP_ID=0", "SLURM_PROCID=1", "SLURM_NTASKS=2"}, "slurm-17.0", "1", 2},
		{"the script of sbatch", []string{"SLURM_JOB_ID=17", "SLURM_PROCID=0", "SLURM_LOCALID=0", "SLURM_NTASKS=4"}, "", "", 4},
		{"a shell of salloc", []string{"SLURM_JOB_ID=17", "SLURM_STEP_ID=4294967290", "SLURM_PROCID=0", "SLURM_LOCALID=0"}, "", "", 0},
		{"in a batch script, without srun", []string{"SLURM_JOB_ID=17", "PMIX_NAMESPACE=n", "PMIX_RANK=0"}, "n", "0",
			0},
		{"MPICH, named by PMI", []string{"PMI_JOBID=kvs_1", "PMI_RANK=2", "PMI_SIZE=4"}, "kvs_1", "2", 4},
		{"no path out of a name", []string{"PMI_JOBID=../../etc x", "PMI_RANK=2"}, ".._.._etc_x", "2", 0},
		{"Cray PALS", []string{"PALS_APID=ab-12", "PALS_RANKID=7"}, "ab-12", "7", 0},
		{"Cray ALPS", []string{"ALPS_APP_ID=4711", "ALPS_APP_PE=5"}, "4711", "5", 0},
		{"MVAPICH's mpirun_rsh", []string{"MV2_COMM_WORLD_RANK=2", "MV2_COMM_WORLD_SIZE=4", "PMI_JOBID=9"},
			"9", "2", 4},
		{"Flux without PMI", []string{"FLUX_JOB_ID=f1", "FLUX_TASK_RANK=3", "FLUX_JOB_SIZE=8"}, "f1", "3", 8},
		{"none", nil, "", "", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			clearJobEnv(t)
			for _, kv := range c.environ {
				name, value, _ := strings.Cut(kv, "=")
				t.Setenv(name, value)
			}
			key, err := JobName()
			if key != c.key || c.key == "" && !errors.Is(err, ErrNoJob) || c.key != "" && err != nil {
				t.Errorf("job %q, %v, want %q", key, err, c.key)
			}
			checktest.Equal(t, c.rank, Rank(), "rank")
			if c.rank == "" {
				checktest.Equal(t, "", LocalRank(), "number on the node")
			}
			checktest.Equal(t, strings.HasPrefix(c.key, "slurm-"), OwnStep() != "", "it is a step", OwnStep())
			checktest.Equal(t, c.size, Size(), "size")
		})
	}
}

// TestHydra: MPICH's launcher names no job; its ranks on a host share a parent.
func TestHydra(t *testing.T) {
	clearJobEnv(t)
	t.Setenv("PMI_RANK", "1")
	t.Setenv("PMI_SIZE", "4")
	one, err := JobName()
	if err != nil || !strings.HasPrefix(one, "hydra-") {
		t.Errorf("job %q, %v", one, err)
	}
	t.Setenv("PMI_RANK", "2")
	if two, _ := JobName(); two != one {
		t.Errorf("ranks of one job name it %q and %q", one, two)
	}
	t.Setenv("MPI_LOCALNRANKS", "4") // in a shell of a step, which has the step's name
	for _, kv := range []string{"SLURM_JOB_ID=17", "SLURM_STEP_ID=0", "PMIX_NAMESPACE=slurm.pmix.17.0", "PMI_JOBID=17.0"} {
		name, value, _ := strings.Cut(kv, "=")
		t.Setenv(name, value)
	}
	if name, _ := JobName(); name != one {
		t.Errorf("in a step the job is called %q, want %q", name, one)
	}
	if startTime(os.Getpid()) == "0" {
		t.Error("the start of a process is unknown")
	}
}

func TestMerge(t *testing.T) {
	got := MergeEnv([]string{"A=1", "LD_PRELOAD=x", "Z"}, map[string]string{"LD_PRELOAD": "y", "B": "2"})
	if want := []string{"A=1", "B=2", "LD_PRELOAD=y", "Z"}; !slices.Equal(got, want) {
		t.Errorf("merged %q, want %q", got, want)
	}
}

// TestForward: only OpenMPI's launchers are told which variables to hand on.
func TestForward(t *testing.T) {
	env := map[string]string{"LD_PRELOAD": "l.so", "LAGGARD_DIR": "d"}
	args := []string{"-np", "4", "./app"}
	told := append([]string{"-x", "LAGGARD_DIR", "-x", "LD_PRELOAD"}, args...)
	for _, c := range []struct {
		launcher, version string
		want              []string
	}{
		{"mpirun", "mpirun (Open MPI) 4.1.4", told},
		{"mpiexec.openmpi", "mpiexec.openmpi (OpenRTE) 4.1.4", told},
		{"prterun", "prterun (PRTE) 3.0", told},
		{"mpirun", "HYDRA build details:", args},
		{"mpiexec", "Intel(R) MPI Library for Linux* OS, Version 2021", args},
		{"srun", "mentions Open MPI, but is none of its launchers", args},
		{"app", "Open MPI", args},
	} {
		path := filepath.Join(t.TempDir(), c.launcher)
		musttest.Succeed(t, os.WriteFile(path, []byte("#!/bin/sh\necho '"+c.version+"'\n"), 0o700))
		checktest.EqualList(t, c.want, ForwardEnv(path, args, env), c.launcher, c.version)
	}
}

// TestForwardByList: Open MPI refuses -x where its parameter lists variables, so that the list is extended.
func TestForwardByList(t *testing.T) {
	env := map[string]string{"LD_PRELOAD": "l.so", "LAGGARD_DIR": "d"}
	for _, c := range []struct{ name, variable, delimiter, users, sites, args, want string }{
		{"variable", "A=1,2;B", "", "A=no", "", "-n 4 ./app", "--mca mca_base_env_list A=1,2;B;LAGGARD_DIR;LD_PRELOAD -n 4 ./app"},
		{"delimiter", "A=1@B", "@", "", "", "./app", "--mca mca_base_env_list A=1@B@LAGGARD_DIR@LD_PRELOAD ./app"},
		{"user's file", "", "", "A = 1\n mca_base_env_list = A=1\n", "mca_base_env_list = B\n", "./app",
			"--mca mca_base_env_list A=1;LAGGARD_DIR;LD_PRELOAD ./app"},
		{"site's file", "", "", "#mca_base_env_list = B", "mca_base_env_list = \"A\"\n", "./app",
			"--mca mca_base_env_list A;LAGGARD_DIR;LD_PRELOAD ./app"},
		{"arguments", "A=no", "", "", "", "-n 4 -mca mca_base_env_list A=1 ./app",
			"-n 4 -mca mca_base_env_list A=1;LAGGARD_DIR;LD_PRELOAD ./app"},
		{"arguments, delimiter", "A", "@", "", "", "--mca mca_base_env_list_delimiter + ./app",
			"--mca mca_base_env_list A+LAGGARD_DIR+LD_PRELOAD --mca mca_base_env_list_delimiter + ./app"},
		{"none", "", "", "", "", "./app", "-x LAGGARD_DIR -x LD_PRELOAD ./app"},
	} {
		t.Run(c.name, func(t *testing.T) {
			prefix := t.TempDir()
			t.Setenv("HOME", filepath.Join(prefix, "home"))
			t.Setenv("OMPI_MCA_mca_base_env_list", c.variable)
			t.Setenv("OMPI_MCA_mca_base_env_list_delimiter", c.delimiter)
			path := filepath.Join(prefix, "bin", "mpirun")
			for name, text := range map[string]string{
				path: "#!/bin/sh\necho 'mpirun (Open MPI) 4.1.4'\n",
				prefix + "/home/.openmpi/mca-params.conf": c.users,
				prefix + "/etc/openmpi-mca-params.conf":   c.sites,
			} {
				musttest.Succeed(t, os.MkdirAll(filepath.Dir(name), 0o700))
				musttest.Succeed(t, os.WriteFile(name, []byte(text), 0o700))
			}
			checktest.Equal(t, c.want, strings.Join(ForwardEnv(path, strings.Fields(c.args), env), " "))
		})
	}
}

// TestOtherJob: the number of the resource manager's job tells jobs apart that both have one.
func TestOtherJob(t *testing.T) {
	clearJobEnv(t)
	get := func(name string) string { return map[string]string{"SLURM_JOB_ID": "17", "PBS_JOBID": "4.n1"}[name] }
	for own, other := range map[string]bool{"SLURM_JOB_ID=": false, "SLURM_JOB_ID=17": false, "LSB_JOBID=3": false,
		"SLURM_JOB_ID=18": true, "PBS_JOBID=5.n1": true} {
		name, value, _ := strings.Cut(own, "=")
		before := os.Getenv(name)
		t.Setenv(name, value)
		checktest.Equal(t, other, IsOfOtherJob(get), own)
		t.Setenv(name, before)
	}
}

// TestForwardByLink: of a link it is known what it leads to, without asking.
func TestForwardByLink(t *testing.T) {
	args := []string{"./app"}
	for file, want := range map[string][]string{
		"orterun": {"-x", "LAGGARD_DIR", "./app"}, "prterun": {"-x", "LAGGARD_DIR", "./app"}, "mpiexec.hydra": args,
	} {
		dir := t.TempDir()
		asked := filepath.Join(dir, "asked")
		musttest.Succeed(t, os.WriteFile(filepath.Join(dir, file), []byte("#!/bin/sh\ntouch "+asked+"\n"), 0o700))
		path := filepath.Join(dir, "mpirun")
		musttest.Succeed(t, os.Symlink(file, path))
		checktest.EqualList(t, want, ForwardEnv(path, args, map[string]string{"LAGGARD_DIR": "d"}), file)
		if _, err := os.Stat(asked); err == nil {
			t.Errorf("%s was run", file)
		}
	}
}

// TestHere: where one machine plays several nodes of Slurm's, each has its own ranks.
func TestHere(t *testing.T) {
	for _, c := range []struct {
		own, theirs string
		here        bool
	}{{"", "", true}, {"node1", "", true}, {"", "node1", true}, {"node1", "node1", true}, {"node1", "node2", false}} {
		t.Setenv("SLURMD_NODENAME", c.own)
		get := func(name string) string { return map[string]string{"SLURMD_NODENAME": c.theirs}[name] }
		if OnThisNode(get) != c.here {
			t.Errorf("on %q a process of %q: %v", c.own, c.theirs, !c.here)
		}
	}
}
