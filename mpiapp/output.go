package main

import (
	"errors"
	"io"

	"github.com/spf13/cobra"

	"laggard/report"
)

// outputFlags are the flags of an analysis that say in which form its result is printed, and whether what it found
// decides the exit status.
type outputFlags struct {
	json, exitCode bool
	html           string
}

// register adds the flags. content is what the page shows, and findings when --exit-code exits with 3.
func (f *outputFlags) register(cmd *cobra.Command, content, findings string) {
	flags := cmd.Flags()
	flags.BoolVar(&f.json, "json", false, "print JSON")
	flags.StringVar(&f.html, "html", "", "write "+content+" as one page to `FILE`, - for standard output")
	flags.BoolVar(&f.exitCode, "exit-code", false, "exit with 3 if "+findings)
}

// check returns an error if the flags contradict each other.
func (f *outputFlags) check() error {
	if f.json && f.html != "" {
		return usageError{errors.New("--json and --html cannot be combined")}
	}
	return nil
}

// output is the result of an analysis, in all forms.
type output struct {
	result     any // for JSON
	text, page func(io.Writer) error
	found      bool // something was found
	damaged    bool // data was missing or damaged
}

// print writes the form that was asked for, and returns the exit status as an error.
func (a *app) print(f outputFlags, o output) error {
	var err error
	switch {
	case f.html != "":
		err = a.writePage(f.html, o.page)
	case f.json:
		err = report.JSON(a.out, o.result)
	default:
		err = o.text(a.out)
	}
	switch {
	case err != nil:
		return err
	case f.exitCode && o.found:
		return exitError{exitFindings}
	case o.damaged:
		return exitError{exitDamaged}
	}
	return nil
}
