package doctor

import (
	"os"
	"os/exec"
	"runtime"
	"strings"

	"golang.org/x/sys/unix"
)

// reportSystem says on what this runs, for whoever reads the answers elsewhere.
func (d *Doctor) reportSystem() {
	var name unix.Utsname
	_ = unix.Uname(&name)
	d.printLine("ok", "system", "%s, Linux %s, %s, %s; laggard %s", distribution("/etc/os-release"),
		unix.ByteSliceToString(name.Release[:]), runtime.GOARCH, libcVersion(), d.Version)
	if where := containerKind(os.Getenv, fileExists); where != "" {
		d.printLine("note", "container", "inside %s: it must see both libraries of the recorder and the run directory, "+
			"and LD_PRELOAD must be set in it (docs/manual/install.md)", where)
	}
}

// distribution is the name that a file like /etc/os-release has for the system.
func distribution(path string) string {
	text, _ := os.ReadFile(path)
	for line := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(strings.TrimSpace(line), "PRETTY_NAME="); ok {
			return strings.Trim(value, `"'`)
		}
	}
	return "an unknown system"
}

// libcVersion is the C library of the system's programs, as getconf has it.
func libcVersion() string {
	out, err := exec.Command("getconf", "GNU_LIBC_VERSION").Output()
	if err != nil {
		return "not the GNU C library, or its version is unknown"
	}
	return strings.TrimSpace(string(out))
}

func fileExists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// containerKind is what kind of container this runs in, as the container's own marks say; "" none is known.
func containerKind(get func(string) string, exists func(string) bool) string {
	switch {
	case get("APPTAINER_CONTAINER") != "" || get("SINGULARITY_CONTAINER") != "":
		return "Apptainer"
	case exists("/run/.containerenv"):
		return "Podman"
	case exists("/.dockerenv"):
		return "Docker"
	}
	return ""
}
