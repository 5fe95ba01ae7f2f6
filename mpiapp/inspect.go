package main

import (
	"errors"
	"os"

	"github.com/spf13/cobra"

	"laggard/model"
	"laggard/report/inspect"
)

const inspectLong = `Check a run directory and say what is in it, what is missing and what is
damaged. With a file, print every record in it.

Exit status: 0 all is well, 1 it cannot be read at all, 2 usage, 4 something is
missing or damaged.`

const inspectExample = `  laggard inspect RUNDIR
  laggard inspect --json RUNDIR | jq .missing
  laggard inspect RUNDIR/node-n0017.lgd | less`

func (a *app) inspectCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "inspect [--json] RUNDIR | FILE",
		Short:   "Validate, summarise or dump recorded data",
		Long:    inspectLong,
		Example: inspectExample,
		Args:    oneRunDir,
		RunE: func(cmd *cobra.Command, args []string) error {
			info, err := os.Stat(args[0])
			if err != nil {
				return usageError{err}
			}
			switch {
			case info.IsDir():
				return a.inspect(args[0], asJSON)
			case asJSON:
				return usageError{errors.New("--json is for a run directory; a file is dumped as text")}
			}
			return a.dump(args[0])
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// dump prints a node file.
func (a *app) dump(path string) error {
	problems, err := model.Dump(a.out, path)
	if err == nil && problems > 0 {
		err = exitError{exitDamaged}
	}
	return err
}

func (a *app) inspect(dir string, asJSON bool) error {
	r, err := model.Validate(dir)
	if err != nil {
		return err
	}
	if asJSON {
		err = inspect.JSON(a.out, r)
	} else {
		err = inspect.Text(a.out, r)
	}
	if err == nil && (len(r.Problems) > 0 || r.Missing.Len() > 0) {
		err = exitError{exitDamaged}
	}
	return err
}
