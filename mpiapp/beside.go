package main

import (
	"os/signal"
	"strconv"
	"syscall"

	"github.com/spf13/cobra"
)

// besideCommand is a command for startBeside: a process that exec leaves beside a
// rank's program, so that nothing of laggard is between the launcher and the
// program. It is given the program's process, and n arguments more.
func (a *app) besideCommand(use string, n int, body func(f runFlags, pid int, args []string) error) *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:    use,
		Hidden: true,
		Args:   cobra.ExactArgs(1 + n),
		RunE: func(cmd *cobra.Command, args []string) error {
			pid, err := strconv.Atoi(args[0])
			if err != nil {
				return usageError{err}
			}
			if err := a.settle(&f, cmd); err != nil {
				return err
			}
			signal.Ignore(syscall.SIGUSR1, syscall.SIGUSR2) // meant for the ranks
			return body(f, pid, args[1:])
		},
	}
	f.register(cmd)
	return cmd
}
