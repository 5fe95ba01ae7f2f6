package doctor

import (
	"os"
	"os/exec"
	"runtime"
	"strings"

	"golang.org/x/sys/unix"
)

// system says on what this runs, for whoever reads the answers elsewhere.
func (d *Doctor) system() {
	var name unix.Utsname
	_ = unix.Uname(&name)
	d.say("ok", "system", "%s, Linux %s, %s, %s; laggard %s", distribution("/etc/os-release"),
		unix.ByteSliceToString(name.Release[:]), runtime.GOARCH, libc(), d.Version)
	if where := container(os.Getenv, exists); where != "" {
		d.say("note", "container", "inside %s: it must see both libraries of the recorder and the run directory, "+
			"and LD_PRELOAD must be set in it (docs/install.md)", where)
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
	return "a system without a name"
}

// libc is the C library of the system's programs, as getconf has it.
func libc() string {
	out, err := exec.Command("getconf", "GNU_LIBC_VERSION").Output()
	if err != nil {
		return "not the GNU C library, or one that does not say so"
	}
	return strings.TrimSpace(string(out))
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// container is what kind of container this runs in, as the container's own marks say; "" none is known.
func container(get func(string) string, exists func(string) bool) string {
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
