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
			_, err := fmt.Fprint(a.out, defaultsTOML())
			return err
		},
	})
	return config
}

// defaultsTOML is what config print writes: the defaults as a file.
func defaultsTOML() string {
	var b strings.Builder
	b.WriteString("# Settings of laggard. A flag overrides the environment variable named beside a key,\n" +
		"# and that overrides this file, which is given by --config or LAGGARD_CONFIG. Lists in\n" +
		"# variables are separated by commas.\n")
	s, last := defaultSettings(), ""
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
		b.WriteString(tomlComment(doc))
		if value := r.tomlValue(); value != "" {
			fmt.Fprintf(&b, "%s = %s\n", name, value)
		}
	}
	return b.String()
}

// tomlValue is a value as the file has it, "" for a list of tables.
func (r setting) tomlValue() string {
	switch v := r.value.(type) {
	case *duration:
		return tomlString(time.Duration(*v).String())
	case *int:
		return r.envValue()
	case *bool:
		return fmt.Sprint(*v)
	case *string:
		return tomlString(*v)
	case *[]string:
		var list []string
		for _, word := range *v {
			list = append(list, tomlString(word))
		}
		return "[" + strings.Join(list, ", ") + "]"
	}
	return ""
}

func tomlString(s string) string {
	text, _ := json.Marshal(s) // TOML writes the values that we have in the same way
	return string(text)
}

// tomlComment breaks a text into lines of at most 80 columns that begin with "# ".
func tomlComment(text string) string {
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
