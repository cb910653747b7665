// SPDX-License-Identifier: MIT

// Package etw writes and reads events of ETW for Linux in Go alone, without cgo: it makes the
// ioctls of /dev/etw (etw(4), <etw/abi.h>), which programs of libetw make as well.
//
// It has providers with TraceLogging, and reads uncompressed log files and sessions. Sessions are
// started and providers enabled by the command etw. Not here: enable callbacks, manifests,
// filters, stacks of the writer, and the merge of a session's CPUs by time while it runs.
package etw

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"unicode/utf16"
	"unsafe"
)

const (
	iocRegister     = 0xE720
	iocUnregister   = 0xE721
	iocProviderSet  = 0xE725
	iocWrite        = 0xE730
	iocConsumerOpen = 0xE740

	setTraits        = 1
	writeActivity    = 4
	dataEvent        = 1
	dataProvider     = 2
	enableAreaSize   = 1024 * 32
	channelTL        = 11
	maxStringOrArray = 65535
)

// GUID as it is in memory and in files: the first three parts are little endian.
type GUID [16]byte

// ParseGUID reads 01234567-89ab-cdef-0123-456789abcdef, with or without braces.
func ParseGUID(text string) (GUID, error) {
	var g GUID
	var d1 uint32
	var d2, d3, d4 uint16
	var d5 uint64
	text = strings.Trim(text, "{}")
	if len(text) != 36 {
		return g, fmt.Errorf("not a GUID: %q", text)
	}
	if _, err := fmt.Sscanf(text, "%08x-%04x-%04x-%04x-%012x", &d1, &d2, &d3, &d4, &d5); err != nil {
		return g, fmt.Errorf("not a GUID: %q", text)
	}
	binary.LittleEndian.PutUint32(g[0:], d1)
	binary.LittleEndian.PutUint16(g[4:], d2)
	binary.LittleEndian.PutUint16(g[6:], d3)
	binary.BigEndian.PutUint64(g[8:], d5)
	binary.BigEndian.PutUint16(g[8:], d4)
	return g, nil
}

func (g GUID) String() string {
	return fmt.Sprintf("%08x-%04x-%04x-%x-%x", binary.LittleEndian.Uint32(g[0:]),
		binary.LittleEndian.Uint16(g[4:]), binary.LittleEndian.Uint16(g[6:]), g[8:10], g[10:])
}

func openDevice() (int, error) {
	path := os.Getenv("ETW_DEVICE")
	if path == "" {
		path = "/dev/etw"
	}
	// Not by os.Open(), which would make it non-blocking.
	fd, err := syscall.Open(path, syscall.O_RDWR|syscall.O_CLOEXEC, 0)
	if err != nil {
		return -1, &os.PathError{Op: "open", Path: path, Err: err}
	}
	return fd, nil
}

func ioctl(fd int, command uintptr, argument unsafe.Pointer, what string) error {
	_, _, errno := syscall.Syscall(syscall.SYS_IOCTL, uintptr(fd), command, uintptr(argument))
	if errno != 0 {
		return os.NewSyscallError(what, errno)
	}
	return nil
}

// Provider is a registration. Several goroutines may use it at once.
type Provider struct {
	mutex  sync.Mutex
	fd     int
	slot   uint32
	area   []byte // a struct etw_enable_entry for each slot
	buffer []byte // traits, metadata and payload of an event; on the heap, so it does not move
	traits int
	pieces [3]piece
}

// struct etw_data_descriptor
type piece struct {
	ptr  uint64
	size uint32
	kind uint32
}

