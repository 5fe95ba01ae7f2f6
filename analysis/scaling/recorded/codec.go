package recorded

import "laggard/analysis/scaling/file"

const kindTable = "laggard-scaling-table"

// EncodeTable writes a table; equal tables give the same bytes, whatever the
// order of their sites and rows.
func EncodeTable(t *Table) ([]byte, error) { return file.Encode(kindTable, t.Canonical()) }

// DecodeTable reads a table. Errors wrap ErrKind, ErrVersion, ErrChecksum,
// ErrCorrupt, ErrSize or ErrRow.
func DecodeTable(data []byte) (*Table, error) {
	t := &Table{}
	if err := file.Decode(kindTable, data, t); err != nil {
		return nil, err
	}
	for _, row := range t.Rows {
		if err := row.validate(len(t.Sites)); err != nil {
			return nil, row.place(err)
		}
	}
	return t.Canonical(), nil
}
