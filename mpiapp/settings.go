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
	"laggard/internal/tomlfile"
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
		Command bool     `toml:"command"`
		Values  bool     `toml:"values"`
	} `toml:"run"`
	Recorder struct {
		Library   string   `toml:"library"`
		Quiet     duration `toml:"quiet"`
		MaxMB     int      `toml:"max_mb"`
		StreamMB  int      `toml:"stream_mb"`
		Checksums bool     `toml:"checksums"`
		Signal    string   `toml:"signal"`
		LiveDir   string   `toml:"live_dir"`
		Record    []string `toml:"record"`
	} `toml:"recorder"`
	Symbols struct {
		Roots      []string `toml:"roots"`
		DebugDirs  []string `toml:"debug_dirs"`
		Debuginfod bool     `toml:"debuginfod"`
	} `toml:"symbols"`
	Diagnose struct {
		Algorithm string   `toml:"algorithm"`
		Known     []string `toml:"known"`
	} `toml:"diagnose"`
	Movement struct {
		Allocators []string `toml:"allocators"`
		Frees      []string `toml:"frees"`
		Ignore     []string `toml:"ignore"`
		Level      string   `toml:"level"`
	} `toml:"movement"`
	Events struct {
		MemoryMB int `toml:"memory_mb"`
	} `toml:"events"`
	Usage struct {
		IgnoreFiles []string         `toml:"ignore_files"`
		Ignore      []finding.Ignore `toml:"ignore"`
	} `toml:"usage"`
}

// memory of the events of a run, in bytes.
func (s *settings) memory() int64 { return int64(s.Events.MemoryMB) << 20 }

// setting is a row of the table from which all forms of a setting come.
type setting struct {
	key   string       // in the file: the table, a dot, and the name in it
	value any          // where it is kept: a pointer to a field
	plain string       // the default, as the environment would say it
	env   string       // the environment variable; "" if there is none
	flag  string       // the flag that beats it, by its name; "" if there is none
	check func() error // says what is wrong with the value; nil if anything goes

	recorder bool   // the recorder reads the variable too
	doc      string // what it is for
}

