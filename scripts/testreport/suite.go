package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// event is what this program reads of a line of `go test -json`.
type event struct{ Action, Package, Test, Output string }

// attempt is one run of a test.
type attempt struct {
	result string // pass, fail or skip; "" if it did not end
	output strings.Builder
}

// test is a test, or a part of one, of one suite.
type test struct {
	suite, pkg, name string
	attempts         []*attempt
	parent           bool // it has parts
}

func (t *test) String() string {
	return t.suite + " " + strings.TrimPrefix(t.pkg, "laggard/") + " " + t.name
}

func (t *test) lastResult() string { return t.attempts[len(t.attempts)-1].result }

// passedOnRetry reports whether the test itself, not only a part of it, failed before it passed.
func (t *test) passedOnRetry() bool {
	return !t.parent && t.lastResult() == "pass" && t.attempts[0].result == "fail"
}

var (
	frame = regexp.MustCompile(`(?m)^ *(=== |--- ).*\n?`)   // what go test prints around a test
	place = regexp.MustCompile(`(?m)^ *[\w./-]+\.go:\d+: `) // of a line that a test prints
)

// skipReason is what the test said when it was skipped, in one line.
func (t *test) skipReason() string {
	said := frame.ReplaceAllString(t.attempts[len(t.attempts)-1].output.String(), "")
	return strings.Join(strings.Fields(place.ReplaceAllString(said, "")), " ")
}

// readSuite reads the tests of a suite in the order in which they began. The suite has the name of the file.
func readSuite(path string) ([]*test, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	s := suite{name: strings.TrimSuffix(filepath.Base(path), ".json"), byName: map[string]*test{}}
	events := json.NewDecoder(file)
	for {
		var e event
		err := events.Decode(&e)
		if errors.Is(err, io.EOF) {
			return s.tests, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		if e.Test != "" {
			s.addEvent(e)
		}
	}
}

type suite struct {
	name   string
	tests  []*test
	byName map[string]*test // by package and name
}

func (s *suite) addEvent(e event) {
	t := s.findOrAdd(e.Package, e.Test)
	switch e.Action {
	case "run":
		t.attempts = append(t.attempts, new(attempt))
	case "output":
		t.lastAttempt().output.WriteString(e.Output)
	case "pass", "fail", "skip":
		t.lastAttempt().result = e.Action
	}
}

func (s *suite) findOrAdd(pkg, name string) *test {
	key := pkg + " " + name
	if s.byName[key] == nil {
		s.byName[key] = &test{suite: s.name, pkg: pkg, name: name}
		s.tests = append(s.tests, s.byName[key])
		for at := strings.LastIndex(name, "/"); at >= 0; at = strings.LastIndex(name[:at], "/") {
			if above := s.byName[pkg+" "+name[:at]]; above != nil { // else a slash in the name of a part
				above.parent = true
			}
		}
	}
	return s.byName[key]
}

func (t *test) lastAttempt() *attempt {
	if len(t.attempts) == 0 {
		t.attempts = append(t.attempts, new(attempt))
	}
	return t.attempts[len(t.attempts)-1]
}
