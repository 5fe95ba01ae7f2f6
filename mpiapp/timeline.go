package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"laggard/analysis/slowness"
	"laggard/analysis/timeline"
	"laggard/model/runfiles"
	"laggard/report"
	timelinereport "laggard/report/timeline"
	"laggard/symbol"
)

const timelineLong = `Show what the ranks of a run did over time: computing, waiting in MPI, I/O, stopped,
or without a processor; how many iterations a second the job made; and when it became
slower. The job may run, or may have ended. Ranks that did the same share a row.

Exit status: 0 done, 1 failed, 2 usage, 4 done but data was missing or damaged.`

const timelineExample = `  laggard timeline RUNDIR
  laggard timeline --html timeline.html RUNDIR
  laggard timeline --perfetto trace.json RUNDIR     open it in Perfetto
  laggard timeline --json RUNDIR | jq '.rows[].ranks'`

// The most columns and rows of a timeline.
const (
	timelineColumns = 300
	timelineRows    = 100
)

type timelineFlags struct {
	analysisFlags
	json           bool
	html, perfetto string
}

// timelineAnalysis shows ranks over time.
type timelineAnalysis struct{ *app }

func (a timelineAnalysis) command() *cobra.Command {
	var f timelineFlags
	cmd := a.runDirCommand(&cobra.Command{
		Use: "timeline [flags] RUNDIR", Short: "Show what the ranks did over time",
		Long: timelineLong, Example: timelineExample,
	}, func(ctx context.Context, dir string) error { return a.showTimeline(ctx, f, dir) })
	flags := cmd.Flags()
	flags.BoolVar(&f.json, "json", false, "print JSON")
	flags.StringVar(&f.html, "html", "", "write the timeline as one page to `FILE`, - for standard output")
	flags.StringVar(&f.perfetto, "perfetto", "", "write a trace for Perfetto, with each rank, to `FILE`")
	f.register(cmd)
	return cmd
}

func (a timelineAnalysis) showTimeline(ctx context.Context, f timelineFlags, dir string) error {
	form := outputFlags{json: f.json, html: f.html}
	if err := errors.Join(f.check(), form.check()); err != nil {
		return err
	}
	if f.perfetto != "" && (f.json || f.html != "") {
		return usageError{errors.New("--perfetto cannot be combined with --json or --html")}
	}
	if err := checkDirs(dir); err != nil {
		return err
	}
	slow, err := findSlowdowns(dir)
	if err != nil {
		return err
	}
	q := timeline.Question{Dir: dir, Columns: timelineColumns, Rows: timelineRows}
	for _, e := range slow.Events {
		q.Apart = q.Apart.Union(e.Ranks)
	}
	if f.perfetto != "" {
		q.Rows = 0
	}
	found, err := runAnalysis(ctx, runInWorld, f.analysts, q, timeline.Run)
	switch {
	case errors.Is(err, timeline.ErrNoSamples) && hasSampling(dir):
		return fmt.Errorf("%s: %w: the job was too short; the first ones come after a second", filepath.Base(dir), timeline.ErrNoSamples)
	case errors.Is(err, timeline.ErrNoSamples):
		return fmt.Errorf("%s: %w; they are taken by laggard run and exec unless recorder.sample_hz is 0",
			filepath.Base(dir), timeline.ErrNoSamples)
	case err != nil || found == nil:
		return err
	}
	resolver := symbol.New(f.symbolConfig(a.app, dir))
	defer resolver.Close()
	return a.printTimeline(f, timelinereport.New(timelinereport.Source{
		Run: report.NewRun(found.Index), Found: found, Slow: slow, Resolver: resolver,
	}))
}

// hasSampling reports whether the ranks of a run would have taken samples, had they run for longer.
func hasSampling(dir string) bool {
	run, err := runfiles.OpenPresent(dir)
	return err == nil && run.HasSampling()
}

// printTimeline writes the form that was asked for.
func (a timelineAnalysis) printTimeline(f timelineFlags, r *timelinereport.Result) error {
	text := func(w io.Writer) error { return timelinereport.Text(w, r) }
	if f.perfetto != "" {
		text = func(w io.Writer) error {
			if err := writePageFile(f.perfetto, func(w io.Writer) error { return timelinereport.Perfetto(w, r) }); err != nil {
				return fmt.Errorf("trace %s: %w", f.perfetto, err)
			}
			_, err := fmt.Fprintf(w, "the trace is %s: open it in Perfetto\n", f.perfetto)
			return err
		}
	}
	return a.print(outputFlags{json: f.json, html: f.html}, output{
		result: r, text: text, damaged: len(r.Problems) > 0,
		page: func(w io.Writer) error { return timelinereport.HTML(w, r) },
	})
}

// findSlowdowns looks once for changes of the speed.
func findSlowdowns(dir string) (*slowness.Result, error) {
	m, err := slowness.NewMonitor(dir)
	if err != nil {
		return nil, err
	}
	defer m.Close()
	return m.Refresh(time.Now())
}
