package main

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/BurntSushi/toml"

	"laggard/analysis/movement/recorded"
	"laggard/analysis/progress/inference"
	"laggard/analysis/usage/finding"
	"laggard/job/preload"
	"laggard/job/watch"
)

// duration is a time.Duration that TOML and the environment write as "90s".
type duration time.Duration

// UnmarshalText reads a duration such as "90s" or "5m".
func (d *duration) UnmarshalText(text []byte) error {
	v, err := time.ParseDuration(string(text))
	if err == nil && v < 0 {
		err = fmt.Errorf("negative duration %q", text)
	}
	*d = duration(v)
	return err
}

// settings are what a user can set for a site or for good. A flag beats the
// environment, which beats the file, which beats the defaults.
type settings struct {
	Run struct {
		Dir     string   `toml:"dir"`
		Timeout duration `toml:"timeout"`
		OnHang  string   `toml:"on_hang"`
	} `toml:"run"`
	Recorder struct {
		Library string   `toml:"library"`
		Quiet   duration `toml:"quiet"`
		MaxMB   int      `toml:"max_mb"`
		Signal  string   `toml:"signal"`
		LiveDir string   `toml:"live_dir"`
		Record  []string `toml:"record"`
	} `toml:"recorder"`
	Symbols struct {
		Roots     []string `toml:"roots"`
		DebugDirs []string `toml:"debug_dirs"`
	} `toml:"symbols"`
	Diagnose struct {
		Algorithm string `toml:"algorithm"`
	} `toml:"diagnose"`
	Movement struct {
		Allocators []string `toml:"allocators"`
		Frees      []string `toml:"frees"`
		Ignore     []string `toml:"ignore"`
		Level      string   `toml:"level"`
	} `toml:"movement"`
	Usage struct {
		IgnoreFiles []string         `toml:"ignore_files"`
		Ignore      []finding.Ignore `toml:"ignore"`
	} `toml:"usage"`
}

// defaultConfig is what `laggard config print` writes; it is read before any
// other file, so its values are the defaults.
const defaultConfig = `# Settings of laggard. A flag beats the environment variable named beside a key,
# and that beats this file, which is given by --config or LAGGARD_CONFIG.

[run]
# Where the run directory goes; "" makes laggard-DATE-TIME-PID in the current
# directory. LAGGARD_DIR
dir = ""
# How long no rank may make progress before the job counts as hung. "0s": 60 s,
# or twice the longest standstill that ended by itself, if that is more; five
# minutes if the others wait for a rank that computes.
# LAGGARD_TIMEOUT
timeout = "0s"
# What run does with a hung job: "diagnose" prints the diagnosis and ends it,
# "keep" prints the diagnosis and leaves it alone, "dump" only records.
# LAGGARD_ON_HANG
on_hang = "diagnose"

[recorder]
# The preload library; "" looks beside the program and in ../lib/laggard.
# LAGGARD_LIBRARY
library = ""
# After how long without progress a rank writes down where it computes.
# LAGGARD_QUIET_MS (in milliseconds)
quiet = "2s"
# Megabytes that a rank may record at most. LAGGARD_MAX_MB
max_mb = 64
# A signal, such as "USR1", upon which every rank writes down where it is.
# LAGGARD_SIGNAL
signal = ""
# A directory on the node itself, such as "/dev/shm", where the ranks keep their
# files while the job runs; laggard run and laggard collect bring them into the
# run directory. "" keeps them there from the start. LAGGARD_LIVE_DIR
live_dir = ""
# What is recorded: "progress" always; "usage", "movement", "volume" as wanted.
# LAGGARD_RECORD (a list with commas)
record = ["progress"]

[symbols]
# Directories that hold the files of the machine the job ran on.
roots = []
# Directories with separate debug files.
debug_dirs = ["/usr/lib/debug"]

[diagnose]
# How progress is inferred where evidence leaves it open: "loop-aware", or
# "pdi" as in the paper. LAGGARD_ALGORITHM
algorithm = "loop-aware"

[movement]
# Allocators of the program's own, by name, with the position of the argument that
# is the size if it is not the first: "pool_get:2". LAGGARD_ALLOCATORS (a list with
# commas, then ";free=" and that of frees)
allocators = []
# What gives their memory back, with the position of the buffer.
frees = []
# Libraries whose data movements are left out beside those that only keep a job
# together, by the beginnings of their file names. LAGGARD_IGNORE (a list with commas)
ignore = []
# What is recorded and looked at: "application" leaves out what is copied and sent
# within an MPI call, "library" has that too, for those who look into their MPI; it
# costs more. LAGGARD_LEVEL
level = "application"

[usage]
# Files that list findings to be left out, one a line: CLASS, CLASS@FILE,
# CLASS@FILE:LINE or CLASS@FUNCTION(). LAGGARD_IGNORE_FILES (a list with commas)
ignore_files = []
# The same in this file, for each finding:
#   [[usage.ignore]]
#   class = "potential_deadlock"   # "*" stands for all
#   file = "halo.c"                # the end of its name; also line, function
`

