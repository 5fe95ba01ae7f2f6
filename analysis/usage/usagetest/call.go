package usagetest

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"laggard/analysis/usage/recorded"
	"laggard/model"
	"laggard/model/mpi"
)

// call is a line of a transcript on its way to a recorded.Call.
type call struct {
	p       *parser
	r       *rank
	f       *mpi.Function
	given   map[string]string
	results map[string]string
	code    int
	never   bool // it never returned
	refused bool // since MPI reported an error and ended the job
	later   bool // it returns at a later line
}

// parseReturn reads what stands behind the arrow.
func (c *call) parseReturn(text string) error {
	switch {
	case text == "()": // nothing was written by MPI that is known
	case text == "…" || text == "...":
		c.never = true
	case text == "refused":
		c.never, c.refused = true, true
	case text == "later":
		c.later = true
	case strings.HasPrefix(text, "error "):
		c.code = parseInt(strings.TrimPrefix(text, "error "))
	default:
		var err error
		c.results, err = parseAssignments(text)
		return err
	}
	return nil
}

// toRecorded returns the call; its place is the next of the rank.
func (c *call) toRecorded() (recorded.Call, error) {
	out := recorded.Call{Func: c.f, Code: c.code, In: make([]recorded.Value, len(c.f.Params)),
		Out: make([]recorded.Value, len(c.f.Params))}
	for _, group := range []map[string]string{c.given, c.results} {
		for name := range group {
			if !slices.ContainsFunc(c.f.Params, func(p mpi.Param) bool { return p.Name == name }) {
				return out, fmt.Errorf("no parameter %s", name)
			}
		}
	}
	for i, p := range c.f.Params {
		text, ok := c.given[p.Name]
		if !ok {
			text = c.defaultOf(p)
		}
		v, err := c.parseValue(p, text)
		if err != nil {
			return out, fmt.Errorf("%s=%s: %w", p.Name, text, err)
		}
		out.In[i] = v
	}
	c.r.place++
	out.Begin, out.Refused = c.r.place, c.refused
	if c.never {
		return out, nil
	}
	for i, p := range c.f.Params {
		text, ok := c.results[p.Name]
		if !ok && c.code == 0 {
			text = c.resultOf(p, out.In[i])
		}
		v, err := c.parseResult(p, text)
		if err != nil {
			return out, fmt.Errorf("%s=%s: %w", p.Name, text, err)
		}
		out.Out[i] = v
	}
	if !c.later {
		c.r.place++
		out.Return = c.r.place
	}
	return out, nil
}

// specialValues are the values with a name; where MPIs differ, those of Open MPI.
var specialValues = map[string]int64{
	"null": recorded.Null, "invalid": recorded.Invalid, "bottom": recorded.Bottom, "inplace": recorded.InPlace,
	"any": model.Any, "procnull": model.ProcNull, "undefined": -32766, "root": -4,
	"noprecede": 2, "noput": 4, "nosucceed": 16,
}

// parseValue reads a parameter: one value or a list; "" and nil are none.
func (c *call) parseValue(p mpi.Param, text string) (recorded.Value, error) {
	if text == "" || text == "nil" {
		return nil, nil
	}
	if text[0] != '[' && text[0] != '(' {
		n, err := c.parseScalar(p, text)
		return recorded.Value{n}, err
	}
	fields, err := splitFields(text[1:len(text)-1], ',')
	if err != nil {
		return nil, err
	}
	out := recorded.Value{}
	for _, f := range fields {
		if f[0] == '(' { // a status in a list
			v, err := c.parseValue(p, f)
			if err != nil {
				return nil, err
			}
			out = append(out, v...)
			continue
		}
		n, err := c.parseScalar(p, f)
		if err != nil {
			return nil, err
		}
		out = append(out, n)
	}
	if strings.Contains(p.Type, "MPI_Status") && len(out)%4 == 3 {
		out = append(out, 0) // not cancelled
	}
	return out, nil
}

func (c *call) parseScalar(p mpi.Param, text string) (int64, error) {
	if n, ok := specialValues[text]; ok {
		return n, nil
	}
	if n, err := strconv.ParseInt(text, 0, 64); err == nil {
		return n, nil
	}
	switch kind := kindOf(p); kind {
	case "MPI_Comm", "MPI_Win", "MPI_File":
		return c.commIndex(kind, text)
	case "MPI_Datatype":
		return c.typeIndex(text)
	case "":
		return 0, fmt.Errorf("not a number")
	default:
		return c.p.handleNumber(kind, text), nil
	}
}

