// SPDX-License-Identifier: GPL-2.0-only

// Go's part of the conformance suite; conformance.py says what each part does.
package main

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sort"
	"strconv"
	"strings"

	"etw-sample/etw"
)

const providerID = "c0f0a3e1-6b1d-4d5e-8f2a-7d3c1b2a4f60"

var kinds = map[string]int{
	"int8": etw.Int8, "uint8": etw.UInt8, "int16": etw.Int16, "uint16": etw.UInt16, "int32": etw.Int32,
	"uint32": etw.UInt32, "int64": etw.Int64, "uint64": etw.UInt64, "hexint32": etw.HexInt32,
	"hexint64": etw.HexInt64, "float32": etw.Float32, "float64": etw.Float64, "boolean": etw.Boolean,
	"filetime": etw.FileTime, "guid": etw.GUIDType, "utf8": etw.UTF8, "utf16": etw.UTF16, "binary": etw.Binary,
}

// parse makes the value of a field's text.
func parse(kind, text string) (any, error) {
	switch kind {
	case "utf8", "utf16":
		return strings.NewReplacer(`\\`, `\`, `\n`, "\n", `\t`, "\t", `\0`, "\x00").Replace(text), nil
	case "guid":
		return etw.ParseGUID(text)
	case "binary":
		return hex.DecodeString(text)
	case "float32", "float64":
		return strconv.ParseFloat(text, 64)
	}
	if strings.HasPrefix(text, "-") {
		return strconv.ParseInt(text, 10, 64)
	}
	return strconv.ParseUint(text, 10, 64)
}

func addField(event *etw.Event, name, kind, text string) error {
	base, isArray := strings.TrimSuffix(kind, "[]"), strings.HasSuffix(kind, "[]")
	times := 1
	if star := strings.IndexByte(kind, '*'); star >= 0 {
		var err error
		if times, err = strconv.Atoi(kind[star+1:]); err != nil {
			return err
		}
		base = kind[:star]
	}
	number, known := kinds[base]
	if !known {
		return fmt.Errorf("unknown type %s", kind)
	}
	if !isArray {
		value, err := parse(base, strings.Repeat(text, times))
		event.Field(name, number, value)
		return err
	}
	values := []any{}
	for _, part := range strings.Split(text, "|") {
		if text == "" {
			break
		}
		value, err := parse(base, part)
		if err != nil {
			return err
		}
		values = append(values, value)
	}
	event.Array(name, number, values...)
	return nil
}

func begin(columns []string) (*etw.Event, etw.Descriptor, error) {
	var d etw.Descriptor
	level, err1 := strconv.ParseUint(columns[2], 10, 8)
	opcode, err2 := strconv.ParseUint(columns[3], 10, 8)
	keyword, err3 := strconv.ParseUint(columns[4], 0, 64)
	d.Level, d.Opcode, d.Keyword = uint8(level), uint8(opcode), keyword
	for _, err := range []error{err1, err2, err3} {
		if err != nil {
			return nil, d, err
		}
	}
	var err error
	if columns[5] != "-" {
		d.Activity, err = etw.ParseGUID(columns[5])
	}
	return etw.NewEvent(columns[1]), d, err
}

func write(table string) error {
	text, err := os.ReadFile(table)
	if err != nil {
		return err
	}
	id, err := etw.ParseGUID(providerID)
	if err != nil {
		return err
	}
	provider, err := etw.Register("Test-Conformance", id)
	if err != nil {
		return err
	}
	defer provider.Close()
	if !provider.Enabled(0, 0) {
		return errors.New("no session has enabled the provider")
	}
	var event *etw.Event
	var descriptor etw.Descriptor
	for _, line := range append(strings.Split(strings.TrimSuffix(string(text), "\n"), "\n"), "event") {
		columns := strings.Split(line, "\t")
		switch {
		case strings.HasPrefix(line, "#"):
		case columns[0] == "event":
			if event != nil {
				err = provider.Write(descriptor, event)
			}
			if err == nil && len(columns) > 1 {
				event, descriptor, err = begin(columns)
			}
		case columns[0] == "struct":
			var members int
			members, err = strconv.Atoi(columns[2])
			event.Struct(columns[1], members)
		case columns[0] == "field":
			err = addField(event, columns[1], columns[2], columns[3])
		default:
			err = fmt.Errorf("bad line: %s", line)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

type line struct {
	Event    string         `json:"event"`
	Level    uint8          `json:"level"`
	Opcode   uint8          `json:"opcode"`
	Keyword  string         `json:"keyword"`
	Activity *string        `json:"activity"`
	Fields   map[string]any `json:"fields"`
}

func print(records []etw.Record) error {
	sort.SliceStable(records, func(i, j int) bool { return records[i].Timestamp < records[j].Timestamp })
	for _, r := range records {
		if r.Provider.String() != providerID {
			continue
		}
		out := line{r.Name, r.Level, r.Opcode, fmt.Sprintf("%#x", r.Keyword), nil, r.Fields}
		if r.Activity != (etw.GUID{}) {
			text := r.Activity.String()
			out.Activity = &text
		}
		if r.Truncated {
			out.Fields = nil
		}
		data, err := json.Marshal(out)
		if err != nil {
			return err
		}
		fmt.Println(string(data))
	}
	return nil
}

func read(path string) error {
	records, err := etw.ReadFile(path)
	if err != nil {
		return err
	}
	return print(records)
}

func listen(session string) error {
	consumer, err := etw.Listen(session)
	if err != nil {
		return err
	}
	defer consumer.Close()
	fmt.Fprintln(os.Stderr, "ready")
	var all []etw.Record
	for {
		records, err := consumer.Read()
		if err == io.EOF {
			return print(all)
		}
		if err != nil {
			return err
		}
		all = append(all, records...)
	}
}

func main() {
	err := errors.New("usage: conformance write TABLE | read FILE | listen SESSION")
	if len(os.Args) == 3 {
		switch os.Args[1] {
		case "write":
			err = write(os.Args[2])
		case "read":
			err = read(os.Args[2])
		case "listen":
			err = listen(os.Args[2])
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
