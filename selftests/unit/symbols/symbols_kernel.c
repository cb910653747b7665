// SPDX-License-Identifier: MIT
/*
 * symbols_kernel - functions by their distance from the begin of a file that is only known by its
 * build id, as of a kernel that does not run here; and what is learned, or bounded
 */
#include "symbols_make.h"

#include "symbols/symbolizer.h"

/* As a kernel: at a fixed address, and only its debug information is here. */
static void make_kernel(void)
{
	char hex[41];
	size_t i;
	int fd;

	known_shell("g++ -O2 -g -static -no-pie -o known $OLDPWD/selftests/unit/symbols/known.cpp");
	fd = open(known_path, O_RDONLY);
	known_id_len = elf_build_id(fd, known_id, sizeof(known_id));
	close(fd);
	for (i = 0; i < sizeof(known_id); i++)
		sprintf(hex + 2 * i, "%02x", known_id[i]);
	known_shell("mkdir -p root/usr/lib/debug/.build-id/%.2s && objcopy --only-keep-debug known "
		    "root/usr/lib/debug/.build-id/%.2s/%s.debug", hex, hex, hex + 2);
}

/* Where the first of its segments is loaded */
static uint64_t first_segment(void)
{
	unsigned long long address = 0;
	char command[256];
	FILE *f;

	snprintf(command, sizeof(command), "readelf -lW %s | awk '$1 == \"LOAD\" { print $3; exit }'",
		 known_path);
	f = popen(command, "r");
	if (!f || fscanf(f, "%llx", &address) != 1 || pclose(f))
		abort();
	return address;
}

static void check_kernel(struct symbolizer *s)
{
	struct image_file kernel = { .path = "vmlinux", .build_id_len = sizeof(known_id) };
	const uint64_t distance = known_address("in_add") - KNOWN_BASE - first_segment();
	struct symbol_frame frames[SYMBOLIZER_FRAMES];

	memcpy(kernel.build_id, known_id, sizeof(known_id));
	is((int)symbolizer_find_in(s, &kernel, distance, frames), 3, "three functions");
	ok(!strcmp(frames[0].function, "shop::Cart<int>::add") && frames[0].inlined &&
	   !strcmp(frames[2].function, "shop::Cart<int>::check_out") && !frames[2].inlined &&
	   frames[2].offset, "by the debug information of the build");
	is((int)symbolizer_find_in(s, &kernel, 1ull << 40, frames), 0, "none far away");
}

static void check_other_build(struct symbolizer *s)
{
	struct image_file kernel = { .path = "vmlinux", .build_id_len = sizeof(known_id) };
	struct symbol_frame frames[SYMBOLIZER_FRAMES];

	memcpy(kernel.build_id, known_id, sizeof(known_id));
	kernel.build_id[3]++;
	is((int)symbolizer_find_in(s, &kernel, 0x1000, frames), 0, "nor of another build");
}

/* What a trace says itself comes first, and is known once. */
static void check_learned(struct symbolizer *s)
{
	const struct symbol_frame frame = { .function = symbolizer_keep(s, "first", 5),
					    .offset = 4, .kernel = true };
	const struct symbol_frame later = { .function = symbolizer_keep(s, "later", 5) };
	const struct symbol_location at = { .at = 0xffffffff81000010 };
	const struct symbol_place place = { .address = 0xffffffff81000011, .returns = true };
	struct symbol_frame frames[SYMBOLIZER_FRAMES];
	struct symbol_location found;
	const struct symbol_frame *list;
	size_t next = 0;

	ok(!symbolizer_learn(s, &at, &frame, 1) && !symbolizer_learn(s, &at, &later, 1),
	   "a name is learned");
	ok(symbolizer_find(s, &place, frames) == 1 && !strcmp(frames->function, "first") &&
	   frames->offset == 5 && frames->kernel, "the first one counts, behind a call");
	while (symbolizer_found(s, &next, &found, &list))
		ok(found.at != at.at, "what was learned is not found");
	ok(symbolizer_keep(s, "first", 5) == frame.function, "equal names are one string");
}

int main(void)
{
	char root[80];
	const struct symbolizer_host host = { .root = root };
	struct symbolizer *s;

	known_build();
	make_kernel();
	snprintf(root, sizeof(root), "%s/root", known_dir);
	s = symbolizer_new(&host);
	check_kernel(s);
	check_other_build(s);
	check_learned(s);
	symbolizer_free(s);
	known_remove();
	return done_testing();
}
