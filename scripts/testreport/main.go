// Testreport sums up what `make test` left in a directory of files of `go test -json`, one a suite: which tests were
// skipped, and which passed at the second try only, with what failed at the first. The log of a first try is saved beside
// the files.
//
//	testreport [-allowed FILE] [-strict] DIRECTORY
//
// It fails if it is strict, as it is where the environment variable CI is set, and a test was skipped for a reason that
// no line of the allowed file matches.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

func main() {
	allowed := flag.String("allowed", "scripts/allowed-skips.txt", "patterns of skips that are right")
	strict := flag.Bool("strict", os.Getenv("CI") != "", "other skips are failures")
	flag.Parse()
	ok, err := printReport(os.Stdout, flag.Arg(0), *allowed)
	if err != nil {
		fmt.Fprintln(os.Stderr, "testreport:", err)
		os.Exit(2)
	}
	if !ok && *strict {
		fmt.Println("CI has what tests need: see to that, or add the reason to", *allowed)
		os.Exit(1)
	}
}

// printReport prints what the files of a directory say, and returns whether all skips are allowed.
func printReport(out io.Writer, dir, allowedFile string) (ok bool, err error) {
	allowed, err := readPatterns(allowedFile)
	if err != nil {
		return false, err
	}
	paths, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		return false, err
	}
	var tests []*test
	for _, path := range paths {
		some, err := readSuite(path)
		if err != nil {
			return false, err
		}
		tests = append(tests, some...)
	}
	ok = printSkipped(out, tests, allowed)
	return ok, printRetried(out, tests, filepath.Join(dir, "first-tries"))
}

// readPatterns reads a file of regular expressions, one a line. Lines that begin with # are comments.
func readPatterns(path string) ([]*regexp.Regexp, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var out []*regexp.Regexp
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		pattern, err := regexp.Compile(line)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		out = append(out, pattern)
	}
	return out, lines.Err()
}

func printSkipped(out io.Writer, tests []*test, allowed []*regexp.Regexp) (ok bool) {
	var lines []string
	ok = true
	for _, t := range tests {
		if t.lastResult() != "skip" {
			continue
		}
		line := t.String() + ": " + t.skipReason()
		if !matchesAny(allowed, line) {
			line += "  [NOT ALLOWED IN CI]"
			ok = false
		}
		lines = append(lines, line)
	}
	printList(out, len(lines), "tests were skipped", lines)
	return ok
}

func matchesAny(patterns []*regexp.Regexp, line string) bool {
	return slices.ContainsFunc(patterns, func(p *regexp.Regexp) bool { return p.MatchString(line) })
}

// printRetried lists the tests that passed after they had failed, and saves what they printed when they failed.
func printRetried(out io.Writer, tests []*test, dir string) error {
	var lines []string
	retried := 0
	for _, t := range tests {
		if !t.passedOnRetry() {
			continue
		}
		path := filepath.Join(dir, strings.NewReplacer("/", "_", " ", "_").Replace(t.String())+".log")
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(t.attempts[0].output.String()), 0o644); err != nil {
			return err
		}
		lines = append(lines, t.String()+": "+path)
		for _, failure := range failures(t.attempts[0].output.String()) {
			lines = append(lines, "  "+failure)
		}
		retried++
	}
	printList(out, retried, "tests passed at a second try only", lines)
	return nil
}

// maxFailure is how many lines of a failure are printed, and how many bytes of each.
const maxFailure, maxFailureLine = 20, 300

// failureStart matches the line that a test function wrote by t.Error, t.Fatal or t.Log.
var failureStart = regexp.MustCompile(`^\s+\w+_test\.go:\d+: `)

// failures returns the first lines of what a test reported, from its first message on.
func failures(output string) []string {
	var out []string
	for line := range strings.Lines(output) {
		if line = strings.TrimRight(line, "\n"); len(out) == 0 && !failureStart.MatchString(line) {
			continue
		}
		if len(line) > maxFailureLine {
			line = strings.ToValidUTF8(line[:maxFailureLine], "") + "…"
		}
		if out = append(out, line); len(out) == maxFailure {
			break
		}
	}
	return out
}

func printList(out io.Writer, count int, what string, lines []string) {
	fmt.Fprintf(out, "%d %s\n", count, what)
	for _, line := range lines {
		fmt.Fprintln(out, "  "+line)
	}
}
