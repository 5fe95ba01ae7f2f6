package serve

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/user"
	"strings"
	"sync"
	"time"
)

// ErrAddress is wrapped by the errors for what is no address of the loopback.
var ErrAddress = errors.New("view serves on the loopback only, such as 127.0.0.1:8080; from elsewhere, use the " +
	"ssh command that it prints")

// Listen refuses what other machines could reach: the page is sent in the clear.
func Listen(address string) (net.Listener, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("%w (%w)", ErrAddress, err)
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return nil, fmt.Errorf("%s: %w", address, ErrAddress)
	}
	return net.Listen("tcp", address)
}

// Viewer serves one page behind a random path.
type Viewer struct {
	path  string // "/" TOKEN "/"
	make  func() ([]byte, error)
	one   sync.Mutex    // makes pages one after the other
	asked chan struct{} // a request that knew the path came in
}

// New serves what make_ makes, anew for each request.
func New(make_ func() ([]byte, error)) *Viewer {
	return &Viewer{path: "/" + rand.Text() + "/", make: make_, asked: make(chan struct{}, 1)}
}

// Invitation says where the page is, how to get there from elsewhere, and when it ends.
func (v *Viewer) Invitation(at *net.TCPAddr, idle time.Duration) string {
	ends := "It ends with Ctrl-C."
	if idle > 0 {
		ends = fmt.Sprintf("It ends with Ctrl-C, or after %v without a request.", idle)
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

// Serve answers requests until the context ends, or after that long without a request; then it returns true.
func (v *Viewer) Serve(ctx context.Context, l net.Listener, idle time.Duration) bool {
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
func (v *Viewer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
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

// loopbackName reports whether the host of a request, with or without a port, is this machine by its own name for
// itself. The port may be another one, that of an ssh at the other end.
func loopbackName(host string) bool {
	name := host
	if h, _, err := net.SplitHostPort(host); err == nil {
		name = h
	}
	ip := net.ParseIP(strings.Trim(name, "[]"))
	return strings.EqualFold(name, "localhost") || ip != nil && ip.IsLoopback()
}
