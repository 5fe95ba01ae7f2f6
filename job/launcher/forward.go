package launcher

import (
	"cmp"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"laggard/model/process"
)

// ForwardEnv adds to a launcher's arguments what it needs to hand the variables on:
// Open MPI's does so for ranks on other hosts only when told. path is that of the
// launcher.
func ForwardEnv(path string, args []string, env map[string]string) []string {
	if !isOpenMPI(path) {
		return args
	}
	names := slices.Sorted(maps.Keys(env))
	if list := mcaParameter(path, envList); list != "" || len(mcaValues(args, envList)) > 0 {
		return extendEnvList(path, args, list, names)
	}
	var more []string
	for _, name := range names {
		more = append(more, "-x", name)
	}
	return append(more, args...)
}

// envList is the parameter of Open MPI that lists the variables to hand on. Its mpirun refuses to start if -x is given, too.
const envList = "mca_base_env_list"

// mcaParameter is what the environment or a file of the user's or the site's sets a parameter of Open MPI to; "": nothing.
// path is that of the launcher.
func mcaParameter(path, name string) string {
	if value := os.Getenv("OMPI_MCA_" + name); value != "" {
		return value
	}
	const file = "openmpi-mca-params.conf"
	home, _ := os.UserHomeDir()
	real, _ := filepath.EvalSymlinks(path)
	for _, f := range []string{
		filepath.Join(home, ".openmpi", "mca-params.conf"),
		filepath.Join(filepath.Dir(path), "..", "etc", file), filepath.Join(filepath.Dir(real), "..", "etc", file),
		filepath.Join("/etc/openmpi", file),
	} {
		text, _ := os.ReadFile(f)
		for line := range strings.Lines(string(text)) {
			key, value, _ := strings.Cut(line, "=")
			if value = strings.Trim(value, " \t\r\n\"'"); strings.TrimSpace(key) == name && value != "" {
				return value
			}
		}
	}
	return ""
}

// mcaValues is where in the arguments the values of a parameter are.
func mcaValues(args []string, name string) (at []int) {
	for i := 2; i < len(args); i++ {
		if args[i-1] == name && slices.Contains([]string{"--mca", "-mca", "--gmca", "-gmca"}, args[i-2]) {
			at = append(at, i)
		}
	}
	return at
}

// extendEnvList adds names to the list of variables, which is in the arguments or, if it is not, the one given.
func extendEnvList(path string, args []string, list string, names []string) []string {
	args = slices.Clone(args)
	if len(mcaValues(args, envList)) == 0 {
		args = slices.Concat([]string{"--mca", envList, list}, args)
	}
	delimiter := cmp.Or(mcaParameter(path, envList+"_delimiter"), ";")
	for _, i := range mcaValues(args, envList+"_delimiter") {
		delimiter = args[i]
	}
	for _, i := range mcaValues(args, envList) {
		args[i] = strings.Join(slices.Concat([]string{args[i]}, names), delimiter)
	}
	return args
}

// IsKnown reports whether a program is a launcher of MPI jobs, by its name.
func IsKnown(path string) bool {
	name := filepath.Base(path)
	for _, prefix := range process.Launchers {
		if rest, is := strings.CutPrefix(name, prefix); is && (rest == "" || strings.ContainsAny(rest[:1], "._-")) {
			return true
		}
	}
	return false
}

// isOpenMPI tells Open MPI's launchers from others of the same name. What a link leads to
// tells mostly; to ask takes some milliseconds, which each test of a suite would pay.
func isOpenMPI(path string) bool {
	starts := func(name string) bool { return strings.HasPrefix(filepath.Base(path), name) }
	if !slices.ContainsFunc([]string{"mpirun", "mpiexec", "orterun", "prterun"}, starts) {
		return false
	}
	if file, err := filepath.EvalSymlinks(path); err == nil {
		switch filepath.Base(file) {
		case "orterun", "prterun", "prte":
			return true
		case "mpiexec.hydra":
			return false
		}
	}
	out, err := exec.Command(path, "--version").CombinedOutput()
	says := func(name string) bool { return strings.Contains(string(out), name) }
	return err == nil && slices.ContainsFunc([]string{"Open MPI", "OpenRTE", "PRTE"}, says)
}

// MergeEnv puts variables into an environment, in place of those of the same name.
func MergeEnv(environ []string, env map[string]string) []string {
	var out []string
	for _, kv := range environ {
		name, _, _ := strings.Cut(kv, "=")
		if _, ok := env[name]; !ok {
			out = append(out, kv)
		}
	}
	for name, value := range env {
		out = append(out, name+"="+value)
	}
	slices.Sort(out)
	return out
}
