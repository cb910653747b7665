/* SPDX-License-Identifier: MIT */
/*
 * machine.h - the machine that a log file was recorded on: seen here, written, and read
 *
 * What a container or an unprivileged user cannot see is not known, and is not written; no
 * address that the kernel hides becomes a number, nor one in a file that others may read. The
 * events are those of "machine" in etw/format.h.
 */
#ifndef ETW_CLI_MACHINE_H
#define ETW_CLI_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <etw/format.h>
#include "base/text.h"
#include "etl/file.h"

#define MACHINE_TEXT		160	/* bytes of a text, with its NUL; longer ones are cut */
#define MACHINE_ID_MAX		64	/* bytes of a build id */
#define MACHINE_UNKNOWN		UINT32_MAX

/* len 0: not known */
struct machine_build_id {
	uint8_t bytes[MACHINE_ID_MAX];
	uint8_t len;
};

/* MACHINE_UNKNOWN or an empty model: not known */
struct machine_cpu {
	uint32_t number, package, core, node;
	uint32_t mhz;		/* the greatest */
	char model[MACHINE_TEXT];
};

struct machine_module {
	char name[64];
	uint64_t address;	/* 0: not known */
	uint64_t size;		/* bytes; 0: not known */
	struct machine_build_id id;
};

/* An address of 0, a number of 0, an empty text: not known */
struct machine {
	struct etw_guid boot;		/* zero: not known */
	char host[MACHINE_TEXT], release[MACHINE_TEXT], version[MACHINE_TEXT];
	char architecture[MACHINE_TEXT], distribution[MACHINE_TEXT];
	char domain[MACHINE_TEXT];	/* not in Machine: only for Windows' CPU */
	uint32_t processors;		/* online */
	uint64_t memory;		/* bytes */
	uint32_t page_size;
	bool smt;			/* some core has several CPUs that are online */
	struct machine_build_id kernel;
	uint64_t text, text_begin, text_end;	/* _text, _stext, _etext */
	struct machine_cpu *cpus;	/* by number */
	size_t cpu_count;
	struct machine_module *modules;
	size_t module_count;
	bool locked;		/* the kernel is locked down for confidentiality */
	bool hides;		/* records are written without the kernel's addresses */
};

/*
 * collect.c: this machine. root: of /proc, /sys and /etc, "" for the real ones. Zero the
 * structure before; machine_free() afterwards.
 */
void machine_collect(struct machine *machine, const char *root);
void machine_free(struct machine *machine);

/* kernel.c: its parts that are about the kernel and its modules, as for machine_collect() */
void machine_collect_kernel(struct machine *machine, const char *root);
/*
 * Addresses defeat the randomization of the kernel's place: write them only into a file that
 * nobody but the caller may read, and none if the kernel is locked down for confidentiality.
 */
void machine_hide(struct machine *machine, const struct stat *file);
/* topology.c */
void machine_collect_topology(struct machine *machine, const char *root);

/* small_file.c: the first line of a file below root, without its newline; false: none */
bool machine_read_line(char *to, size_t size, const char *root, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
uint32_t machine_read_number(const char *root, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * records.c: the description as records of a buffer with this raw time. put() returns 0, or
 * what ends it and is returned.
 */
typedef int machine_put_fn(void *context, const void *record, size_t size);
int machine_records(const struct machine *machine, int64_t time, machine_put_fn *put,
		    void *context);

/* All zero is none. */
struct machines {
	struct machine *list;
	size_t count;
};

/*
 * read.c: add the machines that a log file describes, one for each boot that is not among them;
 * none if nobody has written that: then *undescribed grows. Events that make no sense are left
 * out. 0 or -errno.
 */
int machines_read(struct machines *machines, const char *path, unsigned int *undescribed);
void machines_free(struct machines *machines);

/* print.c: "myhost, Linux 6.1.0-44-amd64 x86_64, build id 12ab..."; what is not known is left out */
void machine_summary(struct etw_text *to, const struct machine *machine);
/* An array of objects */
void machines_json(struct etw_text *to, const char *key, const struct machines *machines);

bool machine_same_build(const struct machine_build_id *one, const struct machine_build_id *other);

#endif /* ETW_CLI_MACHINE_H */
