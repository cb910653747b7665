// SPDX-License-Identifier: MIT

package etw

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"sort"
	"syscall"
	"time"
	"unicode/utf16"
	"unsafe"
)

const (
	bufferHeader   = 72
	eventHeader    = 80
	flagExtended   = 1
	flagCompressed = 0x40
	typeEvent64    = 0xC013
	typeEvent32    = 0xC012
	itemSchema     = 11
	itemTraits     = 12
	unixEpoch100ns = 116444736000000000
	maxBuffer      = 16 << 20
)

var le = binary.LittleEndian

// Record is an event that was read.
type Record struct {
	Time                time.Time
	Timestamp           int64 // ticks of the session's clock, by which events are in order
	Provider, Activity  GUID
	ProviderName, Name  string // of TraceLogging events, else ""
	ID                  uint16
	Level, Opcode       uint8
	Keyword             uint64
	ProcessID, ThreadID uint32
	Fields              map[string]any // of TraceLogging events, else nil
	Truncated           bool           // the payload, or what is known of it, ends before the fields do
	Payload             []byte
}

// ReadFile returns the events of a log file in the order of time.
func ReadFile(path string) ([]Record, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var records []Record
	head := make([]byte, bufferHeader)
	for {
		if _, err := io.ReadFull(file, head); err == io.EOF {
			break
		} else if err != nil {
			return nil, fmt.Errorf("%s: not a log file, or cut: %w", path, err)
		}
		size := le.Uint32(head)
		if size < bufferHeader || size > maxBuffer {
			return nil, fmt.Errorf("%s: not a log file", path)
		}
		buffer := append(make([]byte, 0, size), head...)[:size]
		if _, err := io.ReadFull(file, buffer[bufferHeader:]); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		if records, err = appendRecords(records, buffer); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	sort.SliceStable(records, func(i, j int) bool { return records[i].Timestamp < records[j].Timestamp })
	return records, nil
}

// Consumer reads a running session.
type Consumer struct {
	fd     int
	buffer []byte
}

// Listen opens a running session.
func Listen(session string) (*Consumer, error) {
	fd, err := openDevice()
	if err != nil {
		return nil, err
	}
	defer syscall.Close(fd)
	name := append([]byte(session), 0)
	open := struct {
		size, flags   uint32
		session, name uint64
		nameLen       uint32
		fd            int32
		bufferSize    uint32
		clock         uint32
		frequency     uint64
	}{size: 48, flags: syscall.O_CLOEXEC, nameLen: uint32(len(session))}
	keep := &Consumer{buffer: name} // on the heap: its address is given as a number
	open.name = uint64(uintptr(unsafe.Pointer(&keep.buffer[0])))
	err = ioctl(fd, iocConsumerOpen, unsafe.Pointer(&open), "open session")
	runtime.KeepAlive(keep)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", session, err)
	}
	return &Consumer{fd: int(open.fd), buffer: make([]byte, open.bufferSize)}, nil
}

// Read waits for the next buffer and returns its events; io.EOF when the session has stopped and
// all was read. A buffer has the events of one CPU in the order of time; those of several CPUs
// are in order only after sorting by Timestamp.
func (c *Consumer) Read() ([]Record, error) {
	for {
		n, err := syscall.Read(c.fd, c.buffer)
		if err == syscall.EINTR {
			continue
		}
		if err != nil {
			return nil, os.NewSyscallError("read", err)
		}
		if n == 0 {
			return nil, io.EOF
		}
		return appendRecords(nil, c.buffer[:n])
	}
}

// Close ends reading.
func (c *Consumer) Close() error { return syscall.Close(c.fd) }

var errDamaged = errors.New("a record is damaged")

