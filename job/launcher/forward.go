package launcher

import (
	"maps"
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
	var more []string
	for _, name := range slices.Sorted(maps.Keys(env)) {
		more = append(more, "-x", name)
	}
	return append(more, args...)
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
