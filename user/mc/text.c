// SPDX-License-Identifier: MIT
/*
 * text.c - memory, names and comments of the generated header
 */
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "emit.h"

void *etw_mc_alloc(struct etw_mc *mc, size_t size)
{
	void *memory = etw_manifest_alloc(mc->memory, size);

	if (!memory)
		longjmp(mc->no_memory, 1);
	return memory;
}

char *etw_mc_text(struct etw_mc *mc, const char *fmt, ...)
{
	va_list args;
	char *text;
	int len;

	va_start(args, fmt);
	len = vsnprintf(NULL, 0, fmt, args);
	va_end(args);
	if (len < 0)
		longjmp(mc->no_memory, 1);
	text = etw_mc_alloc(mc, (size_t)len + 1);
	va_start(args, fmt);
	vsnprintf(text, (size_t)len + 1, fmt, args);
	va_end(args);
	return text;
}

/* A character of several bytes becomes one "_". */
char *etw_mc_word(struct etw_mc *mc, const char *name)
{
	char *word = etw_mc_text(mc, "%s", name), *to = word;
	const char *from;

	for (from = name; *from; from++) {
		if ((*from & 0xC0) == 0x80)
			continue;
		*to++ = isalnum((unsigned char)*from) ? *from : '_';
	}
	*to = '\0';
	return word;
}

char *etw_mc_identifier(struct etw_mc *mc, const char *name)
{
	char *word = etw_mc_word(mc, name);

	if (*word && !isdigit((unsigned char)*word))
		return word;
	return etw_mc_text(mc, "_%s", word);
}

struct etw_mc_entry *etw_mc_add(struct etw_mc *mc, const void *scope, const char *word,
				const char *value, unsigned int line)
{
	const size_t len = strlen(word);
	struct etw_mc_entry *entry = etw_names_find(&mc->words, scope, word, len);

	if (entry)
		return entry;
	entry = etw_mc_alloc(mc, sizeof(*entry));
	*entry = (struct etw_mc_entry){ value, line };
	etw_names_add(&mc->words, scope, word, len, entry);
	if (mc->words.no_memory)
		longjmp(mc->no_memory, 1);
	return NULL;
}

void etw_mc_print(struct etw_mc *mc, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	etw_text_vprintf(mc->out, fmt, args);
	va_end(args);
}

const char *etw_mc_scratch(struct etw_mc *mc)
{
	if (mc->scratch.error)
		longjmp(mc->no_memory, 1);
	return etw_mc_text(mc, "%s", mc->scratch.len ? mc->scratch.data : "");
}

static void report(struct etw_mc *mc, unsigned int line, bool warning, const char *fmt,
		   va_list args)
{
	struct etw_text text = { .data = NULL };

	etw_text_vprintf(&text, fmt, args);
	etw_problem_add(mc->problems, line, warning, "%s", text.data ? text.data : "");
	etw_text_free(&text);
}

void etw_mc_error(struct etw_mc *mc, unsigned int line, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	report(mc, line, false, fmt, args);
	va_end(args);
	mc->error = -EINVAL;
}

void etw_mc_warn(struct etw_mc *mc, unsigned int line, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	report(mc, line, true, fmt, args);
	va_end(args);
}

/* Changes text that would end the comment or continue its line. */
void etw_mc_comment(struct etw_mc *mc, const char *before, const char *text, const char *after)
{
	etw_mc_print(mc, "/* %s", before);
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		etw_text_char(mc->out, c < ' ' || c == '\\' || c == 127 ? ' ' : *text);
		if ((c == '*' && text[1] == '/') || (c == '/' && text[1] == '*'))
			etw_text_char(mc->out, ' ');
	}
	etw_mc_print(mc, "%s */\n", after);
}

char *etw_mc_guid(struct etw_mc *mc, const GUID *g)
{
	return etw_mc_text(mc,
		"{0x%08x, 0x%04x, 0x%04x, "
		"{0x%02x, 0x%02x, 0x%02x, 0x%02x, 0x%02x, 0x%02x, 0x%02x, 0x%02x}}",
		g->Data1, g->Data2, g->Data3, g->Data4[0], g->Data4[1], g->Data4[2],
		g->Data4[3], g->Data4[4], g->Data4[5], g->Data4[6], g->Data4[7]);
}

const char *etw_mc_literal(struct etw_mc *mc, const char *text)
{
	mc->scratch.len = 0;
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c >= ' ' && c < 127 && !strchr("\"\\?", c))
			etw_text_char(&mc->scratch, *text);
		else
			etw_text_printf(&mc->scratch, "\\%03o", c);
	}
	return etw_mc_scratch(mc);
}

bool etw_mc_guid_equal(const GUID *a, const GUID *b)
{
	return !memcmp(a, b, sizeof(*a));
}

/* Keywords of C11 and C++17, and names known to the preprocessor */
static bool is_keyword(const char *word)
{
	static const char words[] =
		" alignas alignof and and_eq asm auto bitand bitor bool break case catch char "
		"char16_t char32_t class compl const const_cast constexpr continue decltype "
		"default defined delete do double dynamic_cast else enum explicit export extern "
		"false float for friend goto if inline int long mutable namespace new noexcept "
		"not not_eq nullptr operator or or_eq private protected public register "
		"reinterpret_cast restrict return short signed sizeof static static_assert "
		"static_cast struct switch template this thread_local throw true try typedef "
		"typeid typename typeof union unsigned using virtual void volatile wchar_t while "
		"xor xor_eq ";
	const char *at = words;
	size_t len = strlen(word);

	while ((at = strstr(at, word))) {
		if (at > words && at[-1] == ' ' && at[len] == ' ')
			return true;
		at++;
	}
	return false;
}

struct etw_mc_entry *etw_mc_claim(struct etw_mc *mc, const char *symbol, const char *value,
				  unsigned int line)
{
	struct etw_mc_entry *old = etw_mc_add(mc, mc, symbol, value, line);

	if (old || !is_keyword(symbol))
		return old;
	old = etw_mc_add(mc, mc, symbol, NULL, 0);
	*old = (struct etw_mc_entry){ "a word of C or C++", 0 };
	return old;
}
