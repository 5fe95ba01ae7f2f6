package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"laggard/analysis/slowness"
	"laggard/analysis/timeline"
	"laggard/model"
	"laggard/report"
	timelinereport "laggard/report/timeline"
	"laggard/symbol"
)

const timelineLong = `Show what each rank did over time: computing, waiting in MPI and for whom, waiting
for files, stopped, without a processor; the iterations per second, and when the job
became slower. It works while the job runs and after it. Ranks that did alike have
one row.

Exit status: 0 done, 1 failed, 2 usage, 4 done but data was missing or damaged.`

const timelineExample = `  laggard timeline RUNDIR
  laggard timeline --html over.html RUNDIR
  laggard timeline --perfetto trace.json RUNDIR          # open it in https://ui.perfetto.dev
  laggard timeline --json RUNDIR | jq '.rows[] | .ranks'`

// Columns and rows of the forms.
const (
	textColumns = 62 // for a terminal of 80
	pageColumns = 400
	pageRows    = 100
)

type timelineFlags struct {
	analysisFlags
	json           bool
	html, perfetto string
}

// overTime is the command timeline.
type overTime struct{ *app }

func (a overTime) command() *cobra.Command {
	var f timelineFlags
	cmd := &cobra.Command{
		Use:               "timeline [flags] RUNDIR",
		Short:             "Show what each rank did over time",
		Long:              timelineLong,
		Example:           timelineExample,
		Args:              requireOneRunDir,
		RunE:              a.onRunDir(func(ctx context.Context, dir string) error { return a.show(ctx, f, dir) }),
		ValidArgsFunction: completeRunDirs,
	}
	flags := cmd.Flags()
	flags.BoolVar(&f.json, "json", false, "print JSON")
	flags.StringVar(&f.html, "html", "", "write one page to `FILE`, - for standard output")
	flags.StringVar(&f.perfetto, "perfetto", "", "write a trace for Perfetto to `FILE`, - for standard output")
	cmd.MarkFlagsMutuallyExclusive("json", "html", "perfetto")
	f.analysisFlags.register(cmd)
	return cmd
}

func (a overTime) show(ctx context.Context, f timelineFlags, dir string) error {
	if err := errors.Join(f.check(), isDir(dir)); err != nil {
		return err
	}
	q := timeline.Question{Dir: dir, Columns: textColumns, Rows: pageRows}
	switch {
	case f.perfetto != "":
		q.Columns, q.Rows = pageColumns, 0
	case f.html != "" || f.json:
		q.Columns = pageColumns
	}
	events := eventsOf(dir)
	for i := range events {
		q.Apart = q.Apart.Union(events[i].Ranks)
	}
	found, err := runAnalysis(ctx, runInWorld, f.analysts, q, timeline.Run)
	if errors.Is(err, timeline.ErrNoSamples) {
		return fmt.Errorf("%s: %w: it was imported or attached to, recorded with LAGGARD_SAMPLE_HZ=0 or by an older recorder, or "+
			"lasted less than a second", dir, err)
	}
	if err != nil || found == nil {
		return err
	}
	resolver := symbol.New(f.symbolConfig(a.app, dir))
	defer resolver.Close()
	t := timelinereport.New(timelinereport.Source{Result: found, Events: events, Site: func(s *model.State) report.Site {
		return report.NewSite(symbol.TrimStack(resolver.ResolveStack(s.Stack, false)))
	}})
	if f.perfetto != "" {
		return a.writePage(f.perfetto, "trace", func(w io.Writer) error { return timelinereport.Perfetto(w, t) })
	}
	return a.print(outputFlags{json: f.json, html: f.html}, output{
		result: t, damaged: len(t.Problems) > 0,
		text: func(w io.Writer) error { return timelinereport.Text(w, t) },
		page: func(w io.Writer) error { return timelinereport.HTML(w, t) },
	})
}

// eventsOf are the slowdowns of a run; none if they cannot be found, as a timeline is worth something without them.
func eventsOf(dir string) []slowness.Event {
	m, err := slowness.NewMonitor(dir)
	if err != nil {
		return nil
	}
	defer m.Close()
	r, err := m.Refresh(time.Now())
	if err != nil {
		return nil
	}
	return r.Events
}