func appendRecords(records []Record, buffer []byte) ([]Record, error) {
	used := int(le.Uint32(buffer[48:]))
	if le.Uint16(buffer[52:])&flagCompressed != 0 {
		return nil, errors.New("the file is compressed: etw merge FILE -o OTHER decompresses it")
	}
	if used < bufferHeader || used > len(buffer) {
		return nil, errDamaged
	}
	for at := bufferHeader; at+8 <= used; {
		record := buffer[at:used]
		size, kind := int(le.Uint16(record)), le.Uint16(record[2:])
		switch kind {
		case 0xC001, 0xC002, 0xC010, 0xC011: // headers of the system have it elsewhere
			size = int(le.Uint16(record[4:]))
		}
		if size < 8 || size > len(record) {
			return nil, errDamaged
		}
		if kind == typeEvent64 || kind == typeEvent32 {
			if size < eventHeader {
				return nil, errDamaged
			}
			one, err := newRecord(record[:size], buffer)
			if err != nil {
				return nil, err
			}
			records = append(records, one)
		}
		at += (size + 7) &^ 7
	}
	return records, nil
}

func newRecord(data, buffer []byte) (Record, error) {
	r := Record{ThreadID: le.Uint32(data[8:]), ProcessID: le.Uint32(data[12:]), Timestamp: int64(le.Uint64(data[16:])),
		ID: le.Uint16(data[40:]), Level: data[44], Opcode: data[45], Keyword: le.Uint64(data[48:])}
	copy(r.Provider[:], data[24:])
	copy(r.Activity[:], data[64:])
	r.Time = wallTime(r.Timestamp, buffer)
	rest := data[eventHeader:]
	var schema []byte
	for more := le.Uint16(data[4:])&flagExtended != 0; more; {
		if len(rest) < 8 {
			return r, errDamaged
		}
		size, kind, length := int(le.Uint16(rest)), le.Uint16(rest[2:]), int(le.Uint16(rest[6:]))
		if size < 8 || size > len(rest) || length > size-8 {
			return r, errDamaged
		}
		item := rest[8 : 8+length]
		if kind == itemSchema {
			schema = append([]byte{}, item...)
		} else if kind == itemTraits && length > 2 {
			r.ProviderName, _ = cString(item[2:])
		}
		more = rest[4]&1 != 0
		rest = rest[size:]
	}
	r.Payload = append([]byte{}, rest...)
	if schema != nil {
		r.Name, r.Fields, r.Truncated = decode(schema, r.Payload)
	}
	return r, nil
}

// wallTime uses the buffer's reference: a time of the wall clock and of the session's clock.
func wallTime(ticks int64, buffer []byte) time.Time {
	frequency := le.Uint64(buffer[32:]) >> 3
	wall, clock := int64(le.Uint64(buffer[56:])), int64(le.Uint64(buffer[64:]))
	if frequency == 0 {
		frequency = 10000000
	}
	since := float64(ticks-clock) / float64(frequency) * 1e7
	return fileTime(wall + int64(math.Round(since)))
}

func fileTime(hundreds int64) time.Time {
	hundreds -= unixEpoch100ns
	return time.Unix(hundreds/10000000, hundreds%10000000*100).UTC()
}

func cString(data []byte) (string, []byte) {
	for i, b := range data {
		if b == 0 {
			return string(data[:i]), data[i+1:]
		}
	}
	return string(data), nil
}

// ------------------------------------------------------------------ TraceLogging's metadata

// cursor reads bytes; bad is set where they end too early.
type cursor struct {
	data []byte
	bad  bool
}

func (c *cursor) take(size int) []byte {
	if size > len(c.data) {
		c.bad = true
		return make([]byte, size)
	}
	taken := c.data[:size]
	c.data = c.data[size:]
	return taken
}

func (c *cursor) u8() int  { return int(c.take(1)[0]) }
func (c *cursor) u16() int { return int(le.Uint16(c.take(2))) }

func (c *cursor) tags() {
	for c.u8()&chain != 0 && !c.bad {
	}
}

func (c *cursor) cString() string {
	text, rest := cString(c.data)
	if rest == nil {
		c.bad = true
	}
	c.data = rest
	return text
}

// field is a field's description; a structure has members.
type field struct {
	name           string
	in, out, shape int
	count          int
	members        []field
}

