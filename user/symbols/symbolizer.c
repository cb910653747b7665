/* SPDX-License-Identifier: MIT */
/*
 * symbolizer.c - the functions at the addresses of stacks
 *
 * The same addresses come again and again, so what was found for one is kept.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/table.h"
#include "demangle.h"
#include "files.h"
#include "perf_map.h"
#include "symbolizer.h"

#define NAMES_MAX	262144
#define NAMES_BYTES	(32u << 20)
#define LOCATIONS_MAX	131072	/* then all are forgotten */
#define LEARNED_MAX	262144
#define MAPS_MAX	64	/* likewise */
#define LINES_MAX	5	/* that are reported of each kind */
#define LINE_MAX	512

/* What was found, or learned */
struct location {
	struct symbol_location of;
	uint64_t mapped_from;		/* the offset from which the file is mapped */
	bool from_begin;		/* of.at is the distance from the first segment */
	uint8_t count;
	struct symbol_frame frames[];
};

struct process_map {
	uint32_t pid;
	struct perf_map *map;
};

struct symbolizer {
	struct symbolizer_host host;
	struct images *images;
	struct symbol_files *files;
	struct cfi_cache *cfi;
	struct etw_table names, locations, learned, maps;
	uint64_t forgotten;	/* locations */
	size_t name_bytes;
	uint64_t names_left_out;
	bool perf_maps;
};

/* ----------------------------------------------------------------------- life */

static void free_map(void *entry)
{
	struct process_map *map = entry;

	perf_map_free(map->map);
	free(map);
}

struct symbolizer *symbolizer_new(const struct symbolizer_host *host)
{
	struct symbolizer *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->host = *host;
	s->images = images_new();
	s->files = symbol_files_new(host->root, host->debuginfod);
	s->cfi = cfi_cache_new();
	if (s->images && s->files && s->cfi)
		return s;
	symbolizer_free(s);
	return NULL;
}

void symbolizer_free(struct symbolizer *s)
{
	if (!s)
		return;
	etw_table_clear(&s->locations, free);
	etw_table_clear(&s->learned, free);
	etw_table_clear(&s->names, free);
	etw_table_clear(&s->maps, free_map);
	cfi_cache_free(s->cfi);
	symbol_files_free(s->files);
	images_free(s->images);
	free(s);
}

struct images *symbolizer_images(struct symbolizer *s)
{
	return s->images;
}

void symbolizer_use_perf_maps(struct symbolizer *s)
{
	s->perf_maps = true;
}

/* ---------------------------------------------------------------------- names */

struct bytes {
	const char *data;
	size_t len;
};

static bool is_name(const void *entry, const void *key)
{
	const struct bytes *bytes = key;

	return !strncmp(entry, bytes->data, bytes->len) && !((const char *)entry)[bytes->len];
}

const char *symbolizer_keep(struct symbolizer *s, const char *name, size_t len)
{
	struct bytes bytes = { name, strnlen(name, len < DEMANGLED_MAX ? len : DEMANGLED_MAX) };
	const uint64_t hash = etw_hash(0, name, bytes.len);
	char *kept = etw_table_find(&s->names, hash, is_name, &bytes);

	if (kept)
		return kept;
	if (s->names.count < NAMES_MAX && bytes.len < NAMES_BYTES - s->name_bytes)
		kept = strndup(name, bytes.len);
	if (!kept || etw_table_add(&s->names, hash, kept)) {
		free(kept);
		s->names_left_out++;
		return NULL;
	}
	s->name_bytes += bytes.len;
	return kept;
}

static const char *keep_last(struct symbolizer *s, const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash && slash[1] ? slash + 1 : path;

	return symbolizer_keep(s, name, strlen(name));
}

/* ------------------------------------------------------------------ locations */

static uint64_t location_hash(const struct location *l)
{
	const uint64_t seed = etw_hash_seed();
	const uint64_t owner = etw_hash_number(seed, (uintptr_t)l->of.file + l->of.pid);

	return etw_hash_number(seed, owner ^ (l->of.at * 2 + l->from_begin));
}

static bool same_location(const void *entry, const void *key)
{
	const struct location *one = entry, *other = key;

	return one->of.file == other->of.file && one->of.pid == other->of.pid &&
	       one->of.at == other->of.at && one->from_begin == other->from_begin;
}

/* What is kept of a location; 0: nothing */
static unsigned int known(const struct symbolizer *s, const struct location *key,
			  struct symbol_frame *frames)
{
	const uint64_t hash = location_hash(key);
	const struct location *l = etw_table_find(&s->learned, hash, same_location, key);

	if (!l)
		l = etw_table_find(&s->locations, hash, same_location, key);
	if (!l)
		return 0;
	memcpy(frames, l->frames, l->count * sizeof(*frames));
	return l->count;
}

