package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/subtle"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"os/user"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"laggard/reduce"
	"laggard/report/diagnosis"
)

const viewLong = `Serve the report on a run directory as a page, to browsers on this machine.

The address has a random part: others on a shared machine cannot guess it. The
second line that is printed is the command to reach the page from elsewhere.
Loading the page again reads the run directory again. It ends by itself when
nobody has asked for the page for a while, or with Ctrl-C.`

const viewExample = `  laggard view RUNDIR
  laggard view --listen 127.0.0.1:8080 --idle 2h RUNDIR`

type viewFlags struct {
	diagnoseFlags
	listen string
	idle   time.Duration
}

func (a *app) viewCommand() *cobra.Command {
	var f viewFlags
	cmd := &cobra.Command{
		Use:     "view [flags] RUNDIR",
		Short:   "Show the report in a browser",
		Long:    viewLong,
		Example: viewExample,
		Args:    oneRunDir,
		RunE:    func(cmd *cobra.Command, args []string) error { return a.view(cmd.Context(), f, args[0]) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.listen, "listen", "127.0.0.1:0",
		"`ADDRESS` of this machine's loopback to serve on; port 0 takes a free one")
	flags.DurationVar(&f.idle, "idle", 30*time.Minute,
		"end when the page was not asked for, for that long; 0 never")
	questionFlags(cmd, &f.diagnoseFlags)
	return cmd
}

func (a *app) view(ctx context.Context, f viewFlags, dir string) error {
	if f.idle < 0 {
		return usageError{fmt.Errorf("--idle %v: a time cannot be negative", f.idle)}
	}
	q, err := a.asked(f.diagnoseFlags, dir)
	if err != nil {
		return err
	}
	q.Compare = true
	if err := isDir(dir); err != nil {
		return err
	}
	if _, err := page(ctx, q); err != nil {
		return err // before anybody opens a browser
	}
	listener, err := listenLoopback(f.listen)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	v := newViewer(func() ([]byte, error) { return page(ctx, q) })
	fmt.Fprint(a.out, v.invitation(listener.Addr().(*net.TCPAddr), f.idle))
	if idle := v.serve(ctx, listener, f.idle); idle {
		fmt.Fprintf(a.out, "ended: nobody asked for the page for %v\n", f.idle)
	}
	return nil
}

// page makes the page from what the run directory has now.
func page(ctx context.Context, q question) ([]byte, error) {
	r, err := q.answer(ctx, reduce.Run)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = diagnosis.HTML(&b, r)
	return b.Bytes(), err
}

// listenLoopback refuses what other machines could reach: the page is sent in the clear.
func listenLoopback(address string) (net.Listener, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, usageError{fmt.Errorf("--listen: %w", err)}
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return nil, usageError{fmt.Errorf("--listen %s: view serves on the loopback only, such as 127.0.0.1:8080; "+
			"the line that it prints makes a way there from elsewhere", address)}
	}
	return net.Listen("tcp", address)
}

// viewer serves one page behind a random path.
type viewer struct {
	path  string // "/" TOKEN "/"
	make  func() ([]byte, error)
	one   sync.Mutex    // makes pages one after the other
	asked chan struct{} // a request that knew the path came in
}

func newViewer(make_ func() ([]byte, error)) *viewer {
	return &viewer{path: "/" + rand.Text() + "/", make: make_, asked: make(chan struct{}, 1)}
}

func (v *viewer) invitation(at *net.TCPAddr, idle time.Duration) string {
	ends := "It ends with Ctrl-C."
	if idle > 0 {
		ends = fmt.Sprintf("It ends with Ctrl-C, or when nobody has asked for it for %v.", idle)
	}
	return fmt.Sprintf("http://%s%s\nfrom elsewhere, first: ssh -N -L %d:%s %s\n%s\n",
		at, v.path, at.Port, at, sshTarget(), ends)
}

// sshTarget is this user on this machine.
func sshTarget() string {
	host, err := os.Hostname()
	if err != nil {
		host = "HOST"
	}
	if u, err := user.Current(); err == nil {
		return u.Username + "@" + host
	}
	return host
}

// serve answers requests until the context ends, or until nobody has asked for that long; then it returns true.
func (v *viewer) serve(ctx context.Context, l net.Listener, idle time.Duration) bool {
	server := &http.Server{
		Handler: v, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: time.Minute, MaxHeaderBytes: 16 << 10,
	}
	go server.Serve(l)
	defer server.Close()
	for {
		var silence <-chan time.Time
		if idle > 0 {
			silence = time.After(idle)
		}
		select {
		case <-ctx.Done():
			return false
		case <-silence:
			return true
		case <-v.asked:
		}
	}
}

// ServeHTTP gives the page to who knows the path and came by a name of the loopback. A page of another site that
// had its name point here, to read ours through the browser, comes by that name.
func (v *viewer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	known := subtle.ConstantTimeCompare([]byte(r.URL.Path), []byte(v.path)) == 1
	if !known || !loopbackName(r.Host) || r.Method != http.MethodGet && r.Method != http.MethodHead {
		http.NotFound(w, r)
		return
	}
	select {
	case v.asked <- struct{}{}:
	default:
	}
	v.one.Lock()
	text, err := v.make()
	v.one.Unlock()
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("Referrer-Policy", "no-referrer") // the address is the key
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	if err != nil {
		http.Error(w, "laggard: "+err.Error(), http.StatusInternalServerError)
		return
	}
	h.Set("Content-Type", "text/html; charset=utf-8")
	w.Write(text)
}

// loopbackName tells whether the host of a request, with or without a port, is this machine by its own name for
// itself. The port may be another one, that of an ssh at the other end.
func loopbackName(host string) bool {
	name := host
	if h, _, err := net.SplitHostPort(host); err == nil {
		name = h
	}
	ip := net.ParseIP(strings.Trim(name, "[]"))
	return strings.EqualFold(name, "localhost") || ip != nil && ip.IsLoopback()
}

// writePage writes a page to a file, or to the output if it is named "-".
func (a *app) writePage(name string, page func(io.Writer) error) error {
	if name == "-" {
		return page(a.raw)
	}
	if err := pageFile(name, page); err != nil {
		return fmt.Errorf("page %s: %w", name, err)
	}
	_, err := fmt.Fprintf(a.out, "the page is %s\n", name)
	return err
}

// pageFile is for the user alone, as the run directory is.
func pageFile(name string, page func(io.Writer) error) error {
	var b bytes.Buffer
	if err := page(&b); err != nil {
		return err
	}
	return wholeFile(name, b.Bytes())
}

// wholeFile leaves the file there whole, or not at all.
func wholeFile(name string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(name), ".laggard-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // gone already, if all went well
	_, err = f.Write(data)
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}