// kindOf returns the type of a handle, "" of a number.
func kindOf(p mpi.Param) string {
	name := strings.TrimPrefix(strings.TrimSpace(p.Type), "const ")
	name = strings.TrimRight(name, " *[]")
	if strings.HasSuffix(p.Name, "keyval") {
		return "keyval"
	}
	switch name {
	case "MPI_Comm", "MPI_Win", "MPI_File", "MPI_Datatype", "MPI_Request", "MPI_Group", "MPI_Op", "MPI_Info",
		"MPI_Errhandler", "MPI_Message", "MPI_Session":
		return name
	}
	return ""
}

// handleNumber returns the number of a named handle.
func (p *parser) handleNumber(kind, name string) int64 {
	for value, known := range predefinedNames()[kind] {
		if known == name {
			return value
		}
	}
	key := kind + " " + name
	if p.handles[key] == 0 {
		p.handles[key] = int64(1000 + len(p.handles))
	}
	return p.handles[key]
}

// commIndex returns the index of a communicator, window or file at the rank; a new name
// has the members of the communicator that the call is on.
func (c *call) commIndex(kind, name string) (int64, error) {
	if i, ok := c.r.comms[name]; ok {
		return int64(i), nil
	}
	known := c.p.comms[name]
	if known == nil {
		from := c.p.comms[c.parentComm()]
		if from == nil {
			return 0, fmt.Errorf("no communicator %s", name)
		}
		known = &model.Comm{
			ID: uint64(len(c.p.comms) + 1), Parent: from.ID, Kind: commKinds[kind], Members: from.Members,
			Size: from.Size,
		}
		c.p.comms[name] = known
	}
	own := *known
	if own.Rank = slices.Index(own.Members, c.r.Rank); own.Kind == model.Self {
		own.Rank, own.Members = 0, []int{c.r.Rank}
	}
	if own.Rank < 0 && own.Kind == model.Inter {
		own.Members, own.Remote, own.Size, own.RemoteSize = own.Remote, own.Members, own.RemoteSize, own.Size
		own.Rank = slices.Index(own.Members, c.r.Rank)
	}
	c.r.comms[name] = len(c.r.Comms)
	c.r.Comms = append(c.r.Comms, &own)
	return int64(len(c.r.Comms) - 1), nil
}

// parentComm returns the name of the communicator that the call is on.
func (c *call) parentComm() string {
	for _, name := range []string{"comm", "comm_old", "local_comm", "intercomm"} {
		if text, ok := c.given[name]; ok {
			return text
		}
	}
	return "world"
}

// defaultOf returns what a parameter has before the call if it is not written.
func (c *call) defaultOf(p mpi.Param) string {
	if n := c.countOf(p); n != "" {
		return n
	}
	switch p.Name {
	case "comm", "comm_old", "local_comm", "peer_comm":
		if p.Type == "MPI_Comm" {
			return "world"
		}
	case "datatype", "sendtype", "recvtype", "oldtype", "origin_datatype", "target_datatype", "result_datatype":
		if p.Type == "MPI_Datatype" {
			return "MPI_INT"
		}
	case "op":
		return "MPI_SUM"
	case "count", "sendcount", "recvcount", "origin_count", "target_count", "result_count", "incount":
		if !strings.Contains(p.Type, "*") {
			return "1"
		}
	case "tag", "sendtag", "recvtag", "root", "target_disp", "assert", "offset", "reorder", "key", "color":
		return "0"
	case "buf", "buffer", "sendbuf", "recvbuf", "origin_addr", "result_addr", "compare_addr":
		c.p.nextBuffer += 0x100000
		return fmt.Sprint(c.p.nextBuffer)
	case "info":
		if p.Type == "MPI_Info" {
			return "null"
		}
	}
	return ""
}

// countOf returns the length of the list that a parameter counts.
func (c *call) countOf(p mpi.Param) string {
	list := map[string]string{"count": "array_of_requests", "incount": "array_of_requests"}[p.Name]
	if text, ok := c.given[list]; ok {
		fields, _ := splitFields(strings.Trim(text, "[]"), ',')
		return fmt.Sprint(len(fields))
	}
	return ""
}

// resultOf returns what MPI usually gives back in a parameter: null in requests
// that a call completes, a flag that is true, the first of a list.
func (c *call) resultOf(p mpi.Param, in recorded.Value) string {
	switch {
	case p.Name == "flag":
		return "1"
	case p.Name == "indx":
		return "0"
	}
	return ""
}

// parseResult reads a parameter that MPI wrote; a new datatype is made by the call.
func (c *call) parseResult(p mpi.Param, text string) (recorded.Value, error) {
	_, known := c.r.types[text]
	if kindOf(p) == "MPI_Datatype" && p.Name == "newtype" && text != "" && specialValues[text] == 0 && !known {
		if err := c.newType(text); err != nil {
			return nil, err
		}
	}
	return c.parseValue(p, text)
}
