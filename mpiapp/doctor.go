package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"laggard/job/doctor"
)

const doctorLong = `Check what laggard needs on this machine, and a program if one is given, and
report what works and what does not.

Exit status: 0 a job can be recorded, 1 it cannot.`

const doctorExample = `  laggard doctor
  laggard doctor -o /scratch/me ./app`

func (a *app) doctorCommand() *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:     "doctor [-o DIR] [PROGRAM]",
		Short:   "Check what works on this machine",
		Long:    doctorLong,
		Example: doctorExample,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usageError{fmt.Errorf("doctor: expected at most one program, got %d", len(args))}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			d := doctor.Doctor{
				Out: a.out, Library: a.settings.Recorder.Library, DebugDirs: a.settings.Symbols.DebugDirs,
				Helper: dyninstHelper, Version: version,
			}
			d.CheckMachine(dir)
			if len(args) == 1 {
				d.CheckProgram(args[0])
			}
			if d.Failed {
				return exitError{exitFailed}
			}
			return nil
		},
	}
	cmd.Flags().StringVarP(&dir, "output", "o", ".", "directory for run directories")
	return cmd
}
