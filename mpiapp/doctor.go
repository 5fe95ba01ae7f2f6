package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"laggard/job/doctor"
)

const doctorLong = `Try what laggard needs on this machine, and on a program if one is given, and say
what works and what does not.

Exit status: 0 a job can be recorded, 1 it cannot.`

const doctorExample = `  laggard doctor
  laggard doctor -o /scratch/me ./app`

func (a *app) doctorCommand() *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:     "doctor [-o DIR] [PROGRAM]",
		Short:   "Say what works here and what does not",
		Long:    doctorLong,
		Example: doctorExample,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usageError{fmt.Errorf("doctor looks at one program, got %d", len(args))}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			d := doctor.Doctor{
				Out: a.out, Library: a.settings.Recorder.Library, DebugDirs: a.settings.Symbols.DebugDirs,
				Helper: helper, Version: version,
			}
			d.Machine(dir)
			if len(args) == 1 {
				d.Program(args[0])
			}
			if d.Failed {
				return exitError{exitFailed}
			}
			return nil
		},
	}
	cmd.Flags().StringVarP(&dir, "output", "o", ".", "directory where run directories shall go")
	return cmd
}
