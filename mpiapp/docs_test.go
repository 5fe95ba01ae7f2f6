package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"laggard/internal/musttest"
)

var (
	markdownLink = regexp.MustCompile(`\]\(([^)\s#]*)(?:#([^)\s]*))?\)`)
	heading      = regexp.MustCompile(`(?m)^#{1,6} (.*)$`)
	codeBlock    = regexp.MustCompile("(?ms)^```.*?^```")
	slugDropped  = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// TestLinks: every link from one page of the repository to another leads to a file, and to a heading in it.
func TestLinks(t *testing.T) {
	out, err := exec.Command("git", "ls-files", "--cached", "--others", "--exclude-standard", "..").Output()
	if err != nil {
		t.Skip("no git checkout")
	}
	for _, name := range strings.Fields(string(out)) {
		if filepath.Ext(name) != ".md" || strings.Contains(name, "testdata/") {
			continue
		}
		data, err := os.ReadFile(name)
		if err != nil {
			continue // deleted, and not yet committed
		}
		for _, link := range markdownLink.FindAllStringSubmatch(codeBlock.ReplaceAllString(string(data), ""), -1) {
			if strings.Contains(link[1], ":") {
				continue
			}
			target := name
			if link[1] != "" {
				target = filepath.Join(filepath.Dir(name), link[1])
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s links to %s, which is not there", name, link[1])
			} else if link[2] != "" && !hasHeading(t, target, link[2]) {
				t.Errorf("%s links to %s#%s, which is no heading", name, link[1], link[2])
			}
		}
	}
}

// hasHeading reports whether a page has a heading with the anchor, as GitHub and GitLab make them.
func hasHeading(t *testing.T, page, anchor string) bool {
	t.Helper()
	data := musttest.Get(os.ReadFile(page))(t)
	for _, h := range heading.FindAllStringSubmatch(codeBlock.ReplaceAllString(string(data), ""), -1) {
		slug := slugDropped.ReplaceAllString(strings.ToLower(h[1]), "")
		if strings.ReplaceAll(slug, " ", "-") == anchor {
			return true
		}
	}
	return false
}

// maxManual is how many bytes the manual may have, so that it stays a manual.
const maxManual = 110 << 10

// TestManualSize: the manual can be read in an evening.
func TestManualSize(t *testing.T) {
	pages, err := filepath.Glob("../docs/manual/*.md")
	if err != nil || len(pages) == 0 {
		t.Fatalf("docs/manual: %v", err)
	}
	var size int64
	for _, p := range pages {
		info := musttest.Get(os.Stat(p))(t)
		size += info.Size()
	}
	if size > maxManual {
		t.Errorf("docs/manual has %d bytes, more than %d", size, maxManual)
	}
}
