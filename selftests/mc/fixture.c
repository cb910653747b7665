// SPDX-License-Identifier: GPL-2.0-only
/*
 * fixture.c - compares a generated header with mc.exe's
 *
 *	fixture FACTS HEADER DESCRIPTORS >program.c
 *
 * FACTS was extracted from a header written by mc.exe (corpus/mc/NAME.h.json),
 * DESCRIPTORS holds the descriptors of that header (NAME.h.descriptors.tsv). Parameters
 * of macros and functions exist in the text only and are compared here; the printed
 * program compares values.  Exit status 1 if something is missing.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

static char *squeezed;	/* the header without blanks */
static int missing;

static void squeeze(char *to, const char *from)
{
	for (; *from; from++)
		if (!isspace((unsigned char)*from) && *from != '\\')
			*to++ = *from;
	*to = '\0';
}

static void *must(void *p)
{
	if (!p) {
		fprintf(stderr, "fixture: no memory, or no file\n");
		exit(1);
	}
	return p;
}

static char *read_all(const char *path)
{
	FILE *file = must(fopen(path, "r"));
	char *text = must(malloc(1 << 24));
	size_t n = fread(text, 1, (1 << 24) - 1, file);

	text[n] = '\0';
	fclose(file);
	return text;
}

static void must_have(const char *text)
{
	char *want = must(malloc(strlen(text) + 1));

	squeeze(want, text);
	if (!strstr(squeezed, want)) {
		fprintf(stderr, "missing: %s\n", text);
		missing = 1;
	}
	free(want);
}

/* "a, b", with Microsoft's name of the 64-bit integer replaced by the C one */
static void join(char *to, struct json_object *list)
{
	size_t i;
	char *at;

	*to = '\0';
	for (i = 0; i < json_object_array_length(list); i++) {
		if (i)
			strcat(to, ", ");
		strcat(to, json_object_get_string(json_object_array_get_idx(list, i)));
	}
	while ((at = strstr(to, "__int64"))) {
		memmove(at + 9, at + 7, strlen(at + 7) + 1);
		memcpy(at, "long long", 9);
	}
}

static void check_texts(struct json_object *facts)
{
	static char list[1 << 16], text[1 << 17];
	struct json_object *part;
	size_t i;

	json_object_object_get_ex(facts, "macros", &part);
	json_object_object_foreach(part, macro, params) {
		join(list, params);
		snprintf(text, sizeof(text), "#define EventWrite%s(%s) (MCGEN_EVENT_ENABLED(%s)", macro,
			 list, macro);
		must_have(text);
		snprintf(text, sizeof(text), "#define EventWrite%s_AssumeEnabled(%s) _mcgen", macro, list);
		must_have(text);
	}
	json_object_object_get_ex(facts, "templates", &part);
	json_object_object_foreach(part, function, types) {
		join(list, types);
		snprintf(text, sizeof(text), "_mcgen_PASTE2(%s_, MCGEN_EVENTWRITETRANSFER)(%s){", function,
			 list);
		must_have(text);
	}
	json_object_object_get_ex(facts, "providers", &part);
	for (i = 0; i < json_object_array_length(part); i++) {
		struct json_object *p = json_object_array_get_idx(part, i);

		snprintf(text, sizeof(text), "/* Provider \"%s\", %s events */",
			 json_object_get_string(json_object_array_get_idx(p, 0)),
			 json_object_get_string(json_object_array_get_idx(p, 1)));
		must_have(text);
	}
}

/* Other tools look for objects in this form. */
static void must_define(const char *type, const char *name, const char *end)
{
	char text[1024];

	snprintf(text, sizeof(text), "EXTERN_C __declspec(selectany) %s %s%s", type, name, end);
	must_have(text);
}

