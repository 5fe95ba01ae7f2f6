package main

import (
	"errors"
	"strconv"
	"strings"
	"time"

	"laggard/analysis/movement/recorded"
	"laggard/analysis/progress/inference"
	"laggard/job/preload"
	"laggard/job/watch"
)

// setting is a row of the table from which all forms of a setting come.
type setting struct {
	key      string       // in the file: the table, a dot, and the name in it
	value    any          // where it is kept: a pointer to a field
	fallback string       // the default, as the environment would say it
	env      string       // the environment variable; "" if there is none
	flag     string       // the flag that beats it, by its name; "" if there is none
	check    func() error // says what is wrong with the value; nil if anything goes

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
			key: "run.timeout", value: &s.Run.Timeout, fallback: "0s", env: "LAGGARD_TIMEOUT", flag: "timeout",
			doc: `How long the job may make no progress before it is considered hung. It makes progress while a rank
				does, or works inside an MPI call. "0s": five minutes, or 60 s if it is certain that ranks can never
				continue, and at least twice the longest standstill that ended by itself. Calls on files have at least
				five minutes.`,
		},
		{
			key: "run.on_hang", value: &s.Run.OnHang, fallback: "diagnose", env: "LAGGARD_ON_HANG", flag: "on-hang",
			check: func() error { return checkOneOf("on_hang", s.Run.OnHang, watch.Actions) },
			doc: `What run does with a hung job: "diagnose" prints the diagnosis and ends it, "keep" prints the
				diagnosis and leaves it alone, "dump" only records.`,
		},
		{
			key: "run.kill_after", value: &s.Run.KillAfter, fallback: "10s", env: "LAGGARD_KILL_AFTER", flag: "kill-after",
			doc: `When a job is ended: how long its processes have to exit after SIGTERM before they are sent
				SIGKILL.`,
		},
		{
			key: "run.command", value: &s.Run.Command, fallback: "1", env: "LAGGARD_COMMAND",
			doc: `Whether the run directory contains the command line, which may hold secrets (the variable: 0 or 1).`,
		},
		{
			key: "run.values", value: &s.Run.Values, fallback: "1", env: "LAGGARD_VALUES",
			doc: `Whether numeric variable values of the ranks are recorded when a hang is detected, to be shown beside
				the lines of the slice (the variable: 0 or 1).`,
		},
		{
			key: "run.require_recording", value: &s.Run.Require, fallback: "0", env: "LAGGARD_REQUIRE_RECORDING",
			doc: `Whether to refuse a job that cannot be recorded, for example because the disk is full. Otherwise it runs
				unrecorded, with a warning (the variable: 0 or 1).`,
		},
		{
			key: "run.slow_alerts", value: &s.Run.SlowAlerts, fallback: "1", env: "LAGGARD_SLOW_ALERTS",
			doc: `Whether run and exec print a line when the job, or some ranks of it, become slower, and one when they are
				as fast as before again (the variable: 0 or 1).`,
		},
		{
			key: "run.leaks", value: &s.Run.Leaks, fallback: "1", env: "LAGGARD_LEAKS",
			doc: `Whether run says at the end of a job what its ranks on this node never freed, closed or completed, as
				docs/manual/diagnosis.md has it (the variable: 0 or 1).`,
		},
		{
			key: "run.metrics", value: &s.Run.Metrics, env: "LAGGARD_METRICS", flag: "metrics",
			doc: `A file in which run and exec keep how fast the job is in the text form of Prometheus, for the textfile
				collector of node_exporter.`,
		},
		{
			key: "run.on_slow", value: &s.Run.OnSlow, env: "LAGGARD_ON_SLOW", flag: "on-slow",
			doc: `A command that the shell runs once for each slowdown; docs/manual/slow.md says what its environment tells
				it. It is ended after a minute.`,
		},
		{
			key: "recorder.library", value: &s.Recorder.Library, env: "LAGGARD_LIBRARY",
			doc: `The preload library; "" looks beside the program and in ../lib/laggard.`,
		},
		{
			key: "recorder.quiet", value: &s.Recorder.Quiet, fallback: "2000", env: "LAGGARD_QUIET_MS", recorder: true,
			doc: `After how long without progress a rank records where it computes (the variable: in milliseconds).`,
		},
		{
			key: "recorder.sample_hz", value: &s.Recorder.SampleHz, fallback: "10", env: "LAGGARD_SAMPLE_HZ", recorder: true,
			check: func() error { return checkWithin("sample_hz", s.Recorder.SampleHz, 0, 100) },
			doc: `How many times a second each rank notes whether it computes or waits, at most 100; 0: never. Timelines,
				laggard top and the detection of slow jobs need it.`,
		},
		{
			key: "recorder.max_mb", value: &s.Recorder.MaxMB, fallback: "64", env: "LAGGARD_MAX_MB", recorder: true,
			check: func() error { return checkAtLeastOne("max_mb", s.Recorder.MaxMB) },
			doc:   `The most megabytes that a rank may record.`,
		},
		{
			key: "recorder.stream_mb", value: &s.Recorder.StreamMB, fallback: "128", env: "LAGGARD_STREAM_MB",
			recorder: true, check: func() error { return checkAtLeastOne("stream_mb", s.Recorder.StreamMB) },
			doc: `The most megabytes of events (usage, movement) that a process may record.`,
		},
		{
			key: "recorder.checksums", value: &s.Recorder.Checksums, fallback: "1", env: "LAGGARD_CHECKSUMS",
			recorder: true,
			doc: `Whether usage takes checksums of the buffers of nonblocking sends, to find buffers that are written too
				early (the variable: 0 or 1).`,
		},
		{
			key: "recorder.signal", value: &s.Recorder.Signal, env: "LAGGARD_SIGNAL", recorder: true,
			doc: `A signal, such as "USR1", on which every rank records where it is.`,
		},
		{
			key: "recorder.live_dir", value: &s.Recorder.LiveDir, env: "LAGGARD_LIVE_DIR", flag: "live-dir",
			doc: `A directory on the node itself, such as "/dev/shm", where the ranks keep their files while the job
				runs; laggard run and laggard collect bring them into the run directory. "": in the run directory from
				the start.`,
		},
		{
			key: "recorder.record", value: &s.Recorder.Record, fallback: "progress", env: "LAGGARD_RECORD", flag: "record",
			check: func() error { _, err := preload.OrderKinds(s.Recorder.Record); return err },
			doc:   `What is recorded: "progress" always; "usage", "movement", "volume" on request.`,
		},
		{
			key: "symbols.roots", value: &s.Symbols.Roots, env: "LAGGARD_ROOTS", flag: "root",
			doc: `Directories with the files of the machine the job ran on.`,
		},
		{
			key: "symbols.debug_dirs", value: &s.Symbols.DebugDirs, fallback: "/usr/lib/debug", env: "LAGGARD_DEBUG_DIRS",
			flag: "debug-dir",
			doc:  `Directories with separate debug files.`,
		},
		{
			key: "symbols.debuginfod", value: &s.Symbols.Debuginfod, fallback: "0", env: "LAGGARD_DEBUGINFOD",
			flag: "debuginfod",
			doc:  `Whether debug files found nowhere else are fetched from the servers of DEBUGINFOD_URLS.`,
		},
		{
			key: "symbols.library", value: &s.Symbols.Library, env: "LAGGARD_LIBRARY_FILES",
			doc: `Patterns of files that are of libraries, in addition to the system's and to installed packages of Python,
				such as "/apps/*"; * stands for any characters. A diagnosis names the place in the program that calls them.`,
		},
		{
			key: "diagnose.algorithm", value: &s.Diagnose.Algorithm, fallback: "loop-aware", env: "LAGGARD_ALGORITHM",
			flag:  "algorithm",
			check: func() error { _, err := inference.NewAlgorithm(s.Diagnose.Algorithm); return err },
			doc:   `How progress is inferred where evidence leaves it open: "loop-aware", or "pdi" as in the paper.`,
		},
		{
			key: "diagnose.known", value: &s.Diagnose.Known, env: "LAGGARD_KNOWN",
			doc: `Files with known issues of MPI libraries, as [[issue]] tables, in addition to those that come with laggard.`,
		},
		{
			key: "slice.cache_mb", value: &s.Slice.CacheMB, fallback: "64", env: "LAGGARD_SLICE_CACHE_MB",
			check: func() error { return checkWithin("cache_mb", s.Slice.CacheMB, 0, 1<<20) },
			doc: `How many megabytes of slices are kept in the user's cache directory (laggard/slices in XDG_CACHE_HOME or
				~/.cache), so that the same one is not made twice; 0: none.`,
		},
		{
			key: "events.memory_mb", value: &s.Events.MemoryMB, fallback: "0", env: "LAGGARD_MEMORY_MB",
			doc: `About how many megabytes the events of a run (usage, movement) may take in an analysis process; 0: half
				of the free memory. Later events beyond this are dropped, and the ranks affected are listed.`,
		},
		{
			key: "movement.allocators", value: &s.Movement.Allocators, env: "LAGGARD_ALLOCATORS",
			check: func() error { return checkFunctionNames("allocators", s.Movement.Allocators) },
			doc: `Allocators of the program's own, by name, with the position of the argument that is the size if it is
				not the first: "pool_get:2". In the variable, ";free=" and the list of frees follow.`,
		},
		{
			key: "movement.frees", value: &s.Movement.Frees,
			check: func() error { return checkFunctionNames("frees", s.Movement.Frees) },
			doc:   `Functions that free their memory, with the position of the buffer argument.`,
		},
		{
			key: "movement.ignore", value: &s.Movement.Ignore, env: "LAGGARD_IGNORE", recorder: true,
			doc: `Libraries whose data movements are left out, by the beginnings of their file names, in addition to
				those that only keep a job together.`,
		},
		{
			key: "movement.level", value: &s.Movement.Level, fallback: "application", env: "LAGGARD_LEVEL", flag: "level",
			recorder: true,
			check:    func() error { _, err := recorded.ParseLevel(s.Movement.Level); return err },
			doc: `What is recorded and analysed: "application" leaves out what is copied and sent within an MPI call;
				"library" includes it, for work on the MPI library, and costs more.`,
		},
		{
			key: "usage.ignore_files", value: &s.Usage.IgnoreFiles, env: "LAGGARD_IGNORE_FILES", flag: "ignore-file",
			doc: `Files that list findings to suppress, one a line: CLASS, CLASS@FILE, CLASS@FILE:LINE or
				CLASS@FUNCTION().`,
		},
		{
			key: "usage.refused", value: &s.Usage.Refused, fallback: "0", env: "LAGGARD_REFUSED", flag: "refused",
			doc: `Whether usage lists the calls that returned an error to a program which asked for that with
				MPI_ERRORS_RETURN (the variable: 0 or 1).`,
		},
		{
			key: "usage.ignore", value: &s.Usage.Ignore, flag: "ignore", check: s.checkIgnored,
			doc: `The same in this file, for each finding a table [[usage.ignore]] with the keys class ("*": all),
				file (the end of its name), line and function; all but class are optional.`,
		},
	}
}

// setFromEnv takes a value as the environment gives it.
func (r setting) setFromEnv(text string) (err error) {
	switch v := r.value.(type) {
	case *string:
		*v = text
	case *int:
		*v, err = parseNumber(text)
	case *bool:
		if *v = text == "1"; !*v && text != "0" {
			err = errors.New("must be 0 or 1")
		}
	case *duration:
		if !strings.HasSuffix(r.env, "_MS") {
			return v.UnmarshalText([]byte(text))
		}
		var n int
		n, err = parseNumber(text)
		*v = duration(time.Duration(n) * time.Millisecond)
	case *[]string:
		*v = splitList(text)
	}
	return err
}

// envValue is a value as the environment gives it: what set takes.
func (r setting) envValue() string {
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
