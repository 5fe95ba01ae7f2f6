package main

import (
	"fmt"
	"os"
	"syscall"

	"github.com/spf13/cobra"

	"laggard/job"
	"laggard/job/launcher"
	"laggard/report/words"
)

const execLong = `Run one rank's program under the recorder, behind any launcher. laggard replaces
itself with the program, so output and exit status are the program's own. Rank 0
prints where the data goes; without -o that is laggard- and the launcher's name for
the job, in the current directory, which all ranks must share. Beside rank 0 a
laggard process watches the run directory and, when the job hangs, prints the
diagnosis and ends the job. On each other node a laggard process waits for that, to
end the ranks of its node.

If the recording cannot be set up, exec prints why and runs the program unrecorded.`

const execExample = `  srun -n 64 laggard exec -- ./app
  mpirun -np 16 laggard exec -o run7 -- ./app input.txt`

func (a *app) execCommand() *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:     "exec [flags] -- PROGRAM …",
		Short:   "Run a rank's program under the recorder, behind any launcher",
		Long:    execLong,
		Example: execExample,
		Args:    requireCommand,
		RunE: func(cmd *cobra.Command, args []string) error {
			r, err := a.newRecording(f, cmd)
			if err != nil {
				return err
			}
			return a.execProgram(r, args)
		},
	}
	f.register(cmd)
	return cmd
}

// execProgram joins the other ranks of the job and becomes the program.
func (a *app) execProgram(r job.Recording, command []string) error {
	path, err := findProgram(command)
	if err != nil {
		return err
	}
	env, err := r.Join(command, func(words ...string) error { return nodeHelpers{a}.startHelper(r, words...) })
	switch {
	case err != nil && launcher.Rank() == "":
		fmt.Fprintf(a.err, "laggard: not recording: no launcher started this program; laggard run -- %s records it, "+
			"mpirun -np 4 laggard exec -- %[1]s a job\n", words.ShellCommand(command...))
	case err != nil:
		fmt.Fprintf(a.err, "laggard: not recording: %v\n", err)
	}
	return syscall.Exec(path, command, launcher.MergeEnv(os.Environ(), env))
}
