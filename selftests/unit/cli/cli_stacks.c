// SPDX-License-Identifier: GPL-2.0-only
/*
 * cli_stacks - stacks of Windows' kernel logger are printed and converted with their events
 */
#include "unit/etl/etl_write.h"

#include "cli/input/inputs.h"
#include "core/record.h"

#define THREAD_SWITCH	0x0524
#define DISK_READ	0x010A
#define STACK_WALK	0x1820
#define FRAME		0xfffff80000001000ull

static struct etw_etl_writer *writer;

static void put(uint8_t type, uint16_t hook, uint64_t time, uint16_t cpu, const void *payload,
		uint16_t len)
{
	_Alignas(8) unsigned char r[512] = { 0 };
	bool compact = type == ETW_ETL_PERFINFO64;
	uint16_t size = (uint16_t)((compact ? 16 : 32) + len), version = hook == DISK_READ ? 3 : 2;
	uint32_t thread = 11, process = 7;

	memcpy(r, &version, 2);
	r[2] = type;
	r[3] = 0xC0;
	memcpy(r + 4, &size, 2);
	memcpy(r + 6, &hook, 2);
	if (!compact) {
		memcpy(r + 8, &thread, 4);
		memcpy(r + 12, &process, 4);
	}
	memcpy(r + (compact ? 8 : 16), &time, 8);
	memcpy(r + size - len, payload, len);
	if (etw_etl_write(writer, cpu, r, size))
		abort();
}

static void put_stack(uint64_t of, uint64_t time, uint32_t thread, uint16_t cpu, uint64_t first)
{
	unsigned char payload[32];
	uint32_t process = 7;

	memcpy(payload, &of, 8);
	memcpy(payload + 8, &process, 4);
	memcpy(payload + 12, &thread, 4);
	for (uint64_t i = 0; i < 2; i++) {
		uint64_t frame = first + i;

		memcpy(payload + 16 + 8 * i, &frame, 8);
	}
	put(ETW_ETL_SYSTEM64, STACK_WALK, time, cpu, payload, sizeof(payload));
}

static void begin_file(void)
{
	struct etw_etl_options options = { .like = &like, .logger = "s", .replace = true,
					   .buffer_size = BUFFER };

	if (etw_etl_create(path, &options, &writer))
		abort();
}

static void end_file(void)
{
	if (etw_etl_finish(writer, 0, NULL))
		abort();
}

/* A context switch and a read with their stacks, and a stack of no event */
static void write_file(void)
{
	unsigned char payload[52] = { 0 };

	begin_file();
	put(ETW_ETL_PERFINFO64, THREAD_SWITCH, 2000, 0, payload, 24);
	put(ETW_ETL_SYSTEM64, DISK_READ, 2100, 1, payload, sizeof(payload));
	put_stack(2000, 2200, 5, 0, FRAME);
	put_stack(2100, 2300, 11, 1, FRAME + 0x10);
	put_stack(2100, 2400, 11, 0, 0x1000);
	put_stack(1999, 2500, 11, 0, 0x1000);
	end_file();
}

#define MS	1000000ull

/* An event whose stack comes 20 ms later, after another event */
static void write_late(void)
{
	unsigned char payload[52] = { 0 };

	begin_file();
	put(ETW_ETL_SYSTEM64, DISK_READ, 10 * MS, 0, payload, sizeof(payload));
	put(ETW_ETL_SYSTEM64, DISK_READ, 29 * MS, 0, payload, sizeof(payload));
	put_stack(10 * MS, 30 * MS, 11, 0, FRAME);
	put_stack(29 * MS, 31 * MS, 11, 0, FRAME);
	end_file();
}

/* So many context switches, each of which but the first ones has its stack after it */
static void write_switches(unsigned int count, unsigned int first)
{
	unsigned char payload[24] = { 0 };
	uint64_t time = 2000;

	begin_file();
	for (unsigned int i = 0; i < count; i++, time += 1000) {
		put(ETW_ETL_PERFINFO64, THREAD_SWITCH, time, 0, payload, sizeof(payload));
		if (i >= first)
			put_stack(time, time + 500, 11, 0, FRAME);
	}
	end_file();
}

/*
 * How many events have a stack, and is it those from first on? *most: the number that waited
 * at once
 */