static int add_location(struct etw_table *table, const struct location *key,
			const struct symbol_frame *frames, unsigned int count)
{
	struct location *l = malloc(sizeof(*l) + count * sizeof(*frames));

	if (!l)
		return -ENOMEM;
	*l = *key;
	l->count = (uint8_t)count;
	memcpy(l->frames, frames, count * sizeof(*frames));
	if (!etw_table_add(table, location_hash(key), l))
		return 0;
	free(l);
	return -ENOMEM;
}

/* Without memory it is found once more. */
static void keep_location(struct symbolizer *s, const struct location *key,
			  const struct symbol_frame *frames, unsigned int count)
{
	if (s->locations.count >= LOCATIONS_MAX) {
		s->forgotten += s->locations.count;
		etw_table_clear(&s->locations, free);
	}
	add_location(&s->locations, key, frames, count);
}

int symbolizer_learn(struct symbolizer *s, const struct symbol_location *location,
		     const struct symbol_frame *frames, unsigned int count)
{
	const struct location key = { .of = *location };

	/* A file may have been given names several times. */
	if (!count || count > SYMBOLIZER_FRAMES || s->learned.count >= LEARNED_MAX ||
	    etw_table_find(&s->learned, location_hash(&key), same_location, &key))
		return 0;
	return add_location(&s->learned, &key, frames, count);
}

unsigned int symbolizer_found(const struct symbolizer *s, size_t *at,
			      struct symbol_location *location, const struct symbol_frame **frames)
{
	const struct location *l;

	while (*at < s->locations.size) {
		l = s->locations.slots[(*at)++].entry;
		if (!l || l->from_begin || !l->frames[0].function)
			continue;
		*location = l->of;
		*frames = l->frames;
		return l->count;
	}
	return 0;
}

uint64_t symbolizer_forgotten(const struct symbolizer *s)
{
	return s->forgotten;
}

/* ---------------------------------------------------------------------- files */

struct finding {
	struct symbolizer *symbolizer;
	struct symbol_frame *frames;
	const char *image;
	unsigned int count;
};

/* elf_function_take */
static void take(void *context, const char *name, uint64_t offset, bool inlined)
{
	struct finding *finding = context;

	finding->frames[finding->count++] = (struct symbol_frame){
		.function = symbolizer_keep(finding->symbolizer, name, strlen(name)),
		.image = finding->image, .offset = offset, .inlined = inlined,
	};
}

/* The functions at an offset of a file, or 0 */
static unsigned int find_in_file(struct symbolizer *s, const struct location *key,
				 struct symbol_frame *frames)
{
	struct finding finding = { s, frames, keep_last(s, key->of.file->path), 0 };
	struct elf_functions *functions = symbol_files_get(s->files, key->of.file);
	uint64_t address;

	if (!functions)
		return 0;
	if (key->from_begin) {
		if (!elf_functions_begin(functions, &address))
			return 0;
		address += key->of.at;
	} else if (!elf_functions_at_offset(functions, key->of.at, key->mapped_from, &address)) {
		return 0;
	}
	elf_functions_find(functions, address, take, &finding);
	return finding.count;
}

static unsigned int in_file(struct symbolizer *s, const struct image *image, uint64_t address,
			    struct symbol_frame *frames)
{
	const uint64_t offset = address - image->begin + image->offset;
	const struct image_file *file = image->file;
	const struct location key = { .of = { .file = file, .at = offset },
				      .mapped_from = image->offset };
	unsigned int count = known(s, &key, frames);

	if (count)
		return count;
	count = find_in_file(s, &key, frames);
	if (!count) {
		frames[0] = (struct symbol_frame){ .image = keep_last(s, file->path),
						   .offset = offset };
		count = 1;
	}
	keep_location(s, &key, frames, count);
	return count;
}

unsigned int symbolizer_find_in(struct symbolizer *s, const struct image_file *file,
				uint64_t distance, struct symbol_frame *frames)
{
	const struct location key = { .of = { .file = file, .at = distance },
				      .from_begin = true };
	unsigned int count = known(s, &key, frames);

	if (count)
		return count;
	count = find_in_file(s, &key, frames);
	if (count)
		keep_location(s, &key, frames, count);
	return count;
}

/* ---------------------------------------------------------- compiled at run time */

static bool is_of(const void *entry, const void *key)
{
	return ((const struct process_map *)entry)->pid == *(const uint32_t *)key;
}

static const struct perf_map *map_of(struct symbolizer *s, uint32_t pid)
{
	const uint64_t hash = etw_hash_number(etw_hash_seed(), pid);
	struct process_map *map = etw_table_find(&s->maps, hash, is_of, &pid);

	if (map)
		return map->map;
	if (s->maps.count >= MAPS_MAX)
		etw_table_clear(&s->maps, free_map);
	map = malloc(sizeof(*map));
	if (!map)
		return NULL;
	map->pid = pid;
	map->map = perf_map_read(s->host.root ? s->host.root : "", pid);
	if (!map->map || etw_table_add(&s->maps, hash, map)) {
		free_map(map);
		return NULL;
	}
	return map->map;
}

