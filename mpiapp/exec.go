package main

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"

	"github.com/spf13/cobra"

	"laggard/job"
	"laggard/job/launcher"
)

const execLong = `Run one rank's program under the recorder, behind any launcher. The program
takes the place of laggard, which is not between it and the launcher, so its
output and exit status are its own. Rank 0 says where the data goes; without -o
that is laggard- and the launcher's name for the job, in the current directory,
which all ranks must share. Beside rank 0 a process of laggard's watches the run
directory and, when the job hangs, prints the diagnosis and ends rank 0.

If the recording cannot be set up, exec says why and runs the program without.`

const execExample = `  srun -n 64 laggard exec -- ./app
  mpirun -np 16 laggard exec -o run7 -- ./app input.txt`

func (a *app) execCommand() *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:     "exec [flags] -- PROGRAM …",
		Short:   "Run a rank's program under the recorder, behind any launcher",
		Long:    execLong,
		Example: execExample,
		Args:    wantCommand,
		RunE: func(cmd *cobra.Command, args []string) error {
			r, err := a.recording(f, cmd)
			if err != nil {
				return err
			}
			return a.exec(r, args)
		},
	}
	f.register(cmd)
	return cmd
}

// exec joins the other ranks of the job and becomes the program.
func (a *app) exec(r job.Recording, command []string) error {
	path, err := exec.LookPath(command[0])
	if err != nil {
		return usageError{fmt.Errorf("exec: %w", err)}
	}
	env, err := r.Join(command, func(words ...string) error { return a.startBeside(r, words...) })
	if err != nil {
		fmt.Fprintf(a.err, "laggard: not recording: %v\n", err)
	}
	return syscall.Exec(path, command, launcher.Merge(os.Environ(), env))
}
