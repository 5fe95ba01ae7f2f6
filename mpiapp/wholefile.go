package main

import (
	"os"
	"path/filepath"
)

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
