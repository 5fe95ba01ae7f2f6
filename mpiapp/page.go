package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// writePage writes a page to a file, or to the output if it is named "-".
func (a *app) writePage(name string, page func(io.Writer) error) error {
	if name == "-" {
		return page(a.raw)
	}
	if err := pageFile(name, page); err != nil {
		return fmt.Errorf("page %s: %w", name, err)
	}
	_, err := fmt.Fprintf(a.out, "the page is %s\n", name)
	return err
}

// pageFile is for the user alone, as the run directory is.
func pageFile(name string, page func(io.Writer) error) error {
	var b bytes.Buffer
	if err := page(&b); err != nil {
		return err
	}
	return wholeFile(name, b.Bytes())
}

// wholeFile leaves the file there whole, or not at all.
func wholeFile(name string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(name), ".laggard-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // gone already, if all went well
	_, err = f.Write(data)
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}