// table lists the settings, in the order in which they are printed.
func (s *settings) table() []setting {
	return []setting{
		{
			key: "run.dir", value: &s.Run.Dir, env: "LAGGARD_DIR", flag: "output",
			doc: `Where the run directory goes; "" makes laggard-DATE-TIME-PID in the current directory.`,
		},
		{
			key: "run.timeout", value: &s.Run.Timeout, plain: "0s", env: "LAGGARD_TIMEOUT", flag: "timeout",
			doc: `How long no rank may make progress before the job counts as hung. "0s": 60 s, or twice the longest
				standstill that ended by itself, if that is more; five minutes if the others wait for a rank that
				computes.`,
		},
		{
			key: "run.on_hang", value: &s.Run.OnHang, plain: "diagnose", env: "LAGGARD_ON_HANG", flag: "on-hang",
			check: func() error { return oneOf("on_hang", s.Run.OnHang, watch.Actions) },
			doc: `What run does with a hung job: "diagnose" prints the diagnosis and ends it, "keep" prints the
				diagnosis and leaves it alone, "dump" only records.`,
		},
		{
			key: "run.command", value: &s.Run.Command, plain: "1", env: "LAGGARD_COMMAND",
			doc: `Whether the run directory has the command line, which may hold secrets (the variable: 0 or 1).`,
		},
		{
			key: "run.values", value: &s.Run.Values, plain: "1", env: "LAGGARD_VALUES",
			doc: `Whether the numbers in the variables of ranks are noted when a hang is noticed, to stand beside the lines of
				the slice (the variable: 0 or 1).`,
		},
		{
			key: "recorder.library", value: &s.Recorder.Library, env: "LAGGARD_LIBRARY",
			doc: `The preload library; "" looks beside the program and in ../lib/laggard.`,
		},
		{
			key: "recorder.quiet", value: &s.Recorder.Quiet, plain: "2000", env: "LAGGARD_QUIET_MS", recorder: true,
			doc: `After how long without progress a rank writes down where it computes (the variable: in milliseconds).`,
		},
		{
			key: "recorder.max_mb", value: &s.Recorder.MaxMB, plain: "64", env: "LAGGARD_MAX_MB", recorder: true,
			check: func() error { return atLeastOne("max_mb", s.Recorder.MaxMB) },
			doc:   `Megabytes that a rank may record at most.`,
		},
		{
			key: "recorder.stream_mb", value: &s.Recorder.StreamMB, plain: "128", env: "LAGGARD_STREAM_MB",
			recorder: true, check: func() error { return atLeastOne("stream_mb", s.Recorder.StreamMB) },
			doc: `Megabytes of events (usage, movement) that a process may record at most.`,
		},
		{
			key: "recorder.checksums", value: &s.Recorder.Checksums, plain: "1", env: "LAGGARD_CHECKSUMS",
			recorder: true,
			doc: `Whether usage sums up the bytes of sends that do not block, to find buffers that are written too
				early (the variable: 0 or 1).`,
		},
		{
			key: "recorder.signal", value: &s.Recorder.Signal, env: "LAGGARD_SIGNAL", recorder: true,
			doc: `A signal, such as "USR1", upon which every rank writes down where it is.`,
		},
		{
			key: "recorder.live_dir", value: &s.Recorder.LiveDir, env: "LAGGARD_LIVE_DIR", flag: "live-dir",
			doc: `A directory on the node itself, such as "/dev/shm", where the ranks keep their files while the job
				runs; laggard run and laggard collect bring them into the run directory. "" keeps them there from
				the start.`,
		},
		{
			key: "recorder.record", value: &s.Recorder.Record, plain: "progress", env: "LAGGARD_RECORD", flag: "record",
			check: func() error { _, err := preload.Ordered(s.Recorder.Record); return err },
			doc:   `What is recorded: "progress" always; "usage", "movement", "volume" as wanted.`,
		},
		{
			key: "symbols.roots", value: &s.Symbols.Roots, env: "LAGGARD_ROOTS", flag: "root",
			doc: `Directories that hold the files of the machine the job ran on.`,
		},
		{
			key: "symbols.debug_dirs", value: &s.Symbols.DebugDirs, plain: "/usr/lib/debug", env: "LAGGARD_DEBUG_DIRS",
			flag: "debug-dir",
			doc:  `Directories with separate debug files.`,
		},
		{
			key: "symbols.debuginfod", value: &s.Symbols.Debuginfod, plain: "0", env: "LAGGARD_DEBUGINFOD",
			flag: "debuginfod",
			doc:  `Whether debug files that are nowhere else are fetched from the servers of DEBUGINFOD_URLS.`,
		},
		{
			key: "diagnose.algorithm", value: &s.Diagnose.Algorithm, plain: "loop-aware", env: "LAGGARD_ALGORITHM",
			flag:  "algorithm",
			check: func() error { _, err := inference.NewAlgorithm(s.Diagnose.Algorithm); return err },
			doc:   `How progress is inferred where evidence leaves it open: "loop-aware", or "pdi" as in the paper.`,
		},
		{
			key: "diagnose.known", value: &s.Diagnose.Known, env: "LAGGARD_KNOWN",
			doc: `Files with known issues of MPI libraries, as [[issue]] tables, beside those that come with laggard.`,
		},
		{
			key: "events.memory_mb", value: &s.Events.MemoryMB, plain: "0", env: "LAGGARD_MEMORY_MB",
			doc: `Megabytes that the events of a run (usage, movement) may take in an analysis process, about; 0 is half
				of what is free. Of more events the later ones are left out, and it is said of which ranks.`,
		},
		{
			key: "movement.allocators", value: &s.Movement.Allocators, env: "LAGGARD_ALLOCATORS",
			check: func() error { return functions("allocators", s.Movement.Allocators) },
			doc: `Allocators of the program's own, by name, with the position of the argument that is the size if it is
				not the first: "pool_get:2". The variable has behind them ";free=" and the list of frees.`,
		},
		{
			key: "movement.frees", value: &s.Movement.Frees,
			check: func() error { return functions("frees", s.Movement.Frees) },
			doc:   `What gives their memory back, with the position of the buffer.`,
		},
		{
			key: "movement.ignore", value: &s.Movement.Ignore, env: "LAGGARD_IGNORE", recorder: true,
			doc: `Libraries whose data movements are left out beside those that only keep a job together, by the
				beginnings of their file names.`,
		},
		{
			key: "movement.level", value: &s.Movement.Level, plain: "application", env: "LAGGARD_LEVEL", flag: "level",
			recorder: true,
			check:    func() error { _, err := recorded.ParseLevel(s.Movement.Level); return err },
			doc: `What is recorded and looked at: "application" leaves out what is copied and sent within an MPI call,
				"library" has that too, for those who look into their MPI; it costs more.`,
		},
		{
			key: "usage.ignore_files", value: &s.Usage.IgnoreFiles, env: "LAGGARD_IGNORE_FILES", flag: "ignore-file",
			doc: `Files that list findings to be left out, one a line: CLASS, CLASS@FILE, CLASS@FILE:LINE or
				CLASS@FUNCTION().`,
		},
		{
			key: "usage.ignore", value: &s.Usage.Ignore, flag: "ignore", check: s.checkIgnored,
			doc: `The same in this file, for each finding a table [[usage.ignore]] with the keys class ("*" stands for
				all), file (the end of its name), line and function, of which all but class may be left out.`,
		},
	}
}

