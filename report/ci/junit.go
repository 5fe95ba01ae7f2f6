package ci

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"time"
)

// The elements of JUnit's XML that test services read.
type (
	junitSuites struct {
		XMLName xml.Name   `xml:"testsuites"`
		Suite   junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name      string    `xml:"name,attr"`
		Tests     int       `xml:"tests,attr"`
		Failures  int       `xml:"failures,attr"`
		Errors    int       `xml:"errors,attr"`
		Skipped   int       `xml:"skipped,attr"`
		Time      string    `xml:"time,attr"`
		Timestamp string    `xml:"timestamp,attr"`
		Case      junitCase `xml:"testcase"`
	}
	junitCase struct {
		Name      string        `xml:"name,attr"`
		ClassName string        `xml:"classname,attr"`
		Time      string        `xml:"time,attr"`
		Failure   *junitFailure `xml:"failure"`
		Err       string        `xml:"system-err,omitempty"`
	}
	junitFailure struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr"`
		Text    string `xml:",chardata"`
	}
)

// JUnit writes the outcome as the one test of a suite.
func JUnit(w io.Writer, o *Outcome) error {
	seconds := fmt.Sprintf("%.3f", o.Took.Seconds())
	c := junitCase{Name: clean(o.name()), ClassName: "laggard", Time: seconds, Err: clean(o.Text)}
	failures := 0
	if o.Failed() {
		failures = 1
		f := o.findings()[0]
		c.Failure = &junitFailure{Message: clean(f.message), Type: f.rule, Text: clean(o.Text)}
		c.Err = ""
	}
	s := junitSuites{Suite: junitSuite{
		Name: "laggard", Tests: 1, Failures: failures, Time: seconds,
		Timestamp: o.Began.UTC().Format(time.RFC3339), Case: c,
	}}
	text, err := xml.MarshalIndent(s, "", "  ")
	if err != nil {
		return fmt.Errorf("junit: %w", err)
	}
	_, err = fmt.Fprintf(w, "%s%s\n", xml.Header, text)
	return err
}

// clean leaves out what XML has no place for.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || r >= ' ' && r != 0xFFFE && r != 0xFFFF {
			return r
		}
		return '\uFFFD'
	}, s)
}