// loadSettings reads the defaults, the file (path, or else LAGGARD_CONFIG) and
// the environment.
func loadSettings(path string) (settings, error) {
	var s settings
	if _, err := toml.Decode(defaultConfig, &s); err != nil {
		return s, fmt.Errorf("default settings: %w", err)
	}
	if path == "" {
		path = os.Getenv("LAGGARD_CONFIG")
	}
	if path != "" {
		if err := s.readFile(path); err != nil {
			return s, usageError{err}
		}
	}
	if err := s.readEnv(os.LookupEnv); err != nil {
		return s, usageError{err}
	}
	return s, nil
}

func (s *settings) readFile(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("settings: %w", err)
	}
	meta, err := toml.Decode(string(text), s)
	var parse toml.ParseError
	if errors.As(err, &parse) {
		return fmt.Errorf("settings: %s:%d: %s", path, parse.Position.Line, parse.Message)
	}
	if err != nil {
		return fmt.Errorf("settings: %s: %w", path, err)
	}
	if unknown := meta.Undecoded(); len(unknown) > 0 {
		return fmt.Errorf("settings: %s:%d: unknown key %q; laggard config print shows all", path, lineOf(string(text), unknown[0]), unknown[0])
	}
	if key, err := s.check(); err != nil {
		return fmt.Errorf("settings: %s:%d: %w", path, lineOf(string(text), key), err)
	}
	return nil
}

// lineOf finds the line of a key, which the TOML package tells for syntax
// errors only: the first that sets it, or else the nearest table around it.
func lineOf(text string, key toml.Key) int {
	want, table, nearest := strings.Join(key, "."), "", 1
	for i, line := range strings.Split(text, "\n") {
		left, _, sets := strings.Cut(line, "=")
		name := strings.NewReplacer(" ", "", "\t", "", `"`, "", "'", "").Replace(left)
		switch {
		case strings.HasPrefix(name, "["):
			table, _, _ = strings.Cut(strings.TrimLeft(name, "["), "]")
			name = table
		case !sets:
			continue
		case table != "":
			name = table + "." + name
		}
		if name == want {
			return i + 1
		}
		if strings.HasPrefix(want, name+".") {
			nearest = i + 1
		}
	}
	return nearest
}

// variable is an environment variable that sets a key.
type variable struct {
	name string
	set  func(value string) error
}

func (s *settings) variables() []variable {
	text := func(field *string) func(string) error {
		return func(v string) error { *field = v; return nil }
	}
	return []variable{
		{"LAGGARD_DIR", text(&s.Run.Dir)},
		{"LAGGARD_TIMEOUT", func(v string) error { return s.Run.Timeout.UnmarshalText([]byte(v)) }},
		{"LAGGARD_ON_HANG", text(&s.Run.OnHang)},
		{"LAGGARD_LIBRARY", text(&s.Recorder.Library)},
		{"LAGGARD_QUIET_MS", func(v string) error {
			n, err := number(v)
			s.Recorder.Quiet = duration(time.Duration(n) * time.Millisecond)
			return err
		}},
		{"LAGGARD_MAX_MB", func(v string) (err error) { s.Recorder.MaxMB, err = number(v); return err }},
		{"LAGGARD_SIGNAL", text(&s.Recorder.Signal)},
		{"LAGGARD_LIVE_DIR", text(&s.Recorder.LiveDir)},
		{"LAGGARD_RECORD", func(v string) error { s.Recorder.Record = strings.Split(v, ","); return nil }},
		{"LAGGARD_ALGORITHM", text(&s.Diagnose.Algorithm)},
		{"LAGGARD_ALLOCATORS", func(v string) error {
			get, free, _ := strings.Cut(v, allocatorFrees)
			s.Movement.Allocators, s.Movement.Frees = fields(get), fields(free)
			return nil
		}},
		{"LAGGARD_IGNORE", func(v string) error { s.Movement.Ignore = fields(v); return nil }},
		{"LAGGARD_LEVEL", text(&s.Movement.Level)},
		{"LAGGARD_IGNORE_FILES", func(v string) error { s.Usage.IgnoreFiles = strings.Split(v, ","); return nil }},
	}
}