// Register registers a provider. Without the kernel module it fails, and events written by a nil
// Provider go nowhere.
func Register(name string, id GUID) (*Provider, error) {
	fd, err := openDevice()
	if err != nil {
		return nil, err
	}
	p := &Provider{fd: fd}
	p.buffer = binary.LittleEndian.AppendUint16(make([]byte, 0, 4096), uint16(len(name)+3))
	p.buffer = append(append(p.buffer, name...), 0)
	p.traits = len(p.buffer)
	if p.area, err = syscall.Mmap(fd, 0, enableAreaSize, syscall.PROT_READ, syscall.MAP_SHARED); err != nil {
		syscall.Close(fd)
		return nil, os.NewSyscallError("mmap", err)
	}
	register := struct {
		size, flags uint32
		guid        GUID
		name        uint64
		nameLen     uint32
		slot        uint32
		cookie      uint64
	}{size: 48, guid: id}
	if err = ioctl(fd, iocRegister, unsafe.Pointer(&register), "register"); err == nil {
		p.slot = register.slot
		set := struct {
			size, slot, flags, types uint32
			traits                   uint64
			length, reserved         uint32
		}{size: 32, slot: p.slot, flags: setTraits, length: uint32(p.traits),
			traits: uint64(uintptr(unsafe.Pointer(&p.buffer[0])))}
		err = ioctl(fd, iocProviderSet, unsafe.Pointer(&set), "set traits")
	}
	if err != nil {
		p.Close()
		return nil, err
	}
	return p, nil
}

