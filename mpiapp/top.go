package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"laggard/analysis/slowness"
	"laggard/report"
	"laggard/report/top"
	"laggard/report/words"
	"laggard/symbol"
)

const topLong = `Show how fast a job runs, and what each rank does: iterations per second now and
before, ranks as cells, the slowest ranks with place and cause, who waits for whom.
The screen is refreshed until q or Ctrl-C; on a pipe, or where the terminal cannot
show a screen, one snapshot is printed. Nothing is stopped: top reads the files that
the ranks write.

Exit status: 0 done, 1 failed, 2 usage, 4 a snapshot was printed but data was missing
or damaged.`

const topExample = `  laggard top RUNDIR
  laggard top --sort waiting RUNDIR
  laggard top RUNDIR | head                             # one snapshot
  laggard top --json RUNDIR | jq .rate.now`

type topFlags struct {
	symbolFlags
	json     bool
	interval time.Duration
	sort     string
}

// liveView is the command top.
type liveView struct{ *app }

func (t liveView) command() *cobra.Command {
	var f topFlags
	cmd := t.runDirCommand(&cobra.Command{
		Use: "top [flags] RUNDIR", Short: "Show how fast a running job is, and its slowest ranks",
		Long: topLong, Example: topExample,
	}, func(ctx context.Context, dir string) error { return t.show(ctx, f, dir) })
	var orders []string
	for _, o := range top.Orders {
		orders = append(orders, string(o))
	}
	flags := cmd.Flags()
	flags.BoolVar(&f.json, "json", false, "print one snapshot as JSON")
	durationVar(flags, &f.interval, "interval", time.Second, "time between two refreshes")
	flags.StringVar(&f.sort, "sort", orders[0], "`ORDER` of the ranks: "+strings.Join(orders, ", "))
	f.register(cmd)
	completeOneOf(cmd, "sort", orders...)
	return cmd
}

// show shows the job on the terminal, or prints one snapshot where there is none.
func (t liveView) show(ctx context.Context, f topFlags, dir string) error {
	order := top.Order(f.sort)
	switch {
	case !slices.Contains(top.Orders, order):
		return usageError{fmt.Errorf("--sort %q: see laggard top --help for the orders", f.sort)}
	case f.interval < 100*time.Millisecond:
		return usageError{fmt.Errorf("--interval %v: must be at least 0.1 s", f.interval)}
	}
	if err := checkDirs(dir); err != nil {
		return err
	}
	monitor, err := slowness.NewMonitor(dir)
	if err != nil {
		return err
	}
	defer monitor.Close()
	resolver := symbol.New(f.symbolConfig(t.app, dir))
	defer resolver.Close()
	reader := top.NewReader(dir, monitor, resolver)
	first, err := reader.Snapshot(time.Now())
	if err != nil {
		return err
	}
	if f.json || !t.isTerminal() {
		return t.printSnapshot(first, order, f.json)
	}
	screen, err := top.NewScreen()
	if err != nil {
		fmt.Fprintf(t.err, "laggard: %v; this is one snapshot\n", err)
		return t.printSnapshot(first, order, false)
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	terminal := top.Terminal{Order: order, Interval: f.interval, Read: reader.Detail,
		Refresh: func() (*top.Snapshot, error) { return reader.Snapshot(time.Now()) }}
	return terminal.Show(ctx, screen, first)
}

// isTerminal reports whether what is printed goes to a terminal, which sends keys, too.
func (t liveView) isTerminal() bool {
	out, is := t.raw.(*os.File)
	return is && term.IsTerminal(int(out.Fd())) && term.IsTerminal(int(os.Stdin.Fd()))
}

// Lines and columns of a snapshot that is printed.
const (
	printedLines   = 40
	printedColumns = 80
)

// printSnapshot prints one snapshot, and returns the exit status as an error.
func (t liveView) printSnapshot(s *top.Snapshot, order top.Order, asJSON bool) error {
	var err error
	if asJSON {
		err = report.JSON(t.out, s)
	} else {
		v := top.View{Width: printedColumns, Height: printedLines, Order: order, Selected: -1, NoKeys: true}
		_, err = io.WriteString(t.out, s.Text(v))
		for i, problem := range s.Problems {
			if i == words.MaxLines {
				fmt.Fprintf(t.out, "… and %d more problems, in the JSON form\n", len(s.Problems)-i)
				break
			}
			fmt.Fprintf(t.out, "problem: %s\n", problem)
		}
	}
	if err == nil && s.IsIncomplete() {
		err = exitError{exitDamaged}
	}
	return err
}
