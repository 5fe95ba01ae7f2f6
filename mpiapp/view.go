package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"laggard/internal/regular"
	"laggard/reduce"
	"laggard/report/diagnosis"
	"laggard/report/serve"
)

const viewLong = `Serve the report on a run directory as a page, to browsers on this machine.

The address has a random part: others on a shared machine cannot guess it. The
second printed line is the command to reach the page from elsewhere. Reloading the
page reads the run directory again. view ends after a while without requests, or
with Ctrl-C.`

const viewExample = `  laggard view RUNDIR
  laggard view --listen 127.0.0.1:8080 --idle 2h RUNDIR`

type viewFlags struct {
	diagnoseFlags
	listen string
	idle   time.Duration
}

func (a *app) viewCommand() *cobra.Command {
	var f viewFlags
	cmd := a.runDirCommand(&cobra.Command{
		Use: "view [flags] RUNDIR", Short: "Show the report in a browser",
		Long: viewLong, Example: viewExample,
	}, func(ctx context.Context, dir string) error { return a.serveReport(ctx, f, dir) })
	flags := cmd.Flags()
	flags.StringVar(&f.listen, "listen", "127.0.0.1:0",
		"`ADDRESS` of this machine's loopback to serve on; port 0 takes a free one")
	durationVar(flags, &f.idle, "idle", 30*time.Minute,
		"end after that long without a request; 0: never")
	registerQuestionFlags(cmd, &f.diagnoseFlags)
	return cmd
}

func (a *app) serveReport(ctx context.Context, f viewFlags, dir string) error {
	if f.idle < 0 {
		return usageError{fmt.Errorf("--idle %v: must not be negative", f.idle)}
	}
	q, err := a.newQuestion(f.diagnoseFlags, dir)
	if err != nil {
		return err
	}
	q.Compare = true
	if err := checkDirs(dir); err != nil {
		return err
	}
	if _, err := renderPage(ctx, q); err != nil {
		return err // before anybody opens a browser
	}
	listener, err := serve.Listen(f.listen)
	if errors.Is(err, serve.ErrAddress) {
		return usageError{fmt.Errorf("--listen %w", err)}
	} else if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	v := serve.New(func() ([]byte, error) { return renderPage(ctx, q) })
	fmt.Fprint(a.out, v.Invitation(listener.Addr().(*net.TCPAddr), f.idle))
	if idle := v.Serve(ctx, listener, f.idle); idle {
		fmt.Fprintf(a.out, "ended: no request for %v\n", f.idle)
	}
	return nil
}

// renderPage makes the page from what the run directory has now.
func renderPage(ctx context.Context, q question) ([]byte, error) {
	r, err := q.answer(ctx, reduce.Run, nil)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = diagnosis.HTML(&b, r)
	return b.Bytes(), err
}

// writePage writes a page to a file, or to the output if it is named "-".
func (a *app) writePage(name string, page func(io.Writer) error) error {
	if name == "-" {
		return page(a.raw)
	}
	if err := writePageFile(name, page); err != nil {
		return fmt.Errorf("page %s: %w", name, err)
	}
	_, err := fmt.Fprintf(a.out, "the page is %s\n", name)
	return err
}

// writePageFile is for the user alone, as the run directory is.
func writePageFile(name string, page func(io.Writer) error) error {
	var b bytes.Buffer
	if err := page(&b); err != nil {
		return err
	}
	return regular.ReplaceFile(name, b.Bytes())
}
