package main

import (
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// parseDuration reads a time such as 90s, 5m or 1h30m; a plain number is seconds.
func parseDuration(text string) (time.Duration, error) {
	if n, err := strconv.ParseFloat(text, 64); err == nil && math.Abs(n) < math.MaxInt64/float64(time.Second) {
		return time.Duration(n * float64(time.Second)), nil
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		return 0, fmt.Errorf("%q is not a time such as 90s, 5m or 1h30m; a plain number is seconds", text)
	}
	return d, nil
}

// durationFlag is the value of a flag that parseDuration reads.
type durationFlag struct{ at *time.Duration }

func (f durationFlag) String() string {
	if f.at == nil {
		return "0s"
	}
	return f.at.String()
}

func (f durationFlag) Set(text string) (err error) {
	*f.at, err = parseDuration(text)
	return err
}

func (f durationFlag) Type() string { return "duration" }

// durationVar is pflag's DurationVar for times that may be plain numbers.
func durationVar(flags *pflag.FlagSet, at *time.Duration, name string, value time.Duration, usage string) {
	*at = value
	flags.Var(durationFlag{at}, name, usage)
}

// completeOneOf has the shell offer the values of a flag.
func completeOneOf(cmd *cobra.Command, flag string, values ...string) {
	_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
}

// completeRunDirs has the shell offer the run directories here, or else directories.
func completeRunDirs(_ *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var out []string
	manifests, _ := filepath.Glob(prefix + "*/manifest.json")
	for _, name := range manifests {
		out = append(out, filepath.Dir(name))
	}
	if out == nil {
		return nil, cobra.ShellCompDirectiveFilterDirs
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}