func takeFields(c *cursor, most, depth int) []field {
	var fields []field
	for len(c.data) > 0 && !c.bad && len(fields) < most {
		f := field{name: c.cString()}
		f.in = c.u8()
		if f.in&chain != 0 {
			if f.out = c.u8(); f.out&chain != 0 {
				c.tags()
			}
		}
		f.shape, f.in, f.out = f.in&0x60, f.in&31, f.out&127
		if f.shape == 0x20 {
			f.count = c.u16()
		} else if f.shape == 0x60 {
			c.take(c.u16())
		}
		if f.in == Struct && f.shape != 0x60 {
			if depth == 8 {
				c.bad = true
				return nil
			}
			f.members = takeFields(c, f.out, depth+1)
		}
		fields = append(fields, f)
	}
	return fields
}

// decode returns an event's name, its values, and whether some are missing.
func decode(schema, payload []byte) (string, map[string]any, bool) {
	meta := cursor{data: schema}
	meta.u16()
	meta.tags()
	name := meta.cString()
	fields := takeFields(&meta, math.MaxInt, 0)
	data := cursor{data: payload}
	values := takeValues(&data, fields)
	return name, values, meta.bad || data.bad
}

func takeValues(c *cursor, fields []field) map[string]any {
	values := map[string]any{}
	for _, f := range fields {
		count := f.count
		switch f.shape {
		case 0:
			if value := takeValue(c, f); !c.bad {
				values[f.name] = value
				continue
			}
			return values
		case 0x60:
			values[f.name] = fmt.Sprintf("%x", c.take(c.u16()))
			continue
		case shapeArray:
			count = c.u16()
		}
		elements := make([]any, 0)
		for ; count > 0 && !c.bad; count-- {
			elements = append(elements, takeValue(c, f))
		}
		values[f.name] = elements
	}
	return values
}

func takeValue(c *cursor, f field) any {
	switch f.in {
	case Struct:
		return takeValues(c, f.members)
	case 1: // UTF-16 with a NUL
		var units []uint16
		for unit := c.u16(); unit != 0 && !c.bad; unit = c.u16() {
			units = append(units, uint16(unit))
		}
		return string(utf16.Decode(units))
	case 2:
		return c.cString()
	case UTF16:
		return fromUTF16(c.take(c.u16()))
	case UTF8 & 31:
		return string(c.take(c.u16()))
	case Binary, 25:
		return fmt.Sprintf("%x", c.take(c.u16()))
	case GUIDType:
		var g GUID
		copy(g[:], c.take(16))
		return g.String()
	case 18: // SYSTEMTIME
		t := c.take(16)
		return fmt.Sprintf("%04d-%02d-%02dT%02d:%02d:%02d.%03d", le.Uint16(t), le.Uint16(t[2:]), le.Uint16(t[6:]),
			le.Uint16(t[8:]), le.Uint16(t[10:]), le.Uint16(t[12:]), le.Uint16(t[14:]))
	}
	size, known := sizes[f.in]
	if !known {
		c.bad = true
		return nil
	}
	var bytes [8]byte
	copy(bytes[:], c.take(size))
	return number(f, size, le.Uint64(bytes[:]))
}

func number(f field, size int, value uint64) any {
	shift := 64 - 8*size
	switch {
	case f.in == Float32:
		return math.Float32frombits(uint32(value))
	case f.in == Float64:
		return math.Float64frombits(value)
	case f.in == 13 || f.out == 3:
		return value != 0
	case f.in == HexInt32 || f.in == HexInt64 || f.out == 4:
		return fmt.Sprintf("%#x", value)
	case f.in == FileTime&31:
		return fileTime(int64(value)).Format("2006-01-02T15:04:05.0000000Z")
	case f.in == Int8 || f.in == Int16 || f.in == Int32 || f.in == Int64:
		return int64(value<<shift) >> shift
	}
	return value
}

func fromUTF16(data []byte) string {
	units := make([]uint16, len(data)/2)
	for i := range units {
		units[i] = le.Uint16(data[2*i:])
	}
	return string(utf16.Decode(units))
}
