package ci

import (
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"path"
	"slices"
)

// The objects of SARIF 2.1.0 (OASIS standard of 2020) that laggard fills in.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool struct {
			Driver sarifDriver `json:"driver"`
		} `json:"tool"`
		Invocations []sarifInvocation `json:"invocations"`
		Results     []sarifResult     `json:"results"`
	}
	sarifDriver struct {
		Name    string      `json:"name"`
		Version string      `json:"version"`
		Rules   []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID    string    `json:"id"`
		Short sarifText `json:"shortDescription"`
	}
	sarifInvocation struct {
		CommandLine string `json:"commandLine"`
		ExitCode    int    `json:"exitCode"`
		Successful  bool   `json:"executionSuccessful"`
		Start       string `json:"startTimeUtc"`
		End         string `json:"endTimeUtc"`
	}
	sarifResult struct {
		RuleID    string          `json:"ruleId"`
		RuleIndex int             `json:"ruleIndex"`
		Level     string          `json:"level"`
		Message   sarifText       `json:"message"`
		Locations []sarifLocation `json:"locations"`
		Related   []sarifLocation `json:"relatedLocations,omitempty"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifLocation struct {
		Physical sarifPhysical `json:"physicalLocation"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   sarifRegion   `json:"region"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifRegion struct {
		StartLine int `json:"startLine"`
	}
)

const sarifSchema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

// SARIF writes the findings of outcomes.
func SARIF(w io.Writer, all []*Outcome) error {
	var run sarifRun
	run.Results = []sarifResult{}
	run.Tool.Driver = sarifDriver{Name: "laggard", Version: all[0].Version, Rules: []sarifRule{}}
	for _, o := range all {
		run.add(o)
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	if err := e.Encode(sarifLog{sarifSchema, "2.1.0", []sarifRun{run}}); err != nil {
		return fmt.Errorf("sarif: %w", err)
	}
	return nil
}

func (run *sarifRun) add(o *Outcome) {
	run.Invocations = append(run.Invocations, sarifInvocation{
		CommandLine: commandLine(o.Command), ExitCode: o.Status, Successful: !o.Failed(),
		Start: sarifTime(o.Began), End: sarifTime(o.Began.Add(o.Took)),
	})
	for _, f := range o.findings() {
		i := slices.IndexFunc(run.Tool.Driver.Rules, func(r sarifRule) bool { return r.ID == f.rule })
		if i < 0 {
			i = len(run.Tool.Driver.Rules)
			run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule{f.rule, sarifText{f.title}})
		}
		r := sarifResult{
			RuleID: f.rule, RuleIndex: i, Level: f.level, Message: sarifText{f.message}, Locations: []sarifLocation{},
		}
		if f.file != "" {
			r.Locations = append(r.Locations, o.sarifLocation(f.place))
		}
		for _, at := range f.related {
			r.Related = append(r.Related, o.sarifLocation(at))
		}
		run.Results = append(run.Results, r)
	}
}

func (o *Outcome) sarifLocation(p place) sarifLocation {
	return sarifLocation{sarifPhysical{Artifact: sarifArtifact{uriOf(o.relativePath(p.file))}, Region: sarifRegion{max(p.line, 1)}}}
}

// uriOf is a file name as a URI.
func uriOf(file string) string {
	u := url.URL{Path: file}
	if path.IsAbs(file) {
		u.Scheme = "file"
	}
	return u.String()
}
