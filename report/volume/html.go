package volume

import (
	"bytes"
	"io"
)

// HTML writes the result as one page that needs nothing but a browser.
func HTML(w io.Writer, r *Result) error {
	page, err := Page(r)
	if err != nil {
		return err
	}
	_, err = w.Write(page)
	return err
}

// Page is the page of HTML.
func Page(r *Result) ([]byte, error) {
	var b bytes.Buffer
	return b.Bytes(), nil
}
