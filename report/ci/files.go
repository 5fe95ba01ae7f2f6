package ci

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/pflag"
)

// Files names the files that the forms of an outcome go to, "" none.
type Files struct{ JUnit, SARIF, CodeQuality string }

// Register adds the flags that name the files.
func (f *Files) Register(flags *pflag.FlagSet) {
	flags.StringVar(&f.JUnit, "junit", "", "write JUnit's XML to `FILE`")
	flags.StringVar(&f.SARIF, "sarif", "", "write SARIF 2.1.0 to `FILE`")
	flags.StringVar(&f.CodeQuality, "code-quality", "", "write GitLab's code quality report to `FILE`")
}

// Write writes the files, of all outcomes of a suite, and on GitHub (by its variables)
// annotations to the log of the workflow and a summary of its step.
func (f Files) Write(all []*Outcome, log io.Writer) error {
	var failed []error
	for _, form := range []struct {
		name  string
		write func(io.Writer, []*Outcome) error
	}{{f.JUnit, JUnit}, {f.SARIF, SARIF}, {f.CodeQuality, CodeQuality}} {
		if form.name == "" {
			continue
		}
		var b bytes.Buffer
		err := form.write(&b, all)
		if err == nil {
			err = os.WriteFile(form.name, b.Bytes(), 0o644) // for the service that reads it
		}
		failed = append(failed, err)
	}
	for _, o := range all {
		if os.Getenv("GITHUB_ACTIONS") == "true" {
			failed = append(failed, GitHub(log, o), appendSummary(os.Getenv("GITHUB_STEP_SUMMARY"), o))
		}
	}
	return errors.Join(failed...)
}

func appendSummary(name string, o *Outcome) error {
	if name == "" {
		return nil
	}
	file, err := os.OpenFile(name, os.O_APPEND|os.O_WRONLY|os.O_CREATE, 0o644)
	if err != nil {
		return fmt.Errorf("summary of the step: %w", err)
	}
	return errors.Join(Summary(file, o), file.Close())
}
