package main

import (
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

// manualCommand is for make install: it is hidden.
func (a *app) manualCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "manual DIR",
		Short:  "Write the manual pages and shell completions",
		Hidden: true,
		Args:   cobra.ExactArgs(1),
		RunE:   func(cmd *cobra.Command, args []string) error { return writeManual(cmd.Root(), args[0]) },
	}
}

// writeManual writes below a directory what belongs below share in an installation.
func writeManual(root *cobra.Command, dir string) error {
	folder := func(name string) string { return filepath.Join(dir, name) }
	man, bash := folder("man/man1"), folder("bash-completion/completions")
	zsh, fish := folder("zsh/site-functions"), folder("fish/vendor_completions.d")
	for _, d := range []string{man, bash, zsh, fish} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			return err
		}
	}
	root.DisableAutoGenTag = true
	// A date that stays, so that the same sources give the same bytes.
	header := &doc.GenManHeader{Section: "1", Source: "laggard", Manual: "laggard", Date: new(time.Time)}
	return errors.Join(
		doc.GenManTree(root, header, man),
		root.GenBashCompletionFileV2(filepath.Join(bash, "laggard"), true),
		root.GenZshCompletionFile(filepath.Join(zsh, "_laggard")),
		root.GenFishCompletionFile(filepath.Join(fish, "laggard.fish"), true),
	)
}