static unsigned int in_map(struct symbolizer *s, uint32_t pid, uint64_t address,
			   struct symbol_frame *frames)
{
	const struct location key = { .of = { .pid = pid, .at = address } };
	unsigned int count = pid ? known(s, &key, frames) : 0;
	const struct perf_map *map = NULL;
	const char *name = NULL;
	uint64_t offset = 0;

	if (count)
		return count;
	if (pid && (s->perf_maps || s->host.root))
		map = map_of(s, pid);
	if (map)
		name = perf_map_find(map, address, &offset);
	frames[0] = (struct symbol_frame){ .offset = offset };
	if (name) {
		frames[0].function = symbolizer_keep(s, name, strlen(name));
		keep_location(s, &key, frames, 1);
	}
	return 1;
}

/* ---------------------------------------------------------------------- finding */

static unsigned int in_kernel(struct symbolizer *s, uint64_t address, struct symbol_frame *frames)
{
	const struct location key = { .of = { .at = address } };
	unsigned int count = known(s, &key, frames), i;

	if (count)
		return count;
	frames[0] = (struct symbol_frame){ .image = NULL };
	if (s->host.kernel)
		count = s->host.kernel(s->host.context, address, frames);
	if (!count)
		count = 1;
	for (i = 0; i < count; i++)
		frames[i].kernel = true;
	keep_location(s, &key, frames, count);
	return count;
}

/* What the process had mapped there */
static bool find_image(struct symbolizer *s, const struct symbol_place *place, struct image *image)
{
	return images_find(s->images, place->pid, place->time, place->address, image) ||
	       (s->host.mapped && s->host.mapped(s->host.context, place, image));
}

unsigned int symbolizer_find(struct symbolizer *s, const struct symbol_place *place,
			     struct symbol_frame *frames)
{
	const uint64_t address = place->address - (place->returns && place->address);
	struct symbol_place at = *place;
	struct image image;
	unsigned int count;

	at.address = address;
	if (address >= SYMBOLIZER_KERNEL)
		count = in_kernel(s, address, frames);
	else if (find_image(s, &at, &image))
		count = in_file(s, &image, address, frames);
	else
		count = in_map(s, place->pid, address, frames);
	/* The offset of the place itself */
	if (frames[count - 1].function || frames[count - 1].image)
		frames[count - 1].offset += place->address - address;
	return count;
}

/* --------------------------------------------------------------------- unwinding */

struct unwinding {
	struct symbolizer *symbolizer;
	struct symbol_place place;
};

/* unwind_find */
static bool find_unwound(void *context, uint64_t address, struct elf_functions **file,
			 uint64_t *in_file)
{
	struct unwinding *u = context;
	struct image image;

	u->place.address = address;
	if (!find_image(u->symbolizer, &u->place, &image)) {
		*file = NULL;
		/* If the trace says nothing of what is mapped, a file may be there. */
		return !images_any(u->symbolizer->images);
	}
	*file = symbol_files_get(u->symbolizer->files, image.file);
	if (*file && !elf_functions_at_offset(*file, address - image.begin + image.offset,
					      image.offset, in_file))
		*file = NULL;
	return true;
}

unsigned int symbolizer_unwind(struct symbolizer *s, const struct symbol_place *of,
			       const void *item, size_t len, struct unwound *frames, bool *whole)
{
	struct unwinding u = { s, *of };

	return unwind(item, len, s->cfi, find_unwound, &u, frames, UNWIND_MAX, whole);
}

/* -------------------------------------------------------------------- reporting */

static void report_files(const struct symbolizer *s, enum symbol_files_state kind,
			 const char *reason, symbolizer_line *line, void *context)
{
	const struct image_file *file;
	enum symbol_files_state why;
	char text[LINE_MAX];
	size_t at = 0, count = 0;

	while ((file = symbol_files_next(s->files, &at, &why))) {
		if (why != kind || ++count > LINES_MAX)
			continue;
		snprintf(text, sizeof(text), "%.*s: %s", LINE_MAX - 128, file->path, reason);
		line(context, text);
	}
	if (count <= LINES_MAX)
		return;
	snprintf(text, sizeof(text), "and %zu more files: %s", count - LINES_MAX, reason);
	line(context, text);
}

void symbolizer_report(const struct symbolizer *s, symbolizer_line *line, void *context)
{
	char text[LINE_MAX];

	report_files(s, FILES_DIFFERS, "no names: the file here is another build than the traced one",
		     line, context);
	report_files(s, FILES_MISSING, "no names: this build is not here", line, context);
	report_files(s, FILES_NO_BUILD_ID,
		     "no names: the trace does not say of which build it was", line, context);
	if (images_left_out(s->images)) {
		snprintf(text, sizeof(text), "names may be missing: there was no room for %" PRIu64
			 " events of Etw-Image and Etw-Process", images_left_out(s->images));
		line(context, text);
	}
	if (s->names_left_out) {
		snprintf(text, sizeof(text), "names are missing %" PRIu64
			 " times: there was no room for more than %u", s->names_left_out, NAMES_MAX);
		line(context, text);
	}
}
