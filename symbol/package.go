package symbol

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// askRPM bounds how long the database of packages may take to answer.
const askRPM = 2 * time.Second

// debugPackage names the package with the debug information of an installed file, as
// the distributions call them; "" if no package is known to have the file.
func debugPackage(path string) string {
	if name := dpkgOwner("/var/lib/dpkg/info", path); name != "" {
		return name + "-dbgsym"
	}
	for _, dir := range []string{"/usr/lib/sysimage/rpm", "/var/lib/rpm"} {
		if _, err := os.Stat(dir); err != nil {
			continue
		}
		ctx, cancel := context.WithTimeout(context.Background(), askRPM)
		defer cancel()
		name, err := exec.CommandContext(ctx, "rpm", "-qf", "--qf", "%{NAME}", path).Output()
		if err == nil && len(name) > 0 {
			return string(name) + "-debuginfo"
		}
		break
	}
	return ""
}

// dpkgOwner names the package whose list of files has a path; where /lib is a link to
// /usr/lib the list may have either. It asks no program: dpkg takes ten times as long.
func dpkgOwner(lists, path string) string {
	wanted := [][]byte{[]byte("\n" + path + "\n"), []byte("\n" + strings.TrimPrefix(path, "/usr") + "\n")}
	files, _ := filepath.Glob(filepath.Join(lists, "*.list"))
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err == nil && (bytes.Contains(text, wanted[0]) || bytes.Contains(text, wanted[1])) {
			name, _, _ := strings.Cut(strings.TrimSuffix(filepath.Base(file), ".list"), ":")
			return name
		}
	}
	return ""
}
