package main

import (
	"context"
	"errors"
	"os"

	"github.com/spf13/cobra"

	"laggard/model/nodefile"
	"laggard/model/runfiles"
	"laggard/report/inspect"
)

const inspectLong = `Check a run directory and report what is in it, what is missing and what is
damaged. With a file, print every record in it.

Exit status: 0 all is well, 1 it cannot be read at all, 2 usage, 4 something is
missing or damaged.`

const inspectExample = `  laggard inspect RUNDIR
  laggard inspect --json RUNDIR | jq .missing
  laggard inspect RUNDIR/node-n0017.lgd | less`

func (a *app) inspectCommand() *cobra.Command {
	var asJSON bool
	cmd := a.runDirCommand(&cobra.Command{
		Use: "inspect [--json] RUNDIR | FILE", Short: "Validate, summarise or dump recorded data",
		Long: inspectLong, Example: inspectExample,
	}, func(_ context.Context, name string) error {
		info, err := os.Stat(name)
		switch {
		case err != nil:
			return noSuchRun(name, err)
		case info.IsDir():
			return a.inspectRun(name, asJSON)
		case asJSON:
			return usageError{errors.New("--json needs a run directory; a file is dumped as text")}
		}
		return a.dumpNodeFile(name)
	})
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// dumpNodeFile prints a node file.
func (a *app) dumpNodeFile(path string) error {
	problems, err := nodefile.Dump(a.out, path)
	if err == nil && problems > 0 {
		err = exitError{exitDamaged}
	}
	return err
}

func (a *app) inspectRun(dir string, asJSON bool) error {
	r, err := runfiles.Validate(dir)
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
