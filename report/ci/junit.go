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
		Name      string      `xml:"name,attr"`
		Tests     int         `xml:"tests,attr"`
		Failures  int         `xml:"failures,attr"`
		Errors    int         `xml:"errors,attr"`
		Skipped   int         `xml:"skipped,attr"`
		Time      string      `xml:"time,attr"`
		Timestamp string      `xml:"timestamp,attr"`
		Cases     []junitCase `xml:"testcase"`
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

// JUnit writes outcomes as the tests of a suite.
func JUnit(w io.Writer, all []*Outcome) error {
	s := junitSuite{Name: "laggard", Tests: len(all), Timestamp: all[0].Began.UTC().Format(time.RFC3339)}
	var took time.Duration
	for _, o := range all {
		took += o.Took
		c := junitCase{Name: cleanXML(o.displayName()), ClassName: "laggard", Time: formatSeconds(o.Took), Err: cleanXML(o.Text)}
		if o.Failed() {
			s.Failures++
			f := o.findings()[0]
			c.Failure = &junitFailure{Message: cleanXML(f.message), Type: f.rule, Text: cleanXML(o.Text)}
			c.Err = ""
		}
		s.Cases = append(s.Cases, c)
	}
	s.Time = formatSeconds(took)
	text, err := xml.MarshalIndent(junitSuites{Suite: s}, "", "  ")
	if err != nil {
		return fmt.Errorf("junit: %w", err)
	}
	_, err = fmt.Fprintf(w, "%s%s\n", xml.Header, text)
	return err
}

func formatSeconds(d time.Duration) string { return fmt.Sprintf("%.3f", d.Seconds()) }

// cleanXML leaves out what XML has no place for.
func cleanXML(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || r >= ' ' && r != 0xFFFE && r != 0xFFFF {
			return r
		}
		return '\uFFFD'
	}, s)
}
