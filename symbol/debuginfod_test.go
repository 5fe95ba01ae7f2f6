package symbol

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"laggard/internal/checktest"
	"laggard/internal/musttest"
)

// debuginfodOf is a client of servers with a cache of its own.
func debuginfodOf(t *testing.T, servers ...string) (d *Debuginfod, told *strings.Builder) {
	t.Helper()
	t.Setenv("DEBUGINFOD_URLS", strings.Join(servers, " "))
	t.Setenv("DEBUGINFOD_CACHE_PATH", t.TempDir())
	told = new(strings.Builder)
	return NewDebuginfod(told), told
}

// TestDebuginfod: a debug file comes from a server, once, and a second look needs none.
func TestDebuginfod(t *testing.T) {
	p := plainC(t)
	mirror := t.TempDir()
	id := p.mod.BuildID
	moveFile(t, separateDebug(t, p), filepath.Join(mirror, "buildid", id, "debuginfo"))
	asked := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		http.FileServer(http.Dir(mirror)).ServeHTTP(w, r)
	}))
	defer server.Close()
	empty := httptest.NewServer(http.NotFoundHandler())
	defer empty.Close()

	d, told := debuginfodOf(t, empty.URL, server.URL)
	wantLine(t, p.resolveWork(t, Config{Debuginfod: d}), true, "")
	wantLine(t, p.resolveWork(t, Config{Debuginfod: d}), true, "")
	if asked != 1 || strings.Count(told.String(), "\n") != 1 || !strings.Contains(told.String(), server.URL) {
		t.Errorf("asked %d times, told %q", asked, told)
	}

	d, _ = debuginfodOf(t, "file://"+mirror)
	wantLine(t, p.resolveWork(t, Config{Debuginfod: d}), true, "")

	// The program itself is gone.
	moveFile(t, p.prog, filepath.Join(mirror, "buildid", id, "executable"))
	d, told = debuginfodOf(t, server.URL)
	wantLine(t, p.resolveWork(t, Config{Debuginfod: d}), true, "")
	if strings.Count(told.String(), "\n") != 2 {
		t.Errorf("told %q", told)
	}
}

// TestDebuginfodFails: what servers do not have, or send wrongly, is said, and the rest
// is done. A server that does not answer is asked once.
func TestDebuginfodFails(t *testing.T) {
	p, other := plainC(t), plainC(t, "-DOTHER", "-O1")
	separateDebug(t, p)
	wrong := musttest.Get(os.ReadFile(separateDebug(t, other)))(t)
	musttest.Succeed(t, os.Remove(p.prog+".debug"))
	asked := 0
	for _, c := range []struct {
		answer http.HandlerFunc
		note   string
	}{
		{http.NotFound, "no server has it"},
		{func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) }, "502 Bad Gateway"},
		{func(w http.ResponseWriter, _ *http.Request) { w.Write(wrong) }, "build-id differs"},
		{func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte("<html>")) }, "not a 64-bit ELF file"},
		{func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, "context canceled"},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			asked++
			c.answer(w, r)
		}))
		d, _ := debuginfodOf(t, server.URL)
		d.timeout = 200 * time.Millisecond
		asked = 0
		l := p.resolveWork(t, Config{Debuginfod: d})
		p.resolveWork(t, Config{Debuginfod: d})
		if l.Function == "" && l.Line != 0 || !strings.Contains(l.Note, c.note) {
			t.Errorf("%s: got %v, note %q", c.note, l, l.Note)
		}
		checktest.Equal(t, 1, asked, c.note, "times asked")
		server.Close()
	}
	d, _ := debuginfodOf(t)
	if l := p.resolveWork(t, Config{Debuginfod: d}); !strings.Contains(l.Note, "DEBUGINFOD_URLS names no server") {
		t.Errorf("note %q", l.Note)
	}
}

// TestPackage: the owner of a file, in either spelling of its path.
func TestPackage(t *testing.T) {
	lists := t.TempDir()
	for name, text := range map[string]string{
		"libc6:amd64.list": "/.\n/lib/x86_64-linux-gnu/libc.so.6\n/usr/share/doc\n",
		"python.list":      "/.\n/usr/bin/python3.11\n",
	} {
		musttest.Succeed(t, os.WriteFile(filepath.Join(lists, name), []byte(text), 0o600))
	}
	for path, want := range map[string]string{
		"/lib/x86_64-linux-gnu/libc.so.6": "libc6", "/usr/lib/x86_64-linux-gnu/libc.so.6": "libc6",
		"/usr/bin/python3.11": "python", "/usr/bin/python3": "", "/opt/x": "",
	} {
		checktest.Equal(t, want, dpkgOwner(lists, path), path)
	}
}
