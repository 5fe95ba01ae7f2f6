// Command gen writes what the recorder takes from the table of model/mpi:
// mpi/numbers.h (the classes of functions, the kinds of parameters and what else
// package mpi numbers), mpi/table.c (where each function has its arguments), and
// start/wrappers.c (one wrapper per function and language binding).
//
// A wrapper takes every argument as a register-wide integer and hands it on
// untouched; no MPI function takes a floating-point argument and every handle
// fits a register, so one library serves every MPI without its mpi.h.
//
// Usage: gen outdir
package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"laggard/model/mpi"
)

const origin = "/* Generated from model/mpi/functions.tbl by recorder/gen. */\n"

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("usage: gen outdir")
	}
	functions := mpi.Functions()
	wrapped := wraps(functions)
	for name, write := range map[string]func(*bytes.Buffer){
		"mpi/numbers.h":    func(b *bytes.Buffer) { numbers(b, functions) },
		"mpi/table.c":      func(b *bytes.Buffer) { table(b, functions, wrapped) },
		"start/wrappers.c": func(b *bytes.Buffer) { wrappers(b, wrapped) },
	} {
		var b bytes.Buffer
		b.WriteString(origin)
		write(&b)
		path := filepath.Join(args[0], name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
			return err
		}
	}
	return nil
}
