// Package tomlfile answers at which line of a TOML file a key is set, for errors that
// name their place.
package tomlfile
