package ci

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"
)

func sarifTime(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

// GitHub writes an annotation for each finding, as a workflow's log has them
// (docs.github.com, "Workflow commands").
func GitHub(w io.Writer, o *Outcome) error {
	for _, f := range o.findings() {
		at := ""
		if f.File != "" {
			at = fmt.Sprintf("file=%s,line=%d,", escapeProperty(o.relativePath(f.File)), max(f.Line, 1))
		}
		if _, err := fmt.Fprintf(w, "::%s %stitle=%s::%s\n", f.level, at, escapeProperty(o.displayName()+": "+f.title),
			escapeData(f.message)); err != nil {
			return err
		}
	}
	return nil
}

// escapeData and property escape what a workflow command would take for its own.
func escapeData(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(s)
}

func escapeProperty(s string) string {
	return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(escapeData(s))
}

// Summary writes the outcome for the summary of a workflow's step, in Markdown.
func Summary(w io.Writer, o *Outcome) error {
	mark := "✅"
	if o.Failed() {
		mark = "❌"
	}
	if _, err := fmt.Fprintf(w, "### %s %s: %s (%s)\n\n", mark, escapeMarkdown(o.displayName()), escapeMarkdown(o.headline()),
		o.Took.Round(time.Millisecond)); err != nil {
		return err
	}
	if o.Text == "" {
		return nil
	}
	fence := "```"
	for strings.Contains(o.Text, fence) {
		fence += "`"
	}
	_, err := fmt.Fprintf(w, "%s\n%s\n%s\n\n", fence, strings.TrimRight(cleanXML(o.Text), "\n"), fence)
	return err
}

// escapeMarkdown keeps Markdown and HTML out of a line.
func escapeMarkdown(s string) string {
	s = strings.ReplaceAll(cleanXML(s), "\n", " ")
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", "`", "\\`", "*", "\\*", "_", "\\_", "[", "\\[").Replace(s)
}

// issue is one of GitLab's code quality report.
type issue struct {
	Description string `json:"description"`
	CheckName   string `json:"check_name"`
	Fingerprint string `json:"fingerprint"` // the same for the same finding in the next run
	Severity    string `json:"severity"`
	Location    struct {
		Path  string `json:"path"`
		Lines struct {
			Begin int `json:"begin"`
		} `json:"lines"`
	} `json:"location"`
}

// CodeQuality writes the findings that have a place as GitLab's code quality report.
func CodeQuality(w io.Writer, all []*Outcome) error {
	issues := []issue{}
	for _, o := range all {
		issues = append(issues, o.codeQualityIssues()...)
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(issues)
}

func (o *Outcome) codeQualityIssues() (out []issue) {
	for _, f := range o.findings() {
		if f.File == "" {
			continue
		}
		one := issue{Description: f.message, CheckName: "laggard/" + f.rule, Severity: "critical"}
		if f.level == "warning" {
			one.Severity = "minor"
		}
		one.Location.Path, one.Location.Lines.Begin = o.relativePath(f.File), max(f.Line, 1)
		same := strings.Join([]string{o.displayName(), f.rule, f.title, one.Location.Path, fmt.Sprint(f.Line)}, "\x00")
		sum := sha256.Sum256([]byte(same))
		one.Fingerprint = fmt.Sprintf("%x", sum[:16])
		out = append(out, one)
	}
	return out
}
