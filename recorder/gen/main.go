// Command gen writes what the recorder and its readers take from tables.
//
// From that of package mpi: mpi/numbers.h (the classes of functions, the kinds of
// parameters and what else the package numbers), mpi/table.c (where each function has
// its arguments), and start/wrappers.c (one wrapper per function and language
// binding). A wrapper takes every argument as a register-wide integer and hands it on
// untouched; no MPI function takes a floating-point argument and every handle fits a
// register, so one library serves every MPI without its mpi.h.
//
// From the same, for the libraries with which the injector makes a rank slow: slowdown/functions.h.
//
// From that of package format: format.h, the layout of a node file.
//
// From that of package cpython: python/layouts.h, where CPython keeps what a stack is read from.
//
// Usage:
//
//	gen outdir      all of these, for C
//	gen classes.go  the classes, as constants of package mpi
//	gen constants.go  the constants of MPI, likewise
//	gen layout.go   the layout, for package format
//	gen offsets.go  the members of CPython's structures, for package cpython
package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"laggard/binary/cpython"
	"laggard/model/format"
	"laggard/model/format/schema"
	"laggard/model/mpi"
)

const (
	functionsTable = "model/mpi/functions.tbl"
	constantsTable = "model/mpi/constants.tbl"
	formatTable    = "model/format/format.tbl"
	cpythonTable   = "binary/cpython/layouts.tbl"
)

func main() {
	if err := generateAll(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func generateAll(args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("usage: gen outdir | classes.go | constants.go | layout.go | offsets.go")
	}
	t, err := schema.Parse(format.Table)
	if err != nil {
		return err
	}
	layouts, err := cpython.ParseTable(cpython.Text)
	if err != nil {
		return err
	}
	switch filepath.Base(args[0]) {
	case "classes.go":
		return generateFile(args[0], functionsTable, goClasses)
	case "constants.go":
		return generateFile(args[0], constantsTable, goConstants)
	case "layout.go":
		return generateFile(args[0], formatTable, t.WriteGo)
	case "offsets.go":
		return generateFile(args[0], cpythonTable, func(b *bytes.Buffer) { writeCPythonOffsets(b, layouts) })
	}
	if err := generateFile(filepath.Join(args[0], "format.h"), formatTable, t.WriteHeader); err != nil {
		return err
	}
	writeLayouts := func(b *bytes.Buffer) { writeCPythonHeader(b, layouts) }
	if err := generateFile(filepath.Join(args[0], "python/layouts.h"), cpythonTable, writeLayouts); err != nil {
		return err
	}
	functions := mpi.Functions()
	wrapped := allWrappers(functions)
	for name, write := range map[string]func(*bytes.Buffer){
		"mpi/numbers.h":    writeNumbers, // of both tables of package mpi
		"mpi/table.c":      func(b *bytes.Buffer) { writeTable(b, functions, wrapped) },
		"start/wrappers.c": func(b *bytes.Buffer) { writeWrappers(b, wrapped) },
		// for the injector, whose libraries stand on both sides of the recorder
		"slowdown/functions.h": func(b *bytes.Buffer) { writeSlowdownFunctions(b, functions) },
	} {
		if err := generateFile(filepath.Join(args[0], name), functionsTable, write); err != nil {
			return err
		}
	}
	return nil
}

// generatedLine is the first line of a file that is made from a table.
func generatedLine(table string) string {
	return fmt.Sprintf("// Code generated from %s by recorder/gen; DO NOT EDIT.\n", table)
}

func generateFile(path, table string, write func(*bytes.Buffer)) error {
	var b bytes.Buffer
	b.WriteString(generatedLine(table))
	write(&b)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, b.Bytes(), 0o644)
}