static bool read_switches(unsigned int count, unsigned int first, unsigned int *most)
{
	char *paths[] = { path, NULL };
	const struct etw_event *event;
	struct inputs inputs = { 0 };
	unsigned int source, n = 0;
	bool right = true;

	*most = 0;
	if (inputs_open(&inputs, paths))
		abort();
	while (inputs_next(&inputs, &event, &source) == 1) {
		*most = inputs.stacks.events > *most ? inputs.stacks.events : *most;
		if (event->record.header->desc.task != THREAD_SWITCH)
			right &= etw_etl_is_system(event->record.header) && !n;
		else
			right &= !event->record.ext_len == (n++ < first);
	}
	inputs_close(&inputs);
	return right && n == count;
}

/*
 * A context switch and more reads of one time than a stack is compared with, then their stacks.
 * Events wait for them since the stack of the first read.
 */
static void write_crowd(void)
{
	unsigned char payload[52] = { 0 };

	begin_file();
	put(ETW_ETL_SYSTEM64, DISK_READ, 1000, 0, payload, sizeof(payload));
	put_stack(1000, 1100, 11, 0, FRAME);
	put(ETW_ETL_PERFINFO64, THREAD_SWITCH, 2000, 0, payload, 24);
	for (unsigned int i = 0; i < 300; i++)
		put(ETW_ETL_SYSTEM64, DISK_READ, 2000, 0, payload, sizeof(payload));
	for (unsigned int i = 0; i < 400; i++)
		put_stack(2000, 2100, 11, 0, FRAME);
	end_file();
}

static void test_begin_of_stacks(void)
{
	unsigned int first, most;
	bool right = true;

	/* A buffer has some 100 events: cover all places in it. */
	for (first = 400; first < 510 && right; first++) {
		write_switches(first + 10, first);
		right = read_switches(first + 10, first, &most);
	}
	ok(right, "the first stack of a trace goes to its event, wherever it is");
	write_switches(1000, 1000);
	ok(read_switches(1000, 1000, &most) && most < 8, "in a trace without stacks no event waits");
}

/* Run a command and return the number that it prints. */
static int number(const char *format)
{
	char command[512];
	int value = -1;
	FILE *f;

	snprintf(command, sizeof(command), format, path);
	f = popen(command, "r");
	if (!f || fscanf(f, "%d", &value) != 1)
		value = -1;
	if (f)
		pclose(f);
	return value;
}

#define DUMP	"ETW_DEVICE=/nonexistent build/etw dump "

int main(void)
{
	set_like();
	if (!mkdtemp(dir))
		return 1;
	snprintf(path, sizeof(path), "%s/stacks.etl", dir);
	write_file();
	is(number(DUMP "%s | grep -vc EventTrace/"), 3, "three events");
	is(number(DUMP "%s | grep -c ' Thread/CSwitch .* "
		  "stack=.*0xfffff80000001000.0xfffff80000001001'"), 1, "a context switch has its stack");
	is(number(DUMP "%s | grep -c ' DiskIo/Read .*stack=.*0xfffff80000001010.0xfffff80000001011."
		  "0x1000.0x1001'"), 1, "a read has both parts of its stack");
	is(number(DUMP "%s | grep -c ' StackWalk/Stack '"), 1, "a stack of no event is one itself");
	is(number(DUMP "--json %s | grep -c '\"stack\":'"), 2, "JSON has the stacks, too");
	is(number(DUMP "--raw %s | grep -c ' StackWalk/Stack '"), 4, "--raw leaves the records as they are");
	is(number("build/etw convert --to csv %s | grep -c 0xfffff80000001010"), 1,
	   "and converting gives them to the events");
	is(number(DUMP "--raw --id 0 %s | grep -c ' StackWalk/Stack '"), 4, "and can be selected");
	is(number(DUMP "--stack-events %s | grep -c ' StackWalk/Stack .*Stack2='"), 4,
	   "--stack-events shows them decoded");
	is(number("build/etw convert --stack-events --to csv %s | grep -c 'StackWalk/Stack\\|,Stack,'"), 4,
	   "--stack-events of convert, too");
	is(number("! build/etw dump --stack-events demo 2>&1; echo $?"), -1, "it is for files only");
	write_late();
	is(number(DUMP "--until 15ms %s | grep -c 'DiskIo/Read.*stack='"), 1,
	   "--until does not cut off stacks behind it");
	is(number(DUMP "--until 15ms %s | grep -vc EventTrace/"), 1, "nor does it show what is behind it");
	write_crowd();
	is(number(DUMP "%s | grep -c 'DiskIo/Read.*stack='"), 1 + 256, "a stack is compared with 256 events");
	is(number(DUMP "%s | grep -c 'Thread/CSwitch.*stack='"), 0,
	   "of those that name their thread and the others together");
	test_begin_of_stacks();
	unlink(path);
	rmdir(dir);
	return done_testing();
}
