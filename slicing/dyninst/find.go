package dyninst

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// HelperEnv is the environment variable that names the helper.
const HelperEnv = "LAGGARD_DYNINST"

const program = "laggard-dyninst"

// ErrAbsent is wrapped by the error of Find when there is no helper.
var ErrAbsent = errors.New("the helper " + program + " is not there")

// Find returns the path of the helper: the one that LAGGARD_DYNINST names, or
// one in dir, where the program itself is, in libexec or lib/laggard beside it,
// or in PATH.
func Find(dir string) (string, error) {
	if set := os.Getenv(HelperEnv); set != "" {
		path, err := exec.LookPath(set)
		if err != nil {
			return "", fmt.Errorf("dyninst: %w: %s: %w", ErrAbsent, HelperEnv, err)
		}
		return filepath.Abs(path)
	}
	up := filepath.Dir(dir)
	for _, place := range []string{
		dir, filepath.Join(up, "libexec", "laggard"), filepath.Join(up, "libexec"), filepath.Join(up, "lib", "laggard"),
	} {
		if path, err := exec.LookPath(filepath.Join(place, program)); err == nil {
			return filepath.Abs(path)
		}
	}
	if path, err := exec.LookPath(program); err == nil {
		return filepath.Abs(path)
	}
	return "", fmt.Errorf("dyninst: %w: neither in %s nor beside it nor in PATH; build it with make dyninst-helper",
		ErrAbsent, dir)
}

// versionTime is how long a helper may take to tell its version.
const versionTime = 5 * time.Second

// Version asks a helper for the version of Dyninst, such as "Dyninst 13.0.0".
func Version(path string) (string, error) {
	ctx, stop := context.WithTimeout(context.Background(), versionTime)
	defer stop()
	out, err := exec.CommandContext(ctx, path, "--version").Output()
	if err != nil {
		return "", fmt.Errorf("dyninst: %s: %w%s", path, err, stderrSuffix(err))
	}
	return strings.TrimSpace(string(out)), nil
}

// stderrSuffix is what a program that failed wrote.
func stderrSuffix(err error) string {
	if e := (*exec.ExitError)(nil); errors.As(err, &e) {
		if text := strings.TrimSpace(string(e.Stderr)); text != "" {
			return ": " + text
		}
	}
	return ""
}