// set takes a value as the environment gives it.
func (r setting) set(text string) (err error) {
	switch v := r.value.(type) {
	case *string:
		*v = text
	case *int:
		*v, err = number(text)
	case *bool:
		if *v = text == "1"; !*v && text != "0" {
			err = errors.New("it is 0 or 1")
		}
	case *duration:
		if !strings.HasSuffix(r.env, "_MS") {
			return v.UnmarshalText([]byte(text))
		}
		var n int
		n, err = number(text)
		*v = duration(time.Duration(n) * time.Millisecond)
	case *[]string:
		*v = fields(text)
	}
	return err
}

// text is a value as the environment gives it: what set takes.
func (r setting) text() string {
	switch v := r.value.(type) {
	case *string:
		return *v
	case *int:
		return strconv.Itoa(*v)
	case *bool:
		if *v {
			return "1"
		}
		return "0"
	case *duration:
		if strings.HasSuffix(r.env, "_MS") {
			return strconv.FormatInt(time.Duration(*v).Milliseconds(), 10)
		}
		return time.Duration(*v).String()
	case *[]string:
		return strings.Join(*v, ",")
	}
	return ""
}

// defaults are the settings where nobody sets any.
func defaults() settings {
	var s settings
	for _, r := range s.table() {
		if err := r.set(r.plain); err != nil {
			panic(fmt.Sprintf("default of %s: %v", r.key, err)) // a fault in the table
		}
	}
	return s
}

// loadSettings reads the defaults, the file (path, or else LAGGARD_CONFIG), the environment, and what --set gives.
func loadSettings(path string, given ...string) (settings, error) {
	s := defaults()
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
	for _, text := range given {
		if err := s.give(text); err != nil {
			return s, usageError{fmt.Errorf("--set %s: %w", text, err)}
		}
	}
	return s, nil
}

// give takes a setting as KEY=VALUE. The value is as in the file; the quotes of a text may be left out.
func (s *settings) give(text string) error {
	key, value, is := strings.Cut(text, "=")
	if !is {
		return errors.New("it is KEY=VALUE, such as recorder.max_mb=128")
	}
	meta, err := toml.Decode(key+" = "+value, s)
	if err != nil {
		meta, err = toml.Decode(key+" = "+strconv.Quote(value), s)
	}
	if err == nil && len(meta.Undecoded()) > 0 {
		err = errors.New("there is no such setting; laggard config print shows all")
	}
	if err == nil {
		_, err = s.check()
	}
	return err
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
		return fmt.Errorf("settings: %s:%d: unknown key %q; laggard config print shows all",
			path, tomlfile.Line(string(text), unknown[0]), unknown[0])
	}
	if key, err := s.check(); err != nil {
		return fmt.Errorf("settings: %s:%d: %w", path, tomlfile.Line(string(text), key), err)
	}
	return nil
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
	for _, r := range s.table() {
		value, _ := lookup(r.env)
		if r.env == "" || value == "" {
			continue
		}
		err := s.setEnv(r, value)
		if err == nil {
			_, err = s.check()
		}
		if err != nil {
			return fmt.Errorf("%s=%s: %w", r.env, value, err)
		}
	}
	return nil
}

// setEnv sets one setting; the variable of the allocators has those of frees in it.
func (s *settings) setEnv(r setting, value string) error {
	if r.value == any(&s.Movement.Allocators) {
		var free string
		value, free, _ = strings.Cut(value, allocatorFrees)
		s.Movement.Frees = fields(free)
	}
	return r.set(value)
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
	for _, r := range s.table() {
		if r.check == nil {
			continue
		}
		if err := r.check(); err != nil {
			return strings.Split(r.key, "."), err
		}
	}
	return nil, nil
}

func oneOf(name, value string, values []string) error {
	if !slices.Contains(values, value) {
		return fmt.Errorf("%s %q: it is one of %s", name, value, strings.Join(values, ", "))
	}
	return nil
}

func atLeastOne(name string, n int) error {
	if n < 1 {
		return fmt.Errorf("%s %d: it is 1 or more", name, n)
	}
	return nil
}

func functions(name string, list []string) error {
	for _, f := range list {
		if !allocatorForm.MatchString(f) {
			return fmt.Errorf("%s %q: it is the name of a function, perhaps with :N for its argument N, 1 to 6", name,
				f)
		}
	}
	return nil
}

func (s *settings) checkIgnored() error {
	for _, i := range s.Usage.Ignore {
		if err := i.Check(); err != nil {
			return err
		}
	}
	return nil
}

// recorderEnv is the variables by which settings reach the recorder.
func (s *settings) recorderEnv() map[string]string {
	env := map[string]string{}
	for _, r := range s.table() {
		if value := r.text(); r.recorder && value != "" {
			env[r.env] = value
		}
	}
	if all := s.allocators(); all != "" {
		env["LAGGARD_ALLOCATORS"] = all
	}
	return env
}
