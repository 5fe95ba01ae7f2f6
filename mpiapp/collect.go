package main

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"laggard/job/collect"
)

const collectLong = `With live_dir the ranks of a node keep their files on the node while the job
runs. collect brings those of this node into the run directory or, if none is
given, the files of all your runs on this node into theirs. Call it on every node
when the job is over, from the job script or the epilogue. Calling it twice, or on
all nodes at once, is harmless. Files of processes that still run are left alone.

Exit status: 0 done, also if there was nothing; 1 failed; 2 usage; 4 files were
left because their processes still run.`

const collectExample = `  srun --ntasks-per-node=1 laggard collect RUNDIR
  laggard collect --live-dir /dev/shm        # whatever is there of ended runs`

func (a *app) collectCommand() *cobra.Command {
	var live string
	cmd := &cobra.Command{
		Use:     "collect [--live-dir DIR] [RUNDIR]",
		Short:   "Bring the files that a job left on this node into the run directory",
		Long:    collectLong,
		Example: collectExample,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usageError{fmt.Errorf("collect: expected at most one RUNDIR argument, got %d; see laggard "+
					"collect --help",
					len(args))}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			live := cmp.Or(live, a.settings.Recorder.LiveDir)
			if len(args) == 1 {
				return a.collectRun(live, args[0])
			}
			if live == "" {
				return usageError{errors.New(
					"collect: give a run directory, or the directory of the files with --live-dir")}
			}
			failed, busy := collect.MoveAllFiles(live)
			return cmp.Or(failed, a.reportBusyFiles(busy))
		},
	}
	cmd.Flags().StringVar(&live, "live-dir", "",
		"`DIR` on this node where the files are (LAGGARD_LIVE_DIR; default: as the run was started)")
	return cmd
}

// collectRun brings the files of one run.
func (a *app) collectRun(liveDir, dir string) error {
	live, err := collect.FindNodeDir(liveDir, dir)
	if err != nil || live == "" {
		return err
	}
	return a.reportBusyFiles(collect.MoveFiles(live, dir))
}

// reportBusyFiles says which files were left, if any were because they are in use.
func (a *app) reportBusyFiles(err error) error {
	if !errors.Is(err, collect.ErrRunning) {
		return err
	}
	fmt.Fprintf(a.err, "laggard: %v\n", err)
	return exitError{exitDamaged}
}
