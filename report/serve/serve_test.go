package serve

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"laggard/internal/checktest"
	"laggard/internal/musttest"
)

func someViewer() *Viewer {
	return New(func() ([]byte, error) { return []byte("the page"), nil })
}

func sendRequest(v *Viewer, method, path, host string) *http.Response {
	r := httptest.NewRequest(method, "http://"+host+path, nil)
	w := httptest.NewRecorder()
	v.ServeHTTP(w, r)
	return w.Result()
}

// TestViewIsHidden: only who knows the path gets the page, and only by a name of
// the loopback.
func TestViewIsHidden(t *testing.T) {
	v := someViewer()
	for _, host := range []string{"127.0.0.1:8080", "localhost:99", "LOCALHOST", "[::1]:80", "127.0.0.1"} {
		checktest.Equal(t, http.StatusOK, sendRequest(v, "GET", v.path, host).StatusCode, "as", host)
	}
	for _, c := range []struct{ method, path, host string }{
		{"GET", "/", "127.0.0.1"}, {"GET", v.path + "x", "127.0.0.1"},
		{"GET", strings.TrimSuffix(v.path, "/"), "127.0.0.1"},
		{"GET", strings.ToLower(v.path), "127.0.0.1"}, {"POST", v.path, "127.0.0.1"}, {"DELETE", v.path, "127.0.0.1"},
		{"GET", v.path, "evil.example"}, {"GET", v.path, "evil.example:8080"},
		{"GET", v.path, "127.0.0.1.evil.example"},
		{"GET", v.path, "192.168.1.4:8080"}, {"GET", v.path, "localhost.evil.example:80"},
	} {
		checktest.Equal(t, http.StatusNotFound, sendRequest(v, c.method, c.path, c.host).StatusCode, c.method, c.path, "as", c.host)
	}
	if other := someViewer(); other.path == v.path || len(v.path) < 22 {
		t.Errorf("the path %s is no secret", v.path)
	}
}

// TestViewHeaders: the browser is told to keep page and address to itself.
func TestViewHeaders(t *testing.T) {
	v := someViewer()
	got := sendRequest(v, "GET", v.path, "127.0.0.1").Header
	for name, want := range map[string]string{
		"Cache-Control": "no-store", "Referrer-Policy": "no-referrer", "X-Content-Type-Options": "nosniff",
		"X-Frame-Options": "DENY", "Cross-Origin-Resource-Policy": "same-origin",
		"Content-Type": "text/html; charset=utf-8",
	} {
		checktest.Equal(t, want, got.Get(name), name)
	}
}

// TestViewFails: an analysis that fails says so, and may work the next time.
func TestViewFails(t *testing.T) {
	fails := true
	v := New(func() ([]byte, error) {
		if fails {
			return nil, errors.New("the directory is gone")
		}
		return []byte("the page"), nil
	})
	r := sendRequest(v, "GET", v.path, "127.0.0.1")
	text, err := io.ReadAll(r.Body)
	if err != nil || r.StatusCode != http.StatusInternalServerError ||
		!strings.Contains(string(text), "the directory is gone") {
		t.Errorf("%d %s %v", r.StatusCode, text, err)
	}
	fails = false
	checktest.Equal(t, http.StatusOK, sendRequest(v, "GET", v.path, "127.0.0.1").StatusCode, "then")
}

// TestViewEnds when nobody asks, and when it is told to; requests by those who
// do not know the path do not keep it alive.
func TestViewEnds(t *testing.T) {
	v := someViewer()
	ctx, cancel := context.WithCancel(context.Background())
	over := make(chan bool)
	go func() { over <- v.Serve(ctx, listenLoopback(t), time.Hour) }()
	sendRequest(v, "GET", v.path, "127.0.0.1")
	select {
	case <-over:
		t.Fatal("it ended although somebody asked")
	case <-time.After(20 * time.Millisecond):
	}
	cancel()
	if idle := <-over; idle {
		t.Error("it was told to end, and says that nobody asked")
	}
	stranger := someViewer()
	sendRequest(stranger, "GET", "/", "127.0.0.1")
	if len(stranger.asked) != 0 {
		t.Error("a stranger keeps it alive")
	}
	if idle := stranger.Serve(context.Background(), listenLoopback(t), time.Millisecond); !idle {
		t.Error("it ends for another reason")
	}
}

func listenLoopback(t *testing.T) net.Listener {
	t.Helper()
	return musttest.Get(Listen("127.0.0.1:0"))(t)
}

// TestListen refuses what other machines could reach.
func TestListen(t *testing.T) {
	for _, address := range []string{"0.0.0.0:0", ":0", "192.168.1.4:0", "[::]:0", "example.org:80", "nonsense"} {
		l, err := Listen(address)
		checktest.ErrorIs(t, ErrAddress, err, address, l)
	}
}

// TestInvitation names the address, and the way there from elsewhere.
func TestInvitation(t *testing.T) {
	v := someViewer()
	text := v.Invitation(&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 4711}, 30*time.Minute)
	checktest.Contains(t, text, "http://127.0.0.1:4711"+v.path+"\n", "ssh -N -L 4711:127.0.0.1:4711 ", "30m0s")
}