// Close ends the registration.
func (p *Provider) Close() error {
	if p == nil {
		return nil
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.fd < 0 {
		return nil
	}
	syscall.Munmap(p.area)
	err := syscall.Close(p.fd)
	p.fd, p.area = -1, nil
	return err
}

// Enabled says whether a session accepts events of this level and keyword. It makes no system
// call; not at the same time as Close().
func (p *Provider) Enabled(level uint8, keyword uint64) bool {
	if p == nil || p.area == nil {
		return false
	}
	entry := unsafe.Pointer(&p.area[p.slot*32])
	first := atomic.LoadUint32((*uint32)(entry))
	if first&0xff == 0 || level > uint8(first>>8) {
		return false
	}
	if keyword == 0 {
		return first>>16&0xff != 0
	}
	any := atomic.LoadUint64((*uint64)(unsafe.Add(entry, 8)))
	all := atomic.LoadUint64((*uint64)(unsafe.Add(entry, 16)))
	return keyword&any != 0 && keyword&all == all
}

// Descriptor is what sessions select events by, and the activity they belong to (zero: none).
type Descriptor struct {
	Level, Opcode uint8
	Keyword       uint64
	Activity      GUID
}

// Write writes an event; nil also if no session wants it. An error says that a session lost it,
// which the session counts.
func (p *Provider) Write(d Descriptor, e *Event) error {
	if !p.Enabled(d.Level, d.Keyword) {
		return nil
	}
	if e.err != nil {
		return e.err
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.fd < 0 {
		return nil
	}
	p.buffer = append(p.buffer[:p.traits], e.meta...)
	binary.LittleEndian.PutUint16(p.buffer[p.traits:], uint16(len(e.meta)))
	p.buffer = append(p.buffer, e.data...)
	p.buffer = append(p.buffer, 0) // so that the address of an empty payload exists
	base, end := uintptr(unsafe.Pointer(&p.buffer[0])), p.traits+len(e.meta)
	p.pieces = [3]piece{
		{uint64(base), uint32(p.traits), dataProvider},
		{uint64(base) + uint64(p.traits), uint32(len(e.meta)), dataEvent},
		{uint64(base) + uint64(end), uint32(len(e.data)), 0},
	}
	write := struct {
		size, slot, flags, count uint32
		data, filter             uint64
		id                       uint16
		version, channel         uint8
		level, opcode            uint8
		task                     uint16
		keyword                  uint64
		activity, related        GUID
		stack                    uint64
		stackCount, reserved     uint32
	}{size: 96, slot: p.slot, count: 3, data: uint64(uintptr(unsafe.Pointer(&p.pieces[0]))),
		channel: channelTL, level: d.Level, opcode: d.Opcode, keyword: d.Keyword, activity: d.Activity}
	if d.Activity != (GUID{}) {
		write.flags = writeActivity
	}
	err := ioctl(p.fd, iocWrite, unsafe.Pointer(&write), "write event")
	runtime.KeepAlive(p)
	return err
}

// Types of fields: the in-type, and the out-type in the upper byte. See TraceLoggingProvider.h.
const (
	Int8     = 3
	UInt8    = 4
	Int16    = 5
	UInt16   = 6
	Int32    = 7
	UInt32   = 8
	Int64    = 9
	UInt64   = 10
	Float32  = 11
	Float64  = 12
	Binary   = 14
	GUIDType = 15
	FileTime = 17 | 38<<8
	HexInt32 = 20
	HexInt64 = 21
	UTF16    = 22
	UTF8     = 23 | 35<<8
	Struct   = 24
	Boolean  = 4 | 3<<8

	shapeArray = 64
	chain      = 128
)

// Event collects the fields of an event.
type Event struct {
	meta, data []byte
	err        error
}

// NewEvent begins an event of this name.
func NewEvent(name string) *Event {
	e := &Event{meta: make([]byte, 3, 64)} // room for the size, and no tags
	e.name(name)
	return e
}

func (e *Event) name(name string) {
	if strings.IndexByte(name, 0) >= 0 {
		e.err = fmt.Errorf("a name contains a NUL: %q", name)
	}
	e.meta = append(append(e.meta, name...), 0)
	if len(e.meta) > maxStringOrArray {
		e.err = fmt.Errorf("the names of an event take over 64 KB")
	}
}

func (e *Event) describe(name string, kind, shape int) {
	e.name(name)
	if kind>>8 == 0 {
		e.meta = append(e.meta, byte(kind|shape))
	} else {
		e.meta = append(e.meta, byte(kind|shape|chain), byte(kind>>8))
	}
}

// Struct begins a structure: the next fields, of this number, are its members.
func (e *Event) Struct(name string, members int) *Event {
	e.describe(name, Struct|members<<8, 0)
	return e
}

// Field adds a value, which is an integer, a float, a string, a bool, a GUID or a []byte.
func (e *Event) Field(name string, kind int, value any) *Event {
	e.describe(name, kind, 0)
	e.value(kind, value)
	return e
}

// Array adds an array of values.
func (e *Event) Array(name string, kind int, values ...any) *Event {
	e.describe(name, kind, shapeArray)
	e.data = binary.LittleEndian.AppendUint16(e.data, uint16(len(values)))
	if len(values) > maxStringOrArray {
		e.err = fmt.Errorf("%d elements, more than %d: %s", len(values), maxStringOrArray, name)
	}
	for _, value := range values {
		e.value(kind, value)
	}
	return e
}

func (e *Event) counted(data []byte) {
	if len(data) > maxStringOrArray {
		e.err = fmt.Errorf("%d bytes, more than %d", len(data), maxStringOrArray)
		return
	}
	e.data = binary.LittleEndian.AppendUint16(e.data, uint16(len(data)))
	e.data = append(e.data, data...)
}

func (e *Event) value(kind int, value any) {
	switch v := value.(type) {
	case string:
		if kind != UTF16 {
			e.counted([]byte(v))
			return
		}
		var units []byte
		for _, unit := range utf16.Encode([]rune(v)) {
			units = binary.LittleEndian.AppendUint16(units, unit)
		}
		e.counted(units)
	case []byte:
		e.counted(v)
	case GUID:
		e.data = append(e.data, v[:]...)
	case bool:
		number := uint64(0)
		if v {
			number = 1
		}
		e.number(kind, number)
	case int:
		e.number(kind, uint64(v))
	case int64:
		e.number(kind, uint64(v))
	case uint32:
		e.number(kind, uint64(v))
	case uint64:
		e.number(kind, v)
	case float64:
		if kind == Float32 {
			e.number(kind, uint64(math.Float32bits(float32(v))))
		} else {
			e.number(kind, math.Float64bits(v))
		}
	default:
		e.err = fmt.Errorf("a field cannot have a value of the type %T", value)
	}
}

var sizes = map[int]int{Int8: 1, UInt8: 1, Int16: 2, UInt16: 2, Int32: 4, UInt32: 4, Int64: 8, UInt64: 8,
	Float32: 4, Float64: 8, FileTime & 31: 8, HexInt32: 4, HexInt64: 8, 13: 4}

func (e *Event) number(kind int, value uint64) {
	size, known := sizes[kind&31]
	if !known {
		e.err = fmt.Errorf("a number is not a value of the type %d", kind)
	}
	for ; size > 0; size-- {
		e.data = append(e.data, byte(value))
		value >>= 8
	}
}
