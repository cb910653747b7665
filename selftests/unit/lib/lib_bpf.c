/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lib_bpf.c - what etw_bpf_register() tells the kernel of a list of fields
 */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/tap.h"
#include "device/kdev.h"
#include <etw/bpf.h>

#define FIRST(field)				\
	field(u8, small, "Small")		\
	field(s64, large, "Large")		\
	field(text, name, "Name", 5)		\
	field(boolean, yes, "Yes")		\
	field(port, port, "Port")
#define SECOND(field)				\
	field(hex32, bits, "Bits")
#define EVENTS(event)				\
	event(first, FIRST, "One", 4, 0x10)	\
	event(second, SECOND, "Two", 2, 0, .opcode = 3, .task = 4)
ETW_BPF_PROVIDER(unit, "Unit-Bpf", EVENTS)

/* The kernel: what it was told, and its answer */
static struct {
	struct etw_bpf_provider arg;
	struct etw_bpf_event events[ETW_BPF_EVENTS_MAX];
	unsigned char schemas[ETW_BPF_SCHEMAS_MAX];
	struct etw_trace_piece pieces[ETW_BPF_PIECES_MAX];
	int answer, calls, closed;
} kernel;

static int open_fake(const char *path)
{
	(void)path;
	return 77;
}

static void close_fake(int fd)
{
	kernel.closed = fd;
}

static int ioctl_fake(int fd, unsigned int command, void *arg)
{
	struct etw_bpf_provider *p = arg;

	if (fd != 77 || command != ETW_IOC_BPF_PROVIDER || p->size != sizeof(*p))
		return -ENOTTY;
	kernel.calls++;
	kernel.arg = *p;
	memcpy(kernel.events, (void *)(uintptr_t)p->events,
	       p->event_count * sizeof(*kernel.events));
	memcpy(kernel.schemas, (void *)(uintptr_t)p->schemas, p->schemas_len);
	memcpy(kernel.pieces, (void *)(uintptr_t)p->pieces,
	       p->piece_count * sizeof(*kernel.pieces));
	p->number = 1025;
	return kernel.answer;
}

static bool piece_is(unsigned int i, unsigned int kind, unsigned int offset, unsigned int size)
{
	const struct etw_trace_piece *p = &kernel.pieces[i];

	return p->kind == kind && p->offset == offset && p->size == size && !p->flags &&
	       !p->length_offset;
}

static void test_described(void)
{
	static const unsigned char schemas[] =
		"\x31\0\0One\0" "Small\0\x04" "Large\0\x09" "Name\0\x97\x23" "Yes\0\x84\x03"
		"Port\0\x86\x07"
		"\x0d\0\0Two\0" "Bits\0\x14";
	const struct etw_bpf_event *e = kernel.events;
	int handle;
	__u32 number;

	ok(sizeof(struct etw_bpf_fields_first) == 17 && sizeof(struct first) == 24, "no holes");
	ok(!ETW_BPF_REGISTER(unit, &handle, &number), "taken");
	ok(handle == 77 && number == 1025, "handle and number");
	ok(kernel.arg.name_len == 8 && kernel.arg.event_count == 2 && !kernel.arg.flags, "numbers");
	ok(e[0].level == 4 && e[0].keyword == 0x10 && e[0].record_size == 17 && !e[0].opcode,
	   "the first event");
	ok(e[1].level == 2 && !e[1].keyword && e[1].opcode == 3 && e[1].task == 4 &&
	   e[1].record_size == 4, "the second event");
	ok(e[0].schema_len + e[1].schema_len == kernel.arg.schemas_len, "lengths of the schemas");
	ok(kernel.schemas[0] == e[0].schema_len && kernel.schemas[e[0].schema_len] ==
	   e[1].schema_len, "each schema begins with its length");
	/* The lengths have been compared. */
	ok(kernel.arg.schemas_len == sizeof(schemas) - 1 &&
	   !memcmp(kernel.schemas + 2, schemas + 2, e[0].schema_len - 2) &&
	   !memcmp(kernel.schemas + e[0].schema_len + 2, schemas + e[0].schema_len + 2,
		   e[1].schema_len - 2), "the schemas");
	ok(e[0].piece_count == 3 && e[1].piece_count == 1 && kernel.arg.piece_count == 4,
	   "what lies side by side is one part");
	ok(piece_is(0, ETW_TRACE_COPY, 0, 9) && piece_is(1, ETW_TRACE_TEXT, 9, 5) &&
	   piece_is(2, ETW_TRACE_COPY, 14, 3) && piece_is(3, ETW_TRACE_COPY, 0, 4), "the parts");
	etw_bpf_unregister(handle);
	ok(kernel.closed == 77, "closed");
	kernel.closed = 0;
	etw_bpf_unregister(-1);
	ok(!kernel.closed, "nothing to close");
}

