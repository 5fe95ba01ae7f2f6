// Command gen writes what the recorder takes from the table of model/mpi:
// mpi/numbers.h (the classes of functions, the kinds of parameters and what else
// package mpi numbers), mpi/table.c (where each function has its arguments), and
// start/wrappers.c (one wrapper per function and language binding).
//
// A wrapper takes every argument as a register-wide integer and hands it on
// untouched; no MPI function takes a floating-point argument and every handle
// fits a register, so one library serves every MPI without its mpi.h.
//
// Usage: gen outdir, or gen file.go for the same classes as constants of package mpi
package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"laggard/model/mpi"
)

const origin = "// Code generated from model/mpi/functions.tbl by recorder/gen; DO NOT EDIT.\n"

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("usage: gen outdir | file.go")
	}
	if filepath.Ext(args[0]) == ".go" {
		return generate(args[0], goClasses)
	}
	functions := mpi.Functions()
	wrapped := wraps(functions)
	for name, write := range map[string]func(*bytes.Buffer){
		"mpi/numbers.h":    numbers,
		"mpi/table.c":      func(b *bytes.Buffer) { table(b, functions, wrapped) },
		"start/wrappers.c": func(b *bytes.Buffer) { wrappers(b, wrapped) },
	} {
		if err := generate(filepath.Join(args[0], name), write); err != nil {
			return err
		}
	}
	return nil
}

func generate(path string, write func(*bytes.Buffer)) error {
	var b bytes.Buffer
	b.WriteString(origin)
	write(&b)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, b.Bytes(), 0o644)
}
