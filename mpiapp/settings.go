package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/BurntSushi/toml"

	"laggard/analysis/usage/finding"
	"laggard/internal/lateregexp"
	"laggard/internal/tomlfile"
)

// duration is a time.Duration that TOML and the environment write as "90s", or as a number of seconds.
type duration time.Duration

// UnmarshalText reads a duration as parseDuration does.
func (d *duration) UnmarshalText(text []byte) error {
	v, err := parseDuration(string(text))
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
		Dir        string   `toml:"dir"`
		Timeout    duration `toml:"timeout"`
		OnHang     string   `toml:"on_hang"`
		Command    bool     `toml:"command"`
		Values     bool     `toml:"values"`
		Require    bool     `toml:"require_recording"`
		SlowAlerts bool     `toml:"slow_alerts"`
		Leaks      bool     `toml:"leaks"`
		OnSlow     string   `toml:"on_slow"`
		Metrics    string   `toml:"metrics"`
		KillAfter  duration `toml:"kill_after"`
	} `toml:"run"`
	Recorder struct {
		Library   string   `toml:"library"`
		Quiet     duration `toml:"quiet"`
		SampleHz  int      `toml:"sample_hz"`
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
		Library    []string `toml:"library"`
	} `toml:"symbols"`
	Diagnose struct {
		Algorithm string   `toml:"algorithm"`
		Known     []string `toml:"known"`
	} `toml:"diagnose"`
	Slice struct {
		CacheMB int `toml:"cache_mb"`
	} `toml:"slice"`
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
		Refused     bool             `toml:"refused"`
	} `toml:"usage"`
}

// eventMemory of the events of a run, in bytes.
func (s *settings) eventMemory() int64 { return int64(s.Events.MemoryMB) << 20 }

// defaultSettings are the settings if none is set.
func defaultSettings() settings {
	var s settings
	for _, r := range s.table() {
		if err := r.setFromEnv(r.fallback); err != nil {
			panic(fmt.Sprintf("default of %s: %v", r.key, err)) // a fault in the table
		}
	}
	return s
}

// loadSettings reads the defaults, the file (path, or else LAGGARD_CONFIG), the environment, and what --set gives.
func loadSettings(path string, given ...string) (settings, error) {
	s := defaultSettings()
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
		if err := s.setKeyValue(text); err != nil {
			return s, usageError{fmt.Errorf("--set %s: %w", text, err)}
		}
	}
	return s, nil
}

// setKeyValue takes a setting as KEY=VALUE. The value is as in the file; the quotes of a text may be left out.
func (s *settings) setKeyValue(text string) error {
	key, value, is := strings.Cut(text, "=")
	if !is {
		return errors.New("must be KEY=VALUE, such as recorder.max_mb=128")
	}
	meta, err := toml.Decode(key+" = "+value, s)
	if err != nil {
		meta, err = toml.Decode(key+" = "+strconv.Quote(value), s)
	}
	if err == nil && len(meta.Undecoded()) > 0 {
		err = errors.New("no such setting; laggard config print lists all")
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
		return fmt.Errorf("settings: %s:%d: unknown key %q; laggard config print lists all",
			path, tomlfile.KeyLine(string(text), unknown[0]), unknown[0])
	}
	if key, err := s.check(); err != nil {
		return fmt.Errorf("settings: %s:%d: %w", path, tomlfile.KeyLine(string(text), key), err)
	}
	return nil
}

// allocatorFrees stands between the two lists of LAGGARD_ALLOCATORS.
const allocatorFrees = ";free="

// splitList are the words of a list with commas; none of "".
func splitList(list string) []string {
	return strings.FieldsFunc(list, func(r rune) bool { return r == ',' })
}

// allocatorForm is a function, and perhaps which of its arguments counts.
var allocatorForm = lateregexp.New(`^[A-Za-z_][\w.$@]*(:[1-6])?$`)

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
		s.Movement.Frees = splitList(free)
	}
	return r.setFromEnv(value)
}

func parseNumber(text string) (int, error) {
	n, err := strconv.ParseUint(text, 10, 31)
	if err != nil {
		return 0, errors.New("must be an integer, 0 or greater")
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

func checkOneOf(name, value string, values []string) error {
	if !slices.Contains(values, value) {
		return fmt.Errorf("%s %q: must be one of %s", name, value, strings.Join(values, ", "))
	}
	return nil
}

func checkAtLeastOne(name string, n int) error {
	if n < 1 {
		return fmt.Errorf("%s must be at least 1, not %d", name, n)
	}
	return nil
}

func checkWithin(name string, n, least, most int) error {
	if n < least || n > most {
		return fmt.Errorf("%s must be %d to %d, not %d", name, least, most, n)
	}
	return nil
}

func checkFunctionNames(name string, list []string) error {
	for _, f := range list {
		if !allocatorForm.MatchString(f) {
			return fmt.Errorf("%s %q: must be the name of a function, optionally with :N for its argument N, 1 to 6", name,
				f)
		}
	}
	return nil
}

func (s *settings) checkIgnored() error {
	for _, i := range s.Usage.Ignore {
		if err := i.CheckFields(); err != nil {
			return err
		}
	}
	return nil
}

// recorderEnv is the variables by which settings reach the recorder.
func (s *settings) recorderEnv() map[string]string {
	env := map[string]string{}
	for _, r := range s.table() {
		if value := r.envValue(); r.recorder && value != "" {
			env[r.env] = value
		}
	}
	if all := s.allocators(); all != "" {
		env["LAGGARD_ALLOCATORS"] = all
	}
	return env
}