static void refused(const char *what, const char *name, const struct etw_bpf_event_info *events,
		    unsigned int count)
{
	int handle = 1, calls = kernel.calls;
	__u32 number = 1;

	ok(etw_bpf_register(name, events, count, &handle, &number) == -EINVAL && handle == -1 &&
	   !number && kernel.calls == calls, "refused: %s", what);
}

static void test_refused(void)
{
	struct etw_bpf_field fields[ETW_TRACE_PIECES_MAX + 1];
	struct etw_bpf_event_info many[ETW_BPF_EVENTS_MAX + 1];
	struct etw_bpf_event_info one = { .name = "e", .fields = fields, .field_count = 1,
					  .size = 4 };
	char *name = malloc(ETW_TRACE_SCHEMA_MAX + 1);
	unsigned int i;

	for (i = 0; i <= ETW_TRACE_PIECES_MAX; i++)
		fields[i] = (struct etw_bpf_field){ "f", ETW_BPF_text, 4 * i, 4 };
	for (i = 0; i <= ETW_BPF_EVENTS_MAX; i++)
		many[i] = one;
	refused("no events", "n", &one, 0);
	refused("too many events", "n", many, ETW_BPF_EVENTS_MAX + 1);
	refused("no name", "", &one, 1);
	one.field_count = ETW_TRACE_PIECES_MAX + 1;
	refused("too many fields", "n", &one, 1);
	one.field_count = 1;
	fields[0] = (struct etw_bpf_field){ "f", ETW_BPF_u32, 0, 8 };
	refused("a size that the type does not have", "n", &one, 1);
	fields[0] = (struct etw_bpf_field){ "f", ETW_BPF_TYPES, 0, 4 };
	refused("an unknown type", "n", &one, 1);
	fields[0] = (struct etw_bpf_field){ "f", ETW_BPF_bytes, 0, ETW_BPF_RECORD_MAX + 1 };
	refused("a field that is too large", "n", &one, 1);
	memset(name, 'x', ETW_TRACE_SCHEMA_MAX);
	name[ETW_TRACE_SCHEMA_MAX] = 0;
	fields[0] = (struct etw_bpf_field){ name, ETW_BPF_u32, 0, 4 };
	refused("a schema that is too long", "n", &one, 1);
	free(name);
}

static void test_errors(void)
{
	int handle = 1;
	__u32 number = 1;

	kernel.answer = -EOPNOTSUPP;
	kernel.closed = 0;
	ok(ETW_BPF_REGISTER(unit, &handle, &number) == -EOPNOTSUPP, "the kernel's error");
	ok(handle == -1 && !number && kernel.closed == 77, "and nothing is left");
}

int main(void)
{
	static struct etw_kdev_ops ops;

	ops = *etw_kdev_ops;
	ops.open = open_fake;
	ops.close = close_fake;
	ops.ioctl = ioctl_fake;
	etw_kdev_ops = &ops;
	test_described();
	test_refused();
	test_errors();
	return done_testing();
}
