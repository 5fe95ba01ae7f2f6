package doctor

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"laggard/internal/checktest"
	"laggard/internal/musttest"
)

func TestContainer(t *testing.T) {
	for _, c := range []struct{ variable, file, want string }{
		{"", "", ""},
		{"APPTAINER_CONTAINER", "", "Apptainer"},
		{"SINGULARITY_CONTAINER", "", "Apptainer"},
		{"", "/run/.containerenv", "Podman"},
		{"", "/.dockerenv", "Docker"},
		{"HOME", "/etc/passwd", ""},
	} {
		get := func(name string) string {
			if name == c.variable {
				return "set"
			}
			return ""
		}
		checktest.Equal(t, c.want, containerKind(get, func(path string) bool { return path == c.file }), c.variable, c.file)
	}
}

func TestDistribution(t *testing.T) {
	path := filepath.Join(t.TempDir(), "os-release")
	checktest.Equal(t, "an unknown system", distribution(path), "without a file")
	musttest.Succeed(t, os.WriteFile(path, []byte("ID=rocky\nPRETTY_NAME=\"Rocky Linux 8.10\"\n"), 0o600))
	checktest.Equal(t, "Rocky Linux 8.10", distribution(path))
}

// TestMisfits: the launcher that PATH has first is not that of the program's MPI.
func TestMisfits(t *testing.T) {
	const (
		hydra, orte = "HYDRA build details:\n    Version: 4.0.2\n", "mpirun (Open MPI) 4.1.4\n"
		intel       = "Intel(R) MPI Library for Linux* OS, Version 2021.10\n"
		alone       = "it would start each process of ./app as a separate job; use "
	)
	for _, c := range []struct {
		mpirun, other, family, want string
	}{
		{orte, hydra, openMPI, ""},
		{hydra, orte, mpich, ""},
		{intel, orte, mpich, ""},
		{"another launcher 1.0\n", hydra, openMPI, ""},
		{orte, hydra, mpich, "note  launcher         mpirun is of OpenMPI: " + alone + "mpirun.other\n"},
		{hydra, "", openMPI,
			"note  launcher         mpirun is of the MPICH ABI: " + alone + "the mpirun of that MPI\n"},
	} {
		var out strings.Builder
		found := []launcher{{"mpirun", launcherFamily(c.mpirun)}, {"mpirun.other", launcherFamily(c.other)}}
		(&Doctor{Out: &out, mpi: found}).reportMismatchedLaunchers("./app", c.family)
		checktest.Equal(t, c.want, out.String(), c.mpirun, c.other, "program of", c.family)
	}
}
