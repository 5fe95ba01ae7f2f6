package symbol

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"laggard/internal/regular"
)

// Debuginfod asks servers of debug information for files by build-id, and keeps them
// where other clients do (debuginfod(8), debuginfod-find(1) of elfutils). Safe for
// concurrent use.
type Debuginfod struct {
	servers []string
	cache   string
	timeout time.Duration // in which a server has to begin its answer
	told    io.Writer     // gets a line for each file that is fetched, for whoever waits

	mu   sync.Mutex
	gone map[string]error // of servers that did not answer, and of files that none has
}

// fetchLimit bounds a file, in bytes, and fetchTime the transfer: what a server sends is
// not known before.
const (
	fetchLimit = 4 << 30
	fetchTime  = 5 * time.Minute
)

// NewDebuginfod reads DEBUGINFOD_URLS, DEBUGINFOD_TIMEOUT (seconds) and
// DEBUGINFOD_CACHE_PATH; the servers may be directories, as file:///mirror. told
// gets a line for each file that is fetched.
func NewDebuginfod(told io.Writer) *Debuginfod {
	d := &Debuginfod{
		servers: strings.Fields(os.Getenv("DEBUGINFOD_URLS")), cache: os.Getenv("DEBUGINFOD_CACHE_PATH"),
		timeout: 15 * time.Second, told: told, gone: map[string]error{},
	}
	if n, err := strconv.Atoi(os.Getenv("DEBUGINFOD_TIMEOUT")); err == nil && n > 0 {
		d.timeout = time.Duration(n) * time.Second
	}
	if dir, err := os.UserCacheDir(); d.cache == "" && err == nil {
		d.cache = filepath.Join(dir, "debuginfod_client")
	}
	return d
}

// errNoServer says that there is nobody to ask.
var errNoServer = errors.New("symbol: DEBUGINFOD_URLS names no server")

// locateFile returns where the debug file ("debuginfo") or the program ("executable") with
// that build-id lies, fetched if need be.
func (d *Debuginfod) locateFile(id, kind string) (string, error) {
	if !isBuildID(id) || d == nil {
		return "", nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	path := filepath.Join(d.cache, id, kind)
	if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && info.Size() > 0 {
		return path, nil
	}
	if err, known := d.gone[id+kind]; known {
		return "", err
	}
	err := errNoServer
	for _, server := range d.servers {
		if d.gone[server] != nil {
			err = d.gone[server]
			continue
		}
		if err = d.fetchFrom(server, id, kind, path); err == nil {
			return path, nil
		}
	}
	d.gone[id+kind] = err
	return "", err
}

// rejectFile forgets a file that is not what was asked for.
func (d *Debuginfod) rejectFile(id, kind string, why error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.gone[id+kind] = why
	_ = os.Remove(filepath.Join(d.cache, id, kind))
}

// errAbsent says that a server answered, and does not have the file.
var errAbsent = errors.New("symbol: debuginfod: no server has it")

func (d *Debuginfod) fetchFrom(server, id, kind, path string) error {
	body, err := d.openURL(strings.TrimSuffix(server, "/") + "/buildid/" + id + "/" + kind)
	if errors.Is(err, errAbsent) {
		return err
	}
	if err != nil {
		d.gone[server] = fmt.Errorf("symbol: debuginfod: %s: %w", server, err)
		return d.gone[server]
	}
	defer body.Close()
	fmt.Fprintf(d.told, "laggard: fetching the %s of build-id %s from %s\n", kind, shortBuildID(id), server)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return regular.ReplaceFileBy(path, func(w io.Writer) error {
		n, err := io.Copy(w, io.LimitReader(body, fetchLimit))
		if err == nil && n == fetchLimit {
			err = fmt.Errorf("symbol: debuginfod: %s: longer than %d bytes", server, int64(fetchLimit))
		}
		return err
	})
}

// openURL asks for a file. Closing the body ends the request.
func (d *Debuginfod) openURL(address string) (io.ReadCloser, error) {
	if u, err := url.Parse(address); err == nil && u.Scheme == "file" {
		f, err := os.Open(u.Path)
		if errors.Is(err, os.ErrNotExist) {
			return nil, errAbsent
		}
		return f, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), fetchTime)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		cancel()
		return nil, err
	}
	late := time.AfterFunc(d.timeout, cancel)
	answer, err := http.DefaultClient.Do(request)
	late.Stop()
	if err == nil && answer.StatusCode != http.StatusOK {
		answer.Body.Close()
		err = errAbsent
		if answer.StatusCode != http.StatusNotFound {
			err = errors.New(answer.Status)
		}
	}
	if err != nil {
		cancel()
		return nil, err
	}
	return &body{answer.Body, cancel}, nil
}

// body is what a server sends.
type body struct {
	io.ReadCloser
	end context.CancelFunc
}

func (b *body) Close() error {
	b.end()
	return b.ReadCloser.Close()
}
