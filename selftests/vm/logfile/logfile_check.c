// SPDX-License-Identifier: GPL-2.0-only
/*
 * logfile_check - files written while every CPU is busy obey the format
 *
 * vl_log_read() checks each file against etl/rules.h, and reads it with two readers that
 * must agree.
 */
#include "lib/vm.h"
#include "lib/vm_log.h"

#define THREADS		4	/* more than CPUs, so that writers are preempted */
#define EVENTS		200	/* of each thread */
#define FILE_A		LOG_DIR "/a.etl"
#define FILE_B		LOG_DIR "/b.etl"
/* Every type of extended item that the kernel adds */
#define ITEMS (EVENT_ENABLE_PROPERTY_SID | EVENT_ENABLE_PROPERTY_TS_ID |	\
	       EVENT_ENABLE_PROPERTY_STACK_TRACE | EVENT_ENABLE_PROPERTY_PSM_KEY | \
	       EVENT_ENABLE_PROPERTY_PROCESS_START_KEY)

FIXTURE(check) {
	int fd;
	TRACEHANDLE session;
	REGHANDLE reg;
};

FIXTURE_SETUP(check)
{
	self->fd = vm_open();
	ASSERT_LE(0, self->fd);
	vm_stop_all(self->fd);
	ASSERT_TRUE(vl_log_dir(8192));
	self->reg = vl_register(1);
	ASSERT_NE(0, self->reg);
}

FIXTURE_TEARDOWN(check)
{
	EventUnregister(self->reg);
	vm_stop_all(self->fd);
	close(self->fd);
	vl_log_dir_end();
}

static ULONG start(FIXTURE_DATA(check) *self, ULONG mode, ULONG kb, ULONG clock, ULONG property)
{
	ENABLE_TRACE_PARAMETERS params = { .Version = 2, .EnableProperty = property };
	struct vl_log_props props = vl_log_props(mode, FILE_A, kb);
	GUID provider = vl_guid(1);
	ULONG ret;

	if (mode & EVENT_TRACE_FILE_MODE_NEWFILE)
		strcpy(props.file, LOG_DIR "/n%d.etl");
	props.p.Wnode.ClientContext = clock;
	props.p.MaximumBuffers = 64;
	ret = StartTraceA(&self->session, "check", &props.p);
	return ret ? ret :
		EnableTraceEx2(self->session, &provider, EVENT_CONTROL_CODE_ENABLE_PROVIDER, 5, 0,
			       0, 0, &params);
}

static ULONG stop(FIXTURE_DATA(check) *self)
{
	struct vl_log_props props;

	return vl_log_control(self->session, EVENT_TRACE_CONTROL_STOP, &props);
}

/* Events of all lengths, each second one with a related activity. */
static void *write_some(void *arg)
{
	REGHANDLE reg = *(REGHANDLE *)arg;
	static const char payload[1500];
	EVENT_DATA_DESCRIPTOR data;
	GUID related = vl_guid(9);

	for (ULONG i = 0; i < EVENTS; i++) {
		EVENT_DESCRIPTOR desc = vl_event(7, 1, 1);

		EventDataDescCreate(&data, payload, i * 37 % sizeof(payload));
		EventWriteTransfer(reg, &desc, NULL, i % 2 ? &related : NULL, 1, &data);
	}
	return NULL;
}

/* Returns when all have written; calls meanwhile(), unless it is NULL, while they do. */
static void write_from_all(REGHANDLE reg, void (*meanwhile)(void))
{
	pthread_t thread[THREADS];

	for (int i = 0; i < THREADS; i++)
		pthread_create(&thread[i], NULL, write_some, &reg);
	if (meanwhile)
		meanwhile();
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
}

#define CHECK(path, least) do {						\
	struct vl_log read_log = vl_log_read(path);			\
									\
	EXPECT_EQ(0, read_log.error);					\
	EXPECT_STREQ("", read_log.agree.why);				\
	EXPECT_LE(least, read_log.agree.records);			\
} while (0)

