/* SPDX-License-Identifier: MIT */
/* symbols_make.h - a program that is known, and log files with stacks in it */
#ifndef ETW_UNIT_SYMBOLS_MAKE_H
#define ETW_UNIT_SYMBOLS_MAKE_H

#include "unit/report/report_make.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "symbols/elf_functions.h"
#include "unit/cli/cli_run.h"
#include "lib/tap.h"

#define KNOWN_BASE	0x550000000000ull
#define KNOWN_TEXT	0x1000ull	/* where the linker puts its instructions */
#define KNOWN_SIZE	0x10000ull	/* more than there are */
#define KNOWN_PID	20
#define STACK_WORDS	40
#define JIT		0x660000000000ull	/* where no file is mapped */

static char known_dir[] = "/tmp/etw-symbols-XXXXXX";
static char known_path[64], known_file[64];
static uint8_t known_id[20];
static size_t known_id_len;

/* Run a command in the folder of the program. */
__attribute__((__unused__, format(printf, 1, 2)))
static void known_shell(const char *format, ...)
{
	char command[1024], all[1200];
	va_list args;

	va_start(args, format);
	vsnprintf(command, sizeof(command), format, args);
	va_end(args);
	snprintf(all, sizeof(all), "cd %s && %s", known_dir, command);
	if (system(all)) {
		printf("Bail out! %s\n", all);
		exit(1);
	}
}

/* Compile it, with debug information. */
__attribute__((__unused__))
static void known_build(void)
{
	char here[512];
	int fd;

	if (!mkdtemp(known_dir) || !getcwd(here, sizeof(here)))
		abort();
	known_shell("g++ -O2 -g -o known %s/selftests/unit/symbols/known.cpp", here);
	snprintf(known_path, sizeof(known_path), "%s/known", known_dir);
	snprintf(known_file, sizeof(known_file), "%s/known.etl", known_dir);
	fd = open(known_path, O_RDONLY);
	known_id_len = elf_build_id(fd, known_id, sizeof(known_id));
	close(fd);
	if (known_id_len != sizeof(known_id))
		abort();
}

__attribute__((__unused__))
static void known_remove(void)
{
	known_shell("rm -rf %s", known_dir);
}

/* The address of a symbol where the program is mapped; its instructions are at their offsets. */
__attribute__((__unused__))
static uint64_t known_address(const char *symbol)
{
	unsigned long long address = 0;
	char command[256];
	FILE *f;

	snprintf(command, sizeof(command), "nm %s | awk '$3 == \"%s\" { print $1 }'", known_path,
		 symbol);
	f = popen(command, "r");
	if (!f || fscanf(f, "%llx", &address) != 1 || pclose(f))
		abort();
	return KNOWN_BASE + address;
}

struct known_image {
	uint64_t base, size, offset;
	const char *path;
	const uint8_t *id;
	uint16_t id_len;
};

static void known_put(struct etw_record_source *source, struct etw_record_extra *extra,
		      uint64_t ns)
{
	const struct etw_record_items items = { .extra = extra };

	made_at = ns;
	report_put(source, &items);
}

/* A file of this build is mapped. */
__attribute__((__unused__))
static void known_image(uint64_t ns, const struct known_image *image)
{
	static const struct etw_guid guid = ETW_IMAGE_GUID;
	struct etw_event_descriptor desc = { .level = 4, .channel = 11, .keyword = 1,
					     .opcode = ETW_IMAGE_LOAD };
	struct etw_image_payload payload = { .base = image->base, .size = image->size,
					     .offset = image->offset, .start_key = 1,
					     .pid = KNOWN_PID };
	uint8_t bytes[512];
	struct etw_data_descriptor data = { .ptr = (uintptr_t)bytes };
	struct etw_record_extra extra = { .count = 0 };
	struct etw_record_source source = {
		.provider = &guid, .desc = &desc, .data = &data, .count = 1,
		.thread_id = KNOWN_PID, .process_id = KNOWN_PID, .type = ETW_TYPE_EVENT64,
		.flags = ETW_EVENT_NO_CPUTIME | ETW_EVENT_KERNEL_MODE,
	};
	size_t len = sizeof(payload);

	memcpy(bytes, &payload, len);
	memcpy(bytes + len, &image->id_len, 2);
	len += 2;
	memcpy(bytes + len, image->id, image->id_len);
	len += image->id_len;
	strcpy((char *)bytes + len, image->path);
	data.size = (uint32_t)(len + strlen(image->path) + 1);
	known_put(&source, &extra, ns);
}

/* The program is mapped, of this build. */
__attribute__((__unused__))
static void known_map(uint64_t ns, const char *path, const uint8_t *id, uint16_t id_len)
{
	const struct known_image image = {
		.base = KNOWN_BASE + KNOWN_TEXT, .size = KNOWN_SIZE, .offset = KNOWN_TEXT,
		.path = path, .id = id, .id_len = id_len,
	};

	known_image(ns, &image);
}

/*
 * An event of the kernel's in the process, with a stack, innermost first and ended by 0, and with
 * an item USER_STACK, unless copy is NULL
 */
__attribute__((__unused__))
static void known_copy(uint64_t ns, uint32_t pid, const uint64_t *addresses, const void *copy,
		       size_t copy_len)
{
	struct etw_event_descriptor desc = { .level = 4, .channel = 11, .keyword = 1 };
	static const char event[] = "\0sample";
	struct etw_record_extra extra = { .count = 0 };
	unsigned char traits[64], meta[64];
	uint64_t stack[1 + STACK_WORDS] = { 0 };
	struct etw_data_descriptor data = { .ptr = 0 };
	struct etw_record_source source = {
		.provider = &made_provider, .desc = &desc, .data = &data, .count = 1,
		.thread_id = pid, .process_id = pid, .type = ETW_TYPE_EVENT64,
		.flags = ETW_EVENT_NO_CPUTIME | ETW_EVENT_KERNEL_MODE,
	};
	unsigned int n;

	for (n = 0; addresses[n]; n++)
		stack[n + 1] = addresses[n];
	etw_record_add_extra(&extra, ETW_EXT_PROV_TRAITS, traits,
			     report_sized(traits, "Maker", sizeof("Maker")));
	etw_record_add_extra(&extra, ETW_EXT_EVENT_SCHEMA, meta,
			     report_sized(meta, event, sizeof(event)));
	etw_record_add_extra(&extra, ETW_EXT_STACK_TRACE64, stack, (n + 1) * sizeof(*stack));
	if (copy)
		etw_record_add_extra(&extra, ETW_EXT_USER_STACK, copy, (uint32_t)copy_len);
	known_put(&source, &extra, ns);
}

__attribute__((__unused__))
static void known_stack(uint64_t ns, uint32_t pid, const uint64_t *addresses)
{
	known_copy(ns, pid, addresses, NULL, 0);
}

/* Is this among what the command printed? */
__attribute__((__unused__))
static bool known_said(const char *text)
{
	if (strstr(run_out, text))
		return true;
	printf("# no %s in\n# %s\n# %s\n", text, run_out, run_err);
	return false;
}

/* Write the file. */
__attribute__((__unused__))
static void known_end(void)
{
	report_end();
	if (rename(made_file.path, known_file))
		abort();
}

#endif /* ETW_UNIT_SYMBOLS_MAKE_H */
