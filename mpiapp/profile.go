package main

import (
	"errors"
	"os"
	"runtime"
	"runtime/pprof"

	"github.com/spf13/pflag"
)

// profiles are the files for pprof that --cpuprofile and --memprofile name. The flags are hidden: they are for developers.
type profiles struct {
	cpu, memory string
	cpuFile     *os.File
}

func (p *profiles) addFlags(flags *pflag.FlagSet) {
	flags.StringVar(&p.cpu, "cpuprofile", "", "write a CPU profile for go tool pprof to `FILE`")
	flags.StringVar(&p.memory, "memprofile", "", "write a profile of all allocations for go tool pprof to `FILE`")
	for _, name := range []string{"cpuprofile", "memprofile"} {
		if err := flags.MarkHidden(name); err != nil {
			panic(err)
		}
	}
}

// start begins the CPU profile, if one is asked for.
func (p *profiles) start() (err error) {
	if p.cpu == "" {
		return nil
	}
	if p.cpuFile, err = os.Create(p.cpu); err != nil {
		return err
	}
	return pprof.StartCPUProfile(p.cpuFile)
}

// finish writes what was asked for.
func (p *profiles) finish() error {
	var failed []error
	if p.cpuFile != nil {
		pprof.StopCPUProfile()
		failed = append(failed, p.cpuFile.Close())
	}
	if p.memory != "" {
		f, err := os.Create(p.memory)
		if err == nil {
			runtime.GC() // up to date
			err = errors.Join(pprof.Lookup("allocs").WriteTo(f, 0), f.Close())
		}
		failed = append(failed, err)
	}
	return errors.Join(failed...)
}
