package procfs

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Path returns the path of a file of a process, such as /proc/17/exe.
func Path(pid int, names ...string) string {
	return filepath.Join(append([]string{"/proc", strconv.Itoa(pid)}, names...)...)
}

// PIDs returns the processes that can be seen, in the order of the directory.
func PIDs() []int {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	var out []int
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil {
			out = append(out, pid)
		}
	}
	return out
}

// Stat is what the file stat has of a process or a thread.
type Stat struct {
	Name    string // of the command, at most 15 bytes
	State   byte   // R, S, D, T, t, Z, X, ...
	Parent  int    // its process number
	Threads int
	Start   uint64 // in the kernel's ticks since boot
	CPU     int    // that it ran on last
	// ArgStart and EnvEnd are the addresses between which its command line and environment are; 0: not known.
	ArgStart, EnvEnd uint64
}

// ReadStat reads the file of a process. Errors are those of reading, or say what is malformed.
func ReadStat(pid int) (Stat, error) { return readStat(Path(pid, "stat")) }

// ReadThreadStat reads the file of a thread.
func ReadThreadStat(pid, tid int) (Stat, error) {
	return readStat(Path(pid, "task", strconv.Itoa(tid), "stat"))
}

func readStat(path string) (Stat, error) {
	text, err := ReadFile(path)
	if err != nil {
		return Stat{}, err
	}
	s, err := parseStat(text)
	if err != nil {
		return s, fmt.Errorf("%s: %w", path, err)
	}
	return s, nil
}

// Fields behind the name, counted from that of the state.
const (
	fieldParent  = 1
	fieldThreads = 17
	fieldStart   = 19
	fieldCPU     = 36
	fieldArgs    = 45
	fieldEnvEnd  = 48
)

func parseStat(text []byte) (s Stat, err error) {
	open, end := bytes.IndexByte(text, '('), bytes.LastIndexByte(text, ')') // the name may have any character
	if open < 0 || end < open {
		return s, errors.New("no name in parentheses")
	}
	fields := strings.Fields(string(text[end+1:]))
	if len(fields) <= fieldCPU {
		return s, fmt.Errorf("%d fields behind the name", len(fields))
	}
	s.Name, s.State = string(text[open+1:end]), fields[0][0]
	var errs [4]error
	s.Parent, errs[0] = strconv.Atoi(fields[fieldParent])
	s.Threads, errs[1] = strconv.Atoi(fields[fieldThreads])
	s.Start, errs[2] = strconv.ParseUint(fields[fieldStart], 10, 64)
	s.CPU, errs[3] = strconv.Atoi(fields[fieldCPU])
	if len(fields) > fieldEnvEnd {
		s.ArgStart, _ = strconv.ParseUint(fields[fieldArgs], 10, 64)
		s.EnvEnd, _ = strconv.ParseUint(fields[fieldEnvEnd], 10, 64)
	}
	return s, errors.Join(errs[:]...)
}

// Ended reports whether the process or thread is a zombie, or is dead.
func (s *Stat) Ended() bool { return s.State == 'Z' || s.State == 'X' }

// ReadStatus returns the values of the file status of a process by their names, such as "TracerPid".
func ReadStatus(pid int) (map[string]string, error) {
	text, err := ReadFile(Path(pid, "status"))
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for line := range strings.Lines(string(text)) {
		if name, value, ok := strings.Cut(line, ":"); ok {
			out[name] = strings.TrimSpace(value)
		}
	}
	return out, nil
}

// Mapping is a range of addresses that has one origin.
type Mapping struct {
	Lo, Hi     uint64 // first address, and the one behind the last
	Offset     uint64 // in the file
	Executable bool
	Writable   bool
	Path       string // of the file, or what the system calls it, such as [vdso]; "" nothing
}

// ReadMaps returns what is mapped into the memory of a process, by address. A process that has ended has nothing.
func ReadMaps(pid int) ([]Mapping, error) {
	text, err := ReadFile(Path(pid, "maps"))
	if err != nil {
		return nil, err
	}
	return ParseMaps(bytes.NewReader(text))
}

// ParseMaps reads lines such as "7f00-7f80 r-xp 00001000 08:02 135 /usr/lib/libc.so.6".
func ParseMaps(text io.Reader) ([]Mapping, error) {
	var out []Mapping
	lines := bufio.NewScanner(text)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		m, err := parseMapping(lines.Text())
		if err != nil {
			return nil, err
		}
		out = append(out, m)
	}
	return out, lines.Err()
}

func parseMapping(line string) (m Mapping, err error) {
	head, path, _ := strings.Cut(line, "/")
	f := strings.Fields(head)
	if len(f) < 5 {
		return m, fmt.Errorf("a line of maps cannot be read: %.80q", line)
	}
	switch {
	case path != "":
		m.Path = "/" + strings.TrimSuffix(path, " (deleted)")
	case len(f) > 5:
		m.Path = f[5]
	}
	m.Executable, m.Writable = strings.Contains(f[1], "x"), strings.Contains(f[1], "w")
	lo, hi, _ := strings.Cut(f[0], "-")
	var errs [3]error
	m.Lo, errs[0] = strconv.ParseUint(lo, 16, 64)
	m.Hi, errs[1] = strconv.ParseUint(hi, 16, 64)
	m.Offset, errs[2] = strconv.ParseUint(f[2], 16, 64)
	if err := errors.Join(errs[:]...); err != nil || m.Hi <= m.Lo {
		return m, fmt.Errorf("a line of maps cannot be read: %.80q", line)
	}
	return m, nil
}