static void arrays(struct json_object *facts, const char *what, const char *type)
{
	struct json_object *part;
	char end[32];
	size_t i, n;

	json_object_object_get_ex(facts, what, &part);
	json_object_object_foreach(part, name, values) {
		n = json_object_array_length(values);
		snprintf(end, sizeof(end), "[%zu] = {", n);
		must_define(type, name, end);
		printf("\tCHECK(sizeof(%s) / sizeof(%s[0]) == %zu);\n", name, name, n);
		for (i = 0; i < n; i++)
			printf("\tCHECK(%s[%zu] == %lluu);\n", name, i, (unsigned long long)
			       json_object_get_uint64(json_object_array_get_idx(values, i)));
	}
}

static void descriptor(const char *symbol, const unsigned long long v[7])
{
	char end[160];

	printf("\tCHECK(%s.Id == %llu && %s.Version == %llu && %s.Channel == %llu);\n", symbol, v[0],
	       symbol, v[1], symbol, v[2]);
	printf("\tCHECK(%s.Level == %llu && %s.Opcode == %llu && %s.Task == %llu);\n", symbol, v[3],
	       symbol, v[4], symbol, v[5]);
	printf("\tCHECK(%s.Keyword == %lluu);\n", symbol, v[6]);
	snprintf(end, sizeof(end), " = {0x%llx, 0x%llx, 0x%llx, 0x%llx, 0x%llx, 0x%llx, 0x%llx};",
		 v[0], v[1], v[2], v[3], v[4], v[5], v[6]);
	must_define("const EVENT_DESCRIPTOR", symbol, end);
}

static void check_values(struct json_object *facts)
{
	unsigned long long v[7];
	struct json_object *part;
	size_t i, j;

	json_object_object_get_ex(facts, "guids", &part);
	json_object_object_foreach(part, symbol, guid) {
		must_define("const GUID", symbol, " = {");
		printf("\t{\n\t\tstatic const GUID want = %s;\n\t\tCHECK(!memcmp(&%s, &want, 16));\n\t}\n",
		       json_object_get_string(guid), symbol);
	}
	json_object_object_get_ex(facts, "desc", &part);
	for (i = 0; i < json_object_array_length(part); i++) {
		struct json_object *pair = json_object_array_get_idx(part, i);
		struct json_object *values = json_object_array_get_idx(pair, 1);

		for (j = 0; j < 7; j++)
			v[j] = json_object_get_uint64(json_object_array_get_idx(values, j));
		descriptor(json_object_get_string(json_object_array_get_idx(pair, 0)), v);
	}
	arrays(facts, "keywords", "const ULONGLONG");
	arrays(facts, "levels", "const unsigned char");
	json_object_object_get_ex(facts, "defs", &part);
	json_object_object_foreach(part, name, value)
		printf("\tCHECK(%s == %s);\n", name, json_object_get_string(value));
}

static void check_table(const char *path)
{
	FILE *file = must(fopen(path, "r"));
	unsigned long long v[7];
	char line[1024], symbol[512];

	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%511s %llu %llu %llu %llu %llu %llu %llx", symbol, &v[0], &v[1],
			   &v[2], &v[3], &v[4], &v[5], &v[6]) == 8)
			descriptor(symbol, v);
	}
	fclose(file);
}

int main(int argc, char **argv)
{
	struct json_object *facts;
	char *text;

	if (argc != 4)
		return 1;
	facts = must(json_object_from_file(argv[1]));
	text = read_all(argv[2]);
	squeezed = must(malloc(strlen(text) + 1));
	squeeze(squeezed, text);
	check_texts(facts);
	printf("#include <stdio.h>\n#include <string.h>\n#include \"%s\"\n\n"
	       "static int bad, checks;\n#define CHECK(x) do { checks++; if (!(x)) { bad = 1; "
	       "puts(#x); } } while (0)\n\nint main(void)\n{\n", argv[2]);
	check_values(facts);
	check_table(argv[3]);
	printf("\tprintf(\"%%d values\\n\", checks);\n\treturn bad || checks < 10;\n}\n");
	free(squeezed);
	free(text);
	json_object_put(facts);
	return missing;
}