// allocatorFrees stands between the two lists of LAGGARD_ALLOCATORS.
const allocatorFrees = ";free="

// fields are the words of a list with commas; none of "".
func fields(list string) []string {
	return strings.FieldsFunc(list, func(r rune) bool { return r == ',' })
}

// allocatorForm is a function, and perhaps which of its arguments counts.
var allocatorForm = regexp.MustCompile(`^[A-Za-z_][\w.$@]*(:[1-6])?$`)

// allocators is LAGGARD_ALLOCATORS as the recorder reads it, "" if there are none.
func (s *settings) allocators() string {
	get, free := strings.Join(s.Movement.Allocators, ","), strings.Join(s.Movement.Frees, ",")
	if free != "" {
		return get + allocatorFrees + free
	}
	return get
}

// readEnv takes the variables that are set and not empty.
func (s *settings) readEnv(lookup func(string) (string, bool)) error {
	for _, v := range s.variables() {
		value, _ := lookup(v.name)
		if value == "" {
			continue
		}
		err := v.set(value)
		if err == nil {
			_, err = s.check()
		}
		if err != nil {
			return fmt.Errorf("%s=%s: %w", v.name, value, err)
		}
	}
	return nil
}

func number(text string) (int, error) {
	n, err := strconv.ParseUint(text, 10, 31)
	if err != nil {
		return 0, errors.New("not a number of zero or more")
	}
	return int(n), nil
}

// check returns the first key whose value is none that it can have.
func (s *settings) check() (toml.Key, error) {
	if !slices.Contains(watch.Actions, s.Run.OnHang) {
		return toml.Key{"run", "on_hang"}, fmt.Errorf("on_hang %q: it is one of %s", s.Run.OnHang, strings.Join(watch.Actions, ", "))
	}
	if s.Recorder.MaxMB < 1 {
		return toml.Key{"recorder", "max_mb"}, fmt.Errorf("max_mb %d: it is 1 or more", s.Recorder.MaxMB)
	}
	if _, err := preload.Ordered(s.Recorder.Record); err != nil {
		return toml.Key{"recorder", "record"}, err
	}
	for _, list := range []struct {
		key   string
		names []string
	}{{"allocators", s.Movement.Allocators}, {"frees", s.Movement.Frees}} {
		for _, name := range list.names {
			if !allocatorForm.MatchString(name) {
				return toml.Key{"movement", list.key}, fmt.Errorf("%s %q: it is the name of a function, perhaps with :N for its argument N, 1 to 6", list.key, name)
			}
		}
	}
	if _, err := recorded.ParseLevel(s.Movement.Level); err != nil {
		return toml.Key{"movement", "level"}, err
	}
	for _, i := range s.Usage.Ignore {
		if err := i.Check(); err != nil {
			return toml.Key{"usage", "ignore"}, err
		}
	}
	_, err := inference.NewAlgorithm(s.Diagnose.Algorithm)
	return toml.Key{"diagnose", "algorithm"}, err
}

// recorderEnv is the variables by which settings reach the recorder.
func (s *settings) recorderEnv() map[string]string {
	env := map[string]string{
		"LAGGARD_QUIET_MS": strconv.FormatInt(time.Duration(s.Recorder.Quiet).Milliseconds(), 10),
		"LAGGARD_MAX_MB":   strconv.Itoa(s.Recorder.MaxMB),
	}
	for name, value := range map[string]string{
		"LAGGARD_SIGNAL":     s.Recorder.Signal,
		"LAGGARD_ALLOCATORS": s.allocators(),
		"LAGGARD_IGNORE":     strings.Join(s.Movement.Ignore, ","),
		"LAGGARD_LEVEL":      s.Movement.Level,
	} {
		if value != "" {
			env[name] = value
		}
	}
	return env
}
