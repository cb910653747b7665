// SPDX-License-Identifier: GPL-2.0-only
/* vm_log.c - sessions with log files, and the contents of the files */
#include "lib/vm_log.h"
#include "etl/record.h"
#include "etl/verify/verify.h"

#include <etw/format.h>

struct vl_log_props vl_log_props(ULONG mode, const char *file, ULONG size)
{
	struct vl_log_props props = {
		.p.Wnode.BufferSize = sizeof(props),
		.p.Wnode.Flags = WNODE_FLAG_TRACED_GUID,
		.p.BufferSize = LOG_KB,
		.p.LogFileMode = mode,
		.p.MaximumFileSize = size,
		.p.FlushTimer = 3600,
		.p.LoggerNameOffset = offsetof(struct vl_log_props, name),
		.p.LogFileNameOffset = offsetof(struct vl_log_props, file),
	};

	if (file)
		snprintf(props.file, sizeof(props.file), "%s", file);
	return props;
}

struct etw_session_log vl_log_status(int vm, TRACEHANDLE session)
{
	struct etw_session_log log = { .size = sizeof(log) };
	struct etw_session s = { .size = sizeof(s), .handle = session, .log = VM_PTR(&log) };

	if (vm_ioctl(vm, ETW_IOC_SESSION_QUERY, &s))
		log.error = ENOTTY;
	return log;
}

ULONG vl_logger_start(struct vl_logger *l, ULONG mode, const char *file, ULONG size)
{
	struct vl_log_props props = vl_log_props(mode, file, size);
	ULONG ret = StartTraceA(&l->session, "log", &props.p);

	return ret ? ret : vl_enable(l->session, 1, 0, 0, 0);
}

void vl_logger_write(struct vl_logger *l, ULONG n)
{
	EVENT_DESCRIPTOR desc = vl_event(7, 1, 1);
	EVENT_DATA_DESCRIPTOR data;
	char payload[LOG_PAYLOAD] = { 0 };

	EventDataDescCreate(&data, payload, sizeof(payload));
	for (; n; n--) {
		memcpy(payload, &l->written, sizeof(l->written));
		EventWrite(l->reg, &desc, 1, &data);
		l->written++;
		/* Let the file keep up with the smallest pool: what is lost is a matter of other tests. */
		if (l->written % (2 * LOG_PER_BUFFER) == 0)
			vl_control(l->session, EVENT_TRACE_CONTROL_FLUSH);
	}
}

ULONG vl_logger_stop(struct vl_logger *l)
{
	struct vl_log_props props;

	return vl_log_control(l->session, EVENT_TRACE_CONTROL_STOP, &props);
}

struct etw_session_log vl_logger_stop_status(struct vl_logger *l)
{
	struct etw_session_log log = { .size = sizeof(log) };
	struct etw_session s = { .size = sizeof(s), .handle = l->session, .log = VM_PTR(&log) };

	if (vm_ioctl(l->fd, ETW_IOC_SESSION_STOP, &s))
		log.error = ENOTTY;
	return log;
}

static bool not_cut(const struct vl_log *log)
{
	const TRACE_LOGFILE_HEADER *h = &log->info.header;

	return h->LogFileMode & EVENT_TRACE_FILE_MODE_PREALLOCATE &&
	       log->count.size > (uint64_t)h->BuffersWritten * h->BufferSize;
}

struct vl_log vl_log_read(const char *path)
{
	static const struct etw_guid process_guid = ETW_PROCESS_GUID;
	struct vl_log log = { .in_order = true, .in_time = true };
	struct etw_etl_file *file;
	struct etw_event event;
	int64_t time = INT64_MIN;
	struct stat st;

	if (!stat(path, &st))
		log.size = st.st_size;
	log.error = etw_etl_open(path, NULL, NULL, &file);
	if (log.error)
		return log;
	while ((log.error = etw_etl_next(file, &event)) == 1) {
		ULONG number = 0;

		log.in_time &= event.time >= time;
		time = event.time;
		if (event.record.header->desc.opcode == 0 && event.record.header->desc.id == 0)
			continue;
		if (!memcmp(&event.record.header->provider, &process_guid, sizeof(process_guid)) ||
		    etw_kind_is_machine(event.record.header))
			continue;
		memcpy(&number, event.record.data,
		       event.record.data_len < sizeof(number) ? event.record.data_len :
								sizeof(number));
		if (!log.events++)
			log.first = number;
		else
			log.in_order &= number == log.last + 1;
		log.last = number;
	}
	etw_etl_counts(file, &log.count);
	log.info = *etw_etl_info(file);
	log.cut_off = etw_etl_cut_off(file);
	etw_etl_close(file);
	/*
	 * A power cut while a file is closed may leave a final header before less than it says, or
	 * before space that is not used.
	 */
	if (!etl_agree(path, log.cut_off || log.count.missing || not_cut(&log) ? CHECK_OPEN : 0,
		       &log.agree)) {
		printf("# %s: %s\n", path, log.agree.why);
		if (!log.error)
			log.error = -EBADMSG;
	}
	return log;
}

bool vl_log_is_complete(const char *path)
{
	struct etw_verdict v = { 0 };
	bool whole = !etw_etl_verify(path, &v) && !etw_verdict_finish(&v, 1) &&
		     etw_verdict_whole(&v);

	etw_verdict_free(&v);
	return whole;
}

bool vl_log_dir(unsigned int kb)
{
	char options[32];

	snprintf(options, sizeof(options), "size=%uk", kb);
	umount2(LOG_DIR, MNT_DETACH);
	mkdir(LOG_DIR, 0755);
	return !mount("tmpfs", LOG_DIR, "tmpfs", 0, options);
}

#define FILLER	LOG_DIR "/filler"

bool vl_log_dir_fill(void)
{
	int fd = open(FILLER, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	off_t at = 0;

	if (fd < 0)
		return false;
	while (!posix_fallocate(fd, at, 65536))
		at += 65536;
	while (!posix_fallocate(fd, at, 4096))
		at += 4096;
	close(fd);
	return at > 0;
}

void vl_log_dir_free(void)
{
	unlink(FILLER);
}

const char *vl_logger_begin(struct vl_logger *l, unsigned int kb)
{
	vm_pin(0);
	l->fd = vm_open();
	if (l->fd < 0)
		return "/dev/etw";
	vm_stop_all(l->fd);
	if (!vl_log_dir(kb))
		return "a tmpfs";
	l->reg = vl_register(1);
	return l->reg ? NULL : "a registration";
}

void vl_logger_end(struct vl_logger *l)
{
	EventUnregister(l->reg);
	vm_stop_all(l->fd);
	close(l->fd);
	vl_log_dir_end();
}
