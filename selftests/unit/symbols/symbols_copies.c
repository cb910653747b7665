// SPDX-License-Identifier: MIT
/*
 * symbols_copies - events with copies of this program's stack in a log file: etw dump and etw
 * convert print the same frames as text, JSON, CSV and CTF
 *
 *	symbols_copies FILE COUNT	only writes such a file, to measure how long reading it takes
 */
#define _GNU_SOURCE
#define MAKE_SIZE	65536

#include "symbols_copy.h"
#include "symbols_make.h"

#include <link.h>

#define NOINLINE	__attribute__((__noinline__, __noclone__))
#define KERNEL		0xffffffff81000010ull
#define POINTED		0x0000777777777770ull	/* what the kernel found by a frame pointer */
#define DEPTHS		16

static NOINLINE void capture(void)
{
	copy_stack();
}

static volatile unsigned int sink;

NOINLINE unsigned int copies_deep(unsigned int depth)
{
	if (!depth)
		capture();
	else
		sink += copies_deep(depth - 1);
	return sink + depth;
}

/* An event for each file that this program executes */
static int map_file(struct dl_phdr_info *info, size_t size, void *context)
{
	char path[512] = "";
	uint8_t id[64];
	struct known_image image = { .path = path, .id = id };
	int i, fd;

	(void)size, (void)context;
	if (!realpath(*info->dlpi_name ? info->dlpi_name : "/proc/self/exe", path))
		return 0;	/* of the kernel */
	fd = open(path, O_RDONLY | O_CLOEXEC);
	image.id_len = (uint16_t)elf_build_id(fd, id, sizeof(id));
	close(fd);
	for (i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type != PT_LOAD || !(p->p_flags & PF_X))
			continue;
		image.base = info->dlpi_addr + p->p_vaddr;
		image.size = p->p_memsz;
		image.offset = p->p_offset;
		known_image(1000, &image);
	}
	return 0;
}

static void make_file(unsigned int count)
{
	const uint64_t stack[] = { KERNEL, POINTED, 0 };
	unsigned int i;

	report_begin();
	dl_iterate_phdr(map_file, NULL);
	for (i = 0; i < count; i++) {
		copies_deep(4 + i % DEPTHS);
		known_copy(2000 + i, KNOWN_PID, stack, &item, item_len);
	}
	known_end();
}

/* The addresses that the command has printed behind each such text */
static void addresses(const char *before, struct etw_text *to)
{
	const char *at = run_out;

	to->len = 0;
	while ((at = strstr(at, before))) {
		at += strlen(before);
		etw_text_printf(to, "%llx ", strtoull(at, NULL, 16));
	}
	etw_text_char(to, '\0');
}

/* The addresses in a list that begins with this text */
static void words(const char *before, struct etw_text *to)
{
	char *at = strstr(run_out, before), *end;

	to->len = 0;
	for (at = at ? at + strlen(before) : NULL; at && *at == '0'; at = end + strspn(end, "\", "))
		etw_text_printf(to, "%llx ", strtoull(at, &end, 16));
	etw_text_char(to, '\0');
}

static void check_formats(void)
{
	struct etw_text text = { .data = NULL }, other = { .data = NULL };
	unsigned int count = 0;
	const char *at;

	make_file(1);
	is(run("dump --stack --no-names %s", known_file), 0, "as text");
	ok(known_said(" copies_deep+0x") && known_said(" main+0x") && !strstr(run_out, "not known"),
	   "the stack is whole");
	addresses("\n        0x", &text);
	for (at = text.data; *at; at++)
		count += *at == ' ';
	ok(count > 7 && !strncmp(text.data, "ffffffff81000010 ", 17) && !strstr(text.data, "7777777770"),
	   "the kernel's frame and %u of the program, instead of those by frame pointers", count - 1);
	is(run("dump --json --stack %s", known_file), 0, "as JSON");
	addresses("\"address\":\"", &other);
	ok(!strcmp(text.data, other.data), "JSON has the functions at the same addresses");
	ok(known_said("\"function\":\"copies_deep\",\"image\":\"symbols_copies\",\"offset\":") &&
	   known_said("\"stack\":[\"0xffffffff81000010\",\"0x") && !strstr(run_out, "stack_cut"),
	   "with their names");
	is(run("convert -q --to csv --stack --fields items %s", known_file), 0, "as CSV");
	addresses("\"\"address\"\":\"\"", &other);
	ok(!strcmp(text.data, other.data), "CSV has the same");
	run("convert -q --to json --stack %s >/tmp/etw-copies.%d; build/etw dump --json --stack %s | "
	    "cmp - /tmp/etw-copies.%d && rm /tmp/etw-copies.%d && echo same", known_file, getpid(),
	    known_file, getpid(), getpid());
	ok(run_printed("same"), "etw convert writes the same JSON");
	run("dump --json --stack %s", known_file);
	words("\"stack\":[\"", &text);
	is(run("convert -q -o %s/known.ctf --stack %s", known_dir, known_file), 0, "as CTF");
	if (!run("convert -q --from ctf -o %s/back.etl %s/known.ctf", known_dir, known_dir)) {
		run("dump %s/back.etl", known_dir);
		words("callstack=[", &other);
		ok(!strcmp(text.data, other.data), "CTF has the same addresses");
	} else {
		skip("no reader of CTF");
	}
	is(run("convert -q --to text --stack %s", known_file), 0, "etw convert, as text");
	ok(known_said(" copies_deep+0x"), "has the functions, too");
	etw_text_free(&text);
	etw_text_free(&other);
}

static void check_cut(void)
{
	run("dump --json %s", known_file);
	ok(known_said("\"stack\":[\"0xffffffff81000010\",\"0x777777777770\"]") &&
	   !strstr(run_out, "functions"), "without --stack it is as it was recorded");
	report_begin();
	dl_iterate_phdr(map_file, NULL);
	copies_deep(5);
	known_copy(2000, KNOWN_PID, (const uint64_t[]){ KERNEL, 0 }, &item, sizeof(item.head) + 64);
	known_end();
	run("dump --json --stack %s", known_file);
	ok(known_said("\"stack_cut\":true"), "JSON says that outer functions are missing");
	run("convert --to csv --stack %s", known_file);
	ok(known_said("\"\"stack_cut\"\":true"), "and CSV");
	is(run("convert --to chrome --stack %s", known_file), 2, "a format that has no stacks");
}

int main(int argc, char **argv)
{
	stack_end = (const char *)__builtin_frame_address(0) + 512;
	if (argc == 3) {
		snprintf(known_file, sizeof(known_file), "%s", argv[1]);
		make_file((unsigned int)atoi(argv[2]));
		return 0;
	}
	if (!mkdtemp(known_dir))
		abort();
	snprintf(known_file, sizeof(known_file), "%s/known.etl", known_dir);
	check_formats();
	check_cut();
	known_remove();
	return done_testing();
}
