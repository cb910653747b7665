/* SPDX-License-Identifier: GPL-2.0-only */
/* vm_record.h - run etw record with two registered providers, and check its output */
#ifndef ETW_SELFTEST_VM_RECORD_H
#define ETW_SELFTEST_VM_RECORD_H

#include "lib/vm.h"
#include "lib/vm_log.h"
#include "vm_cli.h"

#define GUID_1		"7e570001-5e1f-4e57-8001-020304050607"	/* vm_guid(1) */
#define GUID_2		"7e570002-5e1f-4e57-8001-020304050607"	/* vm_guid(2) */
#define GUID_3		"7e570003-5e1f-4e57-8001-020304050607"	/* vm_guid(3) */
#define OUT		LOG_DIR "/a.etl"
#define OLD		OUT ".old"
#define BEGUN		LOG_DIR "/begun"
#define GO		LOG_DIR "/go"
#define SPACE_KB	2048
/* Reports that it runs, waits until it may continue, and ends with status 3. */
#define WAITS		"echo > " BEGUN "; while ! test -e " GO "; do sleep 0.05; done; exit 3"

FIXTURE(record) {
	int fd;
	REGHANDLE reg, other;
	ULONG written;
	struct vc_run r;
};

FIXTURE_SETUP(record)
{
	vm_pin(0);
	self->fd = vm_open();
	ASSERT_LE(0, self->fd);
	vm_stop_all(self->fd);
	ASSERT_TRUE(vl_log_dir(SPACE_KB));
	self->reg = vl_register(1);
	ASSERT_NE(0, self->reg);
	self->other = vl_register(2);
	ASSERT_NE(0, self->other);
}

FIXTURE_TEARDOWN(record)
{
	EventUnregister(self->reg);
	EventUnregister(self->other);
	vm_stop_all(self->fd);
	close(self->fd);
	vl_log_dir_end();
}

static inline unsigned int sessions(FIXTURE_DATA(record) *self)
{
	struct etw_session_enum all = { .size = sizeof(all) };

	return ioctl(self->fd, ETW_IOC_SESSION_ENUM, &all) ? ~0u : all.count;
}

/* Is it enabled, so that what is written now will be in the file? */
static inline bool enabled(REGHANDLE reg)
{
	return vm_until(EventProviderEnabled(reg, 1, 1));
}

static inline bool exists(const char *path)
{
	return !access(path, F_OK);
}

static inline bool make(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	return f && fputs(text, f) >= 0 && !fclose(f);
}

static inline bool holds(const char *path, const char *text)
{
	char buffer[64] = { 0 };
	FILE *f = fopen(path, "r");
	size_t n = f ? fread(buffer, 1, sizeof(buffer) - 1, f) : 0;

	if (f)
		fclose(f);
	return f && n == strlen(text) && !memcmp(buffer, text, n);
}

static inline bool writes(FIXTURE_DATA(record) *self, REGHANDLE reg, UCHAR level, unsigned int count)
{
	ULONG failed = 0;

	while (count--)
		failed |= vl_write(reg, 7, level, 1, self->written++);
	return !failed;
}

static inline bool reported(FIXTURE_DATA(record) *self, const char *text)
{
	return vc_report(&self->r, strstr(self->r.err, text));
}

#endif /* ETW_SELFTEST_VM_RECORD_H */
