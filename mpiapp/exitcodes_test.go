package main

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"laggard/internal/checktest"
	"laggard/internal/musttest"
)

// TestExitCodesPage: docs/reference/exit-codes.md lists the exit codes of laggard, and the commands with --exit-code.
func TestExitCodesPage(t *testing.T) {
	text := musttest.Get(os.ReadFile("../docs/reference/exit-codes.md"))(t)
	codes, rest, _ := strings.Cut(string(text), "\n## With `--exit-code`\n")
	var listed []int
	for _, row := range regexp.MustCompile(`(?m)^\| (\d+) \|`).FindAllStringSubmatch(codes, -1) {
		code, _ := strconv.Atoi(row[1])
		listed = append(listed, code)
	}
	if d := cmp.Diff([]int{exitOK, exitFailed, exitUsage, exitFindings, exitDamaged, exitHung}, listed); d != "" {
		t.Errorf("the page and the code differ in the exit codes:\n%s", d)
	}
	section, _, _ := strings.Cut(rest, "\n## ")
	withFlag := map[string]bool{}
	for _, row := range regexp.MustCompile("(?m)^\\| `(laggard [^`]*)` \\|").FindAllStringSubmatch(section, -1) {
		withFlag[row[1]] = true
	}
	checktest.Equal(t, commandsWith("exit-code"), withFlag, "the page and the code differ in the commands with --exit-code")
}

// commandsWith are the commands that have a flag, hidden ones left out.
func commandsWith(flag string) map[string]bool {
	out := map[string]bool{}
	var each func(c *cobra.Command)
	each = func(c *cobra.Command) {
		if f := c.Flags().Lookup(flag); f != nil && !c.Hidden {
			out[c.CommandPath()] = true
		}
		for _, sub := range c.Commands() {
			each(sub)
		}
	}
	each((&app{}).root())
	return out
}
