package main

import (
	"fmt"

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
			_, err := fmt.Fprint(a.out, defaultConfig)
			return err
		},
	})
	return config
}
