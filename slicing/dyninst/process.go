package dyninst

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"
)

// maxAnswer bounds the answer for one function, in bytes.
const maxAnswer = 256 << 20

// maxSaid bounds what is kept of the complaints of a helper.
const maxSaid = 4096

// process is a running helper.
type process struct {
	cmd   *exec.Cmd
	in    io.WriteCloser
	lines chan answered
	said  tail
	ended sync.Once
}

// answered is a line, or why there is none.
type answered struct {
	line []byte
	err  error
}

// tail keeps the end of what is written to it.
type tail struct {
	mu   sync.Mutex
	text []byte
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	t.text = t.text[max(0, len(t.text)-maxSaid):]
	return len(p), nil
}

// last is the last line.
func (t *tail) last() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	lines := strings.Split(strings.TrimSpace(string(t.text)), "\n")
	return strings.ToValidUTF8(lines[len(lines)-1], "?")
}

// start starts a helper in a process group of its own.
func start(path string) (*process, error) {
	p := &process{cmd: exec.Command(path), lines: make(chan answered, 1)}
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	p.cmd.Stderr = &p.said
	var err error
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	go p.listen(out)
	return p, nil
}

// listen passes on the lines of the helper.
func (p *process) listen(out io.Reader) {
	defer close(p.lines)
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, maxAnswer)
	for lines.Scan() {
		p.lines <- answered{line: append([]byte(nil), lines.Bytes()...)}
	}
	p.lines <- answered{err: lines.Err()}
}

// request is what the helper is asked.
type request struct {
	Module  string `json:"module"`
	Entry   uint64 `json:"entry"`
	Seconds int    `json:"seconds"`
}

var errTime = errors.New("its share of the time is over")

// ask sends a request and waits for the answer. After an error the process is of
// no more use.
func (p *process) ask(r request, wait time.Duration) ([]byte, error) {
	// The helper ends itself a little later, should this process not be there.
	r.Seconds = int(wait/time.Second) + 2
	line, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	if _, err := p.in.Write(append(line, '\n')); err != nil {
		return nil, p.why(err)
	}
	late := time.NewTimer(wait)
	defer late.Stop()
	select {
	case a := <-p.lines:
		if a.line == nil {
			return nil, p.why(a.err)
		}
		return a.line, nil
	case <-late.C:
		return nil, fmt.Errorf("%w (%s)", errTime, wait.Round(time.Millisecond))
	}
}

// why ends the helper and says why it ended.
func (p *process) why(err error) error {
	how := p.end()
	if err == nil {
		err = errors.New("it ended")
	}
	if how != nil {
		err = fmt.Errorf("%w: %w", err, how)
	}
	if said := p.said.last(); said != "" {
		err = fmt.Errorf("%w: %s", err, said)
	}
	return err
}

// patience is how long a helper may take to end by itself.
const patience = 200 * time.Millisecond

// end ends the helper and all that it started.
func (p *process) end() (err error) {
	p.ended.Do(func() {
		_ = p.in.Close()
		timer := time.AfterFunc(patience, func() { _ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL) })
		for range p.lines {
			// Wait must not be called before everything is read.
		}
		err = p.cmd.Wait()
		timer.Stop()
	})
	return err
}