/* Every mode that makes one file, with every clock, and with every item. */
TEST_F(check, modes)
{
	static const struct {
		ULONG mode, kb;
	} modes[] = {
		{ EVENT_TRACE_FILE_MODE_SEQUENTIAL, 0 },
		{ EVENT_TRACE_FILE_MODE_SEQUENTIAL, 64 },
		{ EVENT_TRACE_FILE_MODE_CIRCULAR, 64 },
		{ EVENT_TRACE_FILE_MODE_CIRCULAR, 4096 },
		{ EVENT_TRACE_FILE_MODE_SEQUENTIAL | EVENT_TRACE_FILE_MODE_PREALLOCATE, 512 },
		{ EVENT_TRACE_FILE_MODE_SEQUENTIAL | EVENT_TRACE_DELAY_OPEN_FILE_MODE, 0 },
		{ EVENT_TRACE_FILE_MODE_SEQUENTIAL | EVENT_TRACE_NO_PER_PROCESSOR_BUFFERING, 0 },
		{ EVENT_TRACE_FILE_MODE_CIRCULAR | EVENT_TRACE_NO_PER_PROCESSOR_BUFFERING, 64 },
		{ EVENT_TRACE_FILE_MODE_SEQUENTIAL | EVENT_TRACE_REAL_TIME_MODE, 0 },
	};

	for (unsigned int i = 0; i < sizeof(modes) / sizeof(*modes); i++) {
		TH_LOG("mode 0x%x, clock %u", modes[i].mode, 1 + i % 3);
		ASSERT_EQ(0, start(self, modes[i].mode | EVENT_TRACE_USE_KBYTES_FOR_SIZE,
				   modes[i].kb, 1 + i % 3, i % 2 ? ITEMS : 0));
		write_from_all(self->reg, NULL);
		ASSERT_EQ(0, stop(self));
		CHECK(FILE_A, 20);
		unlink(FILE_A);
	}
}

TEST_F(check, new_files)
{
	char path[64];
	int i;

	ASSERT_EQ(0, start(self, EVENT_TRACE_FILE_MODE_NEWFILE | EVENT_TRACE_USE_KBYTES_FOR_SIZE,
			   256, 0, 0));
	/* Where writers are faster than the disk, most events of a round are lost. */
	for (i = 0; i < 50 && access(LOG_DIR "/n3.etl", F_OK); i++)
		write_from_all(self->reg, NULL);
	ASSERT_EQ(0, stop(self));
	for (i = 1; i < 100; i++) {
		snprintf(path, sizeof(path), LOG_DIR "/n%d.etl", i);
		if (access(path, F_OK))
			break;
		CHECK(path, 2);
	}
	EXPECT_LT(3, i);
}

TEST_F(check, appended)
{
	for (int i = 0; i < 3; i++) {
		ASSERT_EQ(0, start(self, EVENT_TRACE_FILE_MODE_APPEND, 0, 0, ITEMS));
		write_from_all(self->reg, NULL);
		ASSERT_EQ(0, stop(self));
		CHECK(FILE_A, 20);
	}
}

/* The file as a crash would leave it: no end time, and half of a buffer. */
static void copy(void)
{
	static char bytes[6000];
	int from = open(FILE_A, O_RDONLY), to = open(FILE_B, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	ssize_t n;

	while (from >= 0 && (n = read(from, bytes, sizeof(bytes))) > 0)
		if (write(to, bytes, n) != n)
			break;
	close(from);
	close(to);
}

TEST_F(check, cut_off)
{
	struct stat st;

	ASSERT_EQ(0, start(self, EVENT_TRACE_FILE_MODE_SEQUENTIAL, 0, 0, ITEMS));
	for (int i = 0; i < 3; i++) {
		write_from_all(self->reg, copy);
		CHECK(FILE_B, 1);
	}
	vl_control(self->session, EVENT_TRACE_CONTROL_FLUSH);
	copy();
	CHECK(FILE_B, 20);
	ASSERT_EQ(0, stat(FILE_B, &st));
	ASSERT_EQ(0, truncate(FILE_B, st.st_size - 3000));
	CHECK(FILE_B, 20);
	ASSERT_EQ(0, stop(self));
	CHECK(FILE_A, 20);
}

TEST_HARNESS_MAIN
