package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

func (a *app) configCommand() *cobra.Command {
	config := &cobra.Command{
		Use:   "config",
		Short: "Show the settings",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, args []string) error { return cmd.Help() },
	}
	config.AddCommand(&cobra.Command{
		Use:     "print",
		Short:   "Print all settings with their defaults, as a TOML file to start from",
		Example: "  laggard config print > laggard.toml",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			_, err := fmt.Fprint(a.out, printed())
			return err
		},
	})
	return config
}

// printed is what config print writes: the defaults as a file.
func printed() string {
	var b strings.Builder
	b.WriteString("# Settings of laggard. A flag beats the environment variable named beside a key,\n" +
		"# and that beats this file, which is given by --config or LAGGARD_CONFIG. Lists in\n" +
		"# variables are separated by commas.\n")
	s, last := defaults(), ""
	for _, r := range s.table() {
		table, name, _ := strings.Cut(r.key, ".")
		if table != last {
			fmt.Fprintf(&b, "\n[%s]\n", table)
			last = table
		}
		doc := r.doc
		if r.env != "" {
			doc += " " + r.env
		}
		b.WriteString(comment(doc))
		if value := r.toml(); value != "" {
			fmt.Fprintf(&b, "%s = %s\n", name, value)
		}
	}
	return b.String()
}

// toml is a value as the file has it, "" for a list of tables.
func (r setting) toml() string {
	switch v := r.value.(type) {
	case *duration:
		return quoted(time.Duration(*v).String())
	case *int:
		return r.text()
	case *bool:
		return fmt.Sprint(*v)
	case *string:
		return quoted(*v)
	case *[]string:
		var list []string
		for _, word := range *v {
			list = append(list, quoted(word))
		}
		return "[" + strings.Join(list, ", ") + "]"
	}
	return ""
}

func quoted(s string) string {
	text, _ := json.Marshal(s) // TOML writes the values that we have in the same way
	return string(text)
}

// comment breaks a text into lines of at most 80 columns that begin with "# ".
func comment(text string) string {
	var b strings.Builder
	width := 81
	for _, word := range strings.Fields(text) {
		if n := len(word) + 1; width+n > 80 {
			b.WriteString("\n# " + word)
			width = 2 + len(word)
		} else {
			b.WriteString(" " + word)
			width += n
		}
	}
	return strings.TrimPrefix(b.String(), "\n") + "\n"
}

// settingsPage is docs/settings.md.
func settingsPage() string {
	var b strings.Builder
	b.WriteString("<!-- Generated from the table in mpiapp/settings.go: " +
		"go test ./mpiapp -run TestSettingsPage -update -->\n\n# Settings\n\n" +
		"A flag beats the environment variable, that beats the file (TOML; `--config` or `LAGGARD_CONFIG`), and\n" +
		"that beats the default. Every setting has the flag `--set KEY=VALUE`, such as\n" +
		"`--set recorder.max_mb=128`; some have one of their own. Lists in variables are separated by commas. An unknown key, an invalid value or\n" +
		"an unreadable file is an error that says where. `laggard config print` prints a file with all defaults.\n")
	s := defaults()
	for _, r := range s.table() {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n", r.key, strings.Join(strings.Fields(r.doc), " "))
		if value := r.toml(); value != "" {
			fmt.Fprintf(&b, "- default: `%s`\n", value)
		}
		if r.env != "" {
			fmt.Fprintf(&b, "- variable: `%s`\n", r.env)
		}
		if r.flag != "" {
			fmt.Fprintf(&b, "- flag: `--%s`\n", r.flag)
		}
	}
	return strings.TrimSuffix(b.String(), "\n") + "\n"
}
