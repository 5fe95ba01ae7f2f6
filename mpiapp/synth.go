package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"laggard/injector/synth"
	"laggard/job/rundir"
	"laggard/model"
	"laggard/model/runfiles"
)

const synthLong = `Make a run directory of any size from a recorded one: its ranks become the
templates of as many ranks as requested, one of which hangs at a chosen place and
blocks the others as it would in a real job. For trying and testing laggard at a
scale for which there is no machine.

The fault is a kind and, after a colon, its place:

  compute   ranks compute and never reach their next call
  deadlock  ranks in a circle each wait for a message from the next
  message   a rank waits for a message that its peer never sends
  killed, exited, missing  processes were killed, ended early, left no record
  skipped   ranks left out a collective on one communicator (see --comms)
  none      all ranks have finished

  ranks=SET   the ranks at fault (drawn if not given)
  after=CALL  the MPI function after which it happens, or the number of a state

The seed decides everything that is not given: equal commands make equal runs.`

const synthExample = `  laggard synth -p 32768 -o big && laggard diagnose big
  laggard synth -p 1024 --from RUNDIR --fault compute:ranks=17,after=MPI_Send -o hung
  laggard synth -p 4096 --template halo --fault deadlock:ranks=5-8 --seed 3 -o circle
  laggard synth -p 65536 --damage missing=1%,torn=1%,foreign=2,manifest -o broken
  laggard synth -p 8192 --vary distinct -o worst`

type synthFlags struct {
	out, from, template, fault, vary, damage string
	config                                   synth.Config
}

// syntheticRuns writes runs of any size.
type syntheticRuns struct{ *app }

func (a syntheticRuns) command() *cobra.Command {
	var f synthFlags
	cmd := &cobra.Command{
		Use:     "synth -p N [flags] -o RUNDIR",
		Short:   "Make a run directory of any size, with a fault in it",
		Long:    synthLong,
		Example: synthExample,
		Args:    cobra.NoArgs,
		RunE:    func(*cobra.Command, []string) error { return a.writeSynthetic(f) },
	}
	flags := cmd.Flags()
	flags.IntVarP(&f.config.Ranks, "ranks", "p", 0, "number of ranks of the job")
	flags.StringVarP(&f.out, "output", "o", "", "the run `DIR` to make")
	flags.StringVar(&f.from, "from", "", "the `RUNDIR` whose ranks are the templates")
	flags.StringVar(&f.template, "template", "lammps", "templates that come with laggard, by `NAME`: lammps, halo")
	flags.StringVar(&f.fault, "fault", "compute", "the `FAULT`, see above")
	flags.Uint64Var(&f.config.Seed, "seed", 1, "seed for everything that is not given")
	flags.StringVar(&f.vary, "vary", "counts,branches,states",
		"how ranks differ: `LIST` of counts, branches, states, distinct (no two at one place), none")
	flags.IntVar(&f.config.Comms, "comms", 0, "communicators of blocks of ranks, besides those of the template")
	flags.IntVar(&f.config.PerNode, "ranks-per-node", 64, "ranks in a node file")
	flags.StringVar(&f.damage, "damage", "",
		"`LIST` of missing=SHARE, torn=SHARE (of the slots), foreign=N (node files of another run), manifest")
	return cmd
}

func (a syntheticRuns) writeSynthetic(f synthFlags) error {
	templates, err := f.readTemplates()
	if err != nil {
		return err
	}
	f.config.Version = version
	f.config.Command = []string{"laggard", "synth", "-p", fmt.Sprint(f.config.Ranks), "--fault", f.fault}
	if f.out == "" {
		return usageError{errors.New("synth: -o DIR is required")}
	}
	dir, err := rundir.Create(f.out)
	if err != nil {
		return err
	}
	truth, err := synth.Write(dir, templates, f.config, a.periodicProgress(2*time.Second))
	if err != nil {
		os.RemoveAll(dir) // half a run would mislead
		return synthError(err)
	}
	if f.from != "" {
		if err := copyTemplateFiles(f.from, dir); err != nil {
			return err
		}
	}
	fmt.Fprintf(a.out, "%s: %d ranks", dir, f.config.Ranks)
	if truth.Ranks.Len() > 0 {
		fmt.Fprintf(a.out, ", rank %s at fault: %s at %s", truth.Ranks, f.config.Fault.Kind, truth.Place)
	}
	fmt.Fprintln(a.out)
	return nil
}

// readTemplates parses the flags and reads the templates.
func (f *synthFlags) readTemplates() (templates []*model.Rank, err error) {
	if f.config.Fault, err = synth.ParseFault(f.fault); err != nil {
		return nil, usageError{err}
	}
	if f.config.Vary, err = synth.ParseVary(f.vary); err != nil {
		return nil, usageError{err}
	}
	if f.config.Damage, err = synth.ParseDamage(f.damage); err != nil {
		return nil, usageError{err}
	}
	if f.from == "" {
		templates, err = synth.LoadTemplate(f.template)
		return templates, synthError(err)
	}
	run, err := runfiles.Open(f.from)
	if err != nil {
		return nil, err
	}
	return run.Ranks, nil
}

// synthError tells what the user asked wrongly from what went wrong.
func synthError(err error) error {
	for _, asked := range []error{synth.ErrConfig, synth.ErrFault, synth.ErrTemplate} {
		if errors.Is(err, asked) {
			return usageError{err}
		}
	}
	return err
}

// periodicProgress returns a function that says on the terminal how far a long piece of work is, at most once in a while.
func (a syntheticRuns) periodicProgress(d time.Duration) func(ranks int) {
	next := time.Now().Add(d)
	return func(ranks int) {
		if time.Now().After(next) {
			next = time.Now().Add(d)
			fmt.Fprintf(a.err, "laggard: %d ranks\n", ranks)
		}
	}
}

// maxBeside is how large a program may be that is copied along.
const maxBeside = 1 << 24

// copyTemplateFiles takes along what a template has beside its node files: programs, so that their symbols are found.
func copyTemplateFiles(from, to string) error {
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	for _, e := range entries {
		node, _ := filepath.Match(runfiles.NodeFiles, e.Name())
		info, err := e.Info()
		if err != nil || node || e.Name() == runfiles.ManifestName || !info.Mode().IsRegular() || info.Size() > maxBeside {
			continue
		}
		data, err := os.ReadFile(filepath.Join(from, e.Name()))
		if err == nil {
			err = os.WriteFile(filepath.Join(to, e.Name()), data, info.Mode().Perm())
		}
		if err != nil {
			return err
		}
	}
	return nil
}
