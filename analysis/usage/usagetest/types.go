package usagetest

import (
	"fmt"
	"slices"
	"strings"

	"laggard/analysis/usage/recorded"
	"laggard/analysis/usage/typemap"
)

// sizes are those of the predefined datatypes that a transcript can name.
var sizes = map[string]int64{
	"MPI_CHAR": 1, "MPI_SIGNED_CHAR": 1, "MPI_UNSIGNED_CHAR": 1, "MPI_BYTE": 1, "MPI_PACKED": 1, "MPI_SHORT": 2,
	"MPI_UNSIGNED_SHORT": 2, "MPI_INT": 4, "MPI_UNSIGNED": 4, "MPI_LONG": 8, "MPI_UNSIGNED_LONG": 8,
	"MPI_LONG_LONG_INT": 8, "MPI_LONG_LONG": 8, "MPI_FLOAT": 4, "MPI_DOUBLE": 8, "MPI_LONG_DOUBLE": 16, "MPI_C_BOOL": 1,
	"MPI_INT32_T": 4, "MPI_INT64_T": 8, "MPI_UINT64_T": 8, "MPI_C_FLOAT_COMPLEX": 8, "MPI_C_COMPLEX": 8,
	"MPI_C_DOUBLE_COMPLEX": 16, "MPI_AINT": 8, "MPI_OFFSET": 8, "MPI_COUNT": 8, "MPI_INTEGER": 4, "MPI_REAL": 4,
	"MPI_DOUBLE_PRECISION": 8, "MPI_COMPLEX": 8, "MPI_LOGICAL": 4, "MPI_CHARACTER": 1, "MPI_2INT": 8,
	"MPI_FLOAT_INT": 8, "MPI_DOUBLE_INT": 12, "MPI_2INTEGER": 8,
}

// predefinedNames are the handles that MPI defines, other than communicators and
// datatypes.
func predefinedNames() map[string]map[int64]string {
	out := map[string]map[int64]string{}
	for kind, names := range map[string][]string{
		"MPI_Op": {"MPI_SUM", "MPI_PROD", "MPI_MAX", "MPI_MIN", "MPI_LAND", "MPI_LOR", "MPI_LXOR", "MPI_BAND",
			"MPI_BOR", "MPI_BXOR", "MPI_MAXLOC", "MPI_MINLOC", "MPI_REPLACE", "MPI_NO_OP"},
		"MPI_Group":      {"MPI_GROUP_EMPTY"},
		"MPI_Errhandler": {"MPI_ERRORS_ARE_FATAL", "MPI_ERRORS_RETURN"},
		"MPI_Message":    {"MPI_MESSAGE_NO_PROC"},
		"MPI_Info":       {"MPI_INFO_ENV"},
	} {
		out[kind] = map[int64]string{}
		for i, name := range names {
			out[kind][int64(100+i)] = name
		}
	}
	return out
}

// typeIndex returns the index of a datatype at the rank.
func (c *call) typeIndex(name string) (int64, error) {
	if i, ok := c.r.types[name]; ok {
		return int64(i), nil
	}
	size, ok := sizes[name]
	if !ok {
		return 0, fmt.Errorf("no datatype %s", name)
	}
	d := &recorded.Datatype{Name: name, Size: size, Extent: size, TrueExtent: size}
	if name == "MPI_DOUBLE_INT" {
		d.Extent = 16
	}
	return c.addType(name, d), nil
}

func (c *call) addType(name string, d *recorded.Datatype) int64 {
	c.r.types[name] = len(c.r.Types)
	c.r.Types = append(c.r.Types, d)
	return int64(len(c.r.Types) - 1)
}

// newType makes the datatype that the constructor describes.
func (c *call) newType(name string) error {
	d := &recorded.Datatype{Combiner: "MPI_COMBINER_" +
		strings.ToUpper(strings.TrimPrefix(strings.TrimPrefix(c.f.Name, "MPI_Type_"), "create_"))}
	for _, p := range c.f.Params {
		v, err := c.parseValue(p, givenOrDefault(c, p.Name))
		if err != nil {
			return err
		}
		switch {
		case p.Name == "newtype":
		case strings.HasPrefix(p.Type, "MPI_Datatype"), strings.HasPrefix(p.Type, "const MPI_Datatype"):
			for _, t := range v {
				d.Types = append(d.Types, int(t))
			}
		case strings.Contains(p.Type, "MPI_Aint"):
			d.Addresses = append(d.Addresses, v...)
		default:
			d.Ints = append(d.Ints, v...)
		}
	}
	return c.measureType(name, d)
}

// givenOrDefault returns what a parameter is given, or its default.
func givenOrDefault(c *call, name string) string {
	if text, ok := c.given[name]; ok {
		return text
	}
	for _, p := range c.f.Params {
		if p.Name == name {
			return c.defaultOf(p)
		}
	}
	return ""
}

// measureType finds the size and bounds of a new datatype from its typemap.
func (c *call) measureType(name string, d *recorded.Datatype) error {
	if slices.ContainsFunc(d.Types, func(t int) bool { return t < 0 }) {
		return fmt.Errorf("%s is made of no datatype", name)
	}
	c.addType(name, d)
	if lay := typemap.NewLayouts(c.r.Types).OfDerived(d); lay != nil {
		d.Size, d.TrueLB, d.TrueExtent = lay.Bytes, lay.Lo, lay.Hi-lay.Lo
	}
	d.LB, d.Extent = d.TrueLB, d.TrueExtent
	switch d.Combiner {
	case "MPI_COMBINER_RESIZED":
		d.LB, d.Extent = d.Addresses[0], d.Addresses[1]
	case "MPI_COMBINER_SUBARRAY":
		d.LB, d.Extent = 0, c.r.Types[d.Types[0]].Extent
		for _, n := range d.Ints[1 : 1+d.Ints[0]] {
			d.Extent *= n
		}
	default:
		c.setBounds(d)
	}
	return nil
}

// setBounds sets lower bound and extent from those of the parts, which may be resized
// (MPI-3.1 §4.1.6). Only repetitions of one type in a row differ from the true ones.
func (c *call) setBounds(d *recorded.Datatype) {
	if len(d.Types) != 1 {
		return
	}
	old := c.r.Types[d.Types[0]]
	before, after := old.LB-old.TrueLB, (old.LB+old.Extent)-(old.TrueLB+old.TrueExtent)
	d.LB += before
	d.Extent += after - before
}
