package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"laggard/job"
	"laggard/job/launcher"
	"laggard/job/rundir"
	"laggard/report/words"
)

// checkCommand returns an error that says what to type if the first word of a command line is no command.
func checkCommand(root *cobra.Command, args []string) error {
	if len(args) == 0 || strings.HasPrefix(args[0], "-") || strings.HasPrefix(args[0], "__") {
		return nil
	}
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	if found, _, err := root.Find(args); err != nil || found != root {
		return nil // a wrong flag is the command's to tell
	}
	word := args[0]
	if _, err := exec.LookPath(word); err == nil {
		return usageError{fmt.Errorf("%s is not a command of laggard; to record it: laggard run -- %s", word,
			words.ShellCommand(args...))}
	}
	root.SuggestionsMinimumDistance = 2
	if near := root.SuggestionsFor(word); len(near) > 0 {
		return usageError{fmt.Errorf("unknown command %q; did you mean laggard %s?", word,
			strings.Join(near, " or laggard "))}
	}
	return usageError{fmt.Errorf("unknown command %q; laggard --help lists all", word)}
}

// findProgram looks up the program that a command line begins with. The error says what is wrong with it.
func findProgram(command []string) (path string, err error) {
	path, err = exec.LookPath(command[0])
	switch {
	case err == nil, errors.Is(err, exec.ErrDot):
		return path, nil
	case errors.Is(err, fs.ErrPermission):
		err = fmt.Errorf("%s cannot be executed; if it is a program: chmod +x %s", command[0], words.ShellCommand(command[0]))
	case errors.Is(err, fs.ErrNotExist):
		err = fmt.Errorf("%s: no such file", command[0])
	case errors.Is(err, exec.ErrNotFound):
		err = fmt.Errorf("%s: no such program in PATH", command[0])
	}
	return "", usageError{err}
}

// startedByLauncher reports whether a launcher started this process as one rank of a job, and the command is
// the rank's program: then each rank of the job would record a job of its own.
func startedByLauncher(command []string) bool {
	if launcher.Rank() == "" || launcher.Size() < 2 || launcher.IsKnown(command[0]) {
		return false
	}
	_, err := launcher.JobName()
	return err == nil
}

// execWithoutRecording runs a command in the place of this process, since nothing can be recorded. That must not keep a
// job from running, unless the settings say so; what the user got wrong is an error all the same.
func (a *app) execWithoutRecording(path string, command []string, why error) error {
	var usage usageError
	wrong := errors.Is(why, rundir.ErrNotEmpty) || errors.Is(why, rundir.ErrFile) || errors.As(why, &usage)
	if wrong || a.settings.Run.Require {
		return why
	}
	var place *fs.PathError
	if errors.As(why, &place) {
		name := place.Path
		if strings.HasPrefix(filepath.Base(name), ".") { // of a file that was to be renamed
			name = filepath.Dir(name)
		}
		why = fmt.Errorf("%s: %w", name, place.Err)
	}
	fmt.Fprintf(a.err, "laggard: not recording: %v; the job runs unrecorded\n", why)
	return syscall.Exec(path, command, os.Environ())
}

// separateNestedRun gives a job that is started inside a recorded one a run directory of its own, unless one was asked for: the
// outer job's is inherited in the environment.
func (a *app) separateNestedRun(r *job.Recording, asked string) {
	outer := os.Getenv("LAGGARD_DIR")
	if os.Getenv("LAGGARD_RUN_ID") == "" || outer == "" {
		return
	}
	if r.Dir == outer && asked == "" {
		r.Dir = ""
	}
	fmt.Fprintf(a.err, "laggard: inside a job that is recorded in %s; this one is recorded separately\n", outer)
}

// runDir is the run directory of a command line, or else the current directory if that is one, or else the newest one in it.
func (a *app) runDir(args []string) (string, error) {
	if len(args) == 1 {
		return args[0], nil
	}
	if _, err := rundir.ReadManifest("."); err == nil {
		return ".", nil
	}
	newest := newestRun(".")
	if newest == "" {
		return "", usageError{errors.New("no run directory given, and none here; laggard run creates them")}
	}
	fmt.Fprintf(a.err, "laggard: the newest run here is %s\n", newest)
	return newest, nil
}

// newestRun is the directory below another one whose run began last; "" there is none.
func newestRun(dir string) (newest string) {
	manifests, _ := filepath.Glob(filepath.Join(dir, "*", "manifest.json"))
	var began int64
	for _, name := range manifests {
		m, err := rundir.ReadManifest(filepath.Dir(name))
		if err == nil && (newest == "" || m.Created.UnixNano() >= began) {
			newest, began = filepath.Dir(name), m.Created.UnixNano()
		}
	}
	return newest
}
