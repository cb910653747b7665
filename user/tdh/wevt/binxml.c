// SPDX-License-Identifier: MIT
/*
 * binxml.c - convert the binary XML of templates to text
 *
 * Fields do not come from it, so unreadable parts are left out with a warning. Source:
 * [MS-EVEN6] 2.2.12, with names inline where they are used.
 */
#include <errno.h>
#include <string.h>

#include "read.h"
#include "base/xml_escape.h"

#define DEPTH_MAX	64

/* A name in the text written so far */
struct name {
	size_t at;
	size_t len;
};

struct walk {
	const uint8_t *p, *end;
	struct etw_text xml;
	struct name open[DEPTH_MAX];
	unsigned int depth;
	bool in_tag;		/* "<name" is not closed yet */
	bool started;		/* the tag is open: ">" if content follows, else "/>" */
	bool in_value;		/* an attribute's value is not closed yet */
	bool of_name;		/* the value is that of the first element's Name */
	const uint8_t *root_name;	/* this value; NULL: none */
	size_t root_units;
	bool bad;
};

/* n bytes, or NULL and the walk is bad. */
static const uint8_t *take(struct walk *w, size_t n)
{
	const uint8_t *p = w->p;

	if (w->bad || (size_t)(w->end - p) < n) {
		w->bad = true;
		return NULL;
	}
	w->p += n;
	return p;
}

/* Convert UTF-16 units to XML text. */
static void put_units(struct walk *w, size_t units)
{
	const uint8_t *p = take(w, 2 * units);
	struct etw_text plain = { .len = 0 };

	if (!p)
		return;
	etw_text_utf16(&plain, p, 2 * units);
	if (plain.error)
		w->xml.error = plain.error;
	else if (plain.data)
		etw_text_xml(&w->xml, plain.data, plain.len, ETW_XML_QUOTED);
	etw_text_free(&plain);
}

/* Hash, count, units, NUL. */
static struct name put_name(struct walk *w)
{
	struct name name = { .at = w->xml.len };
	const uint8_t *p = take(w, 4);

	if (!p)
		return name;
	put_units(w, etw_wevt_u16(p + 2));
	take(w, 2);
	name.len = w->xml.len - name.at;
	return name;
}

static bool is(const struct walk *w, const struct name *name, const char *what)
{
	return !w->xml.error && name->len == strlen(what) &&
	       !memcmp(w->xml.data + name->at, what, name->len);
}

static void end_value(struct walk *w)
{
	if (!w->in_value)
		return;
	etw_text_char(&w->xml, '"');
	w->in_value = w->of_name = false;
}

/* Content follows. */
static void start_content(struct walk *w)
{
	if (w->started)
		etw_text_char(&w->xml, '>');
	if (w->started)
		w->in_tag = false;
	w->started = false;
}

static void open_element(struct walk *w, bool attributes)
{
	start_content(w);
	if (w->in_tag || w->depth == DEPTH_MAX || !take(w, 6)) {
		w->bad = true;
		return;
	}
	etw_text_char(&w->xml, '<');
	w->open[w->depth++] = put_name(w);
	w->in_tag = true;
	if (attributes)
		take(w, 4);
}

static void attribute(struct walk *w)
{
	struct name name;

	end_value(w);
	if (!w->in_tag || w->started) {
		w->bad = true;
		return;
	}
	etw_text_char(&w->xml, ' ');
	name = put_name(w);
	etw_text_puts(&w->xml, "=\"");
	w->in_value = true;
	w->of_name = w->depth == 1 && is(w, &name, "Name");
}

/* empty: from the empty-element token; an element without content is written the same way. */
static void close_element(struct walk *w, bool empty)
{
	struct name name;

	end_value(w);
	if (!w->depth || (w->in_tag && !w->started) != empty) {
		w->bad = true;
		return;
	}
	name = w->open[--w->depth];
	if (w->in_tag) {
		w->in_tag = w->started = false;
		etw_text_puts(&w->xml, "/>");
		return;
	}
	etw_text_puts(&w->xml, "</");
	/* Reserve room first: the name lies in the same text. */
	if (etw_text_room(&w->xml, name.len))
		etw_text_add(&w->xml, w->xml.data + name.at, name.len);
	etw_text_char(&w->xml, '>');
}

/* Is text or a value allowed here: within an attribute, or as content? */
static bool may_stand(struct walk *w)
{
	start_content(w);
	if (!w->depth || (w->in_tag && !w->in_value))
		w->bad = true;
	return !w->bad;
}

static void text(struct walk *w)
{
	const uint8_t *p = take(w, 3);

	if (!p || p[0] != ETW_BINXML_STRING)
		w->bad = true;
	if (!may_stand(w))
		return;
	if (w->of_name) {
		w->root_name = w->p;
		w->root_units = etw_wevt_u16(p + 1);
	}
	put_units(w, etw_wevt_u16(p + 1));
}

static void substitution(struct walk *w)
{
	const uint8_t *p = take(w, 3);

	if (p && may_stand(w))
		etw_text_printf(&w->xml, "%%%u", etw_wevt_u16(p) + 1u);
}

/* false: that was the last token. */
static bool token(struct walk *w)
{
	const uint8_t *p = take(w, 1);

	if (!p)
		return false;
	switch (*p & ~ETW_BINXML_MORE) {
	case ETW_BINXML_END:
		w->bad |= w->depth > 0;
		return false;
	case ETW_BINXML_FRAGMENT:
		take(w, 3);
		break;
	case ETW_BINXML_OPEN:
		open_element(w, *p & ETW_BINXML_MORE);
		break;
	case ETW_BINXML_ATTRIBUTE:
		attribute(w);
		break;
	case ETW_BINXML_CLOSE_START:
		end_value(w);
		w->bad |= !w->in_tag || w->started;
		w->started = true;
		break;
	case ETW_BINXML_CLOSE_EMPTY:
		close_element(w, true);
		break;
	case ETW_BINXML_END_ELEMENT:
		close_element(w, false);
		break;
	case ETW_BINXML_TEXT:
		text(w);
		break;
	case ETW_BINXML_SUBSTITUTION:
	case ETW_BINXML_OPTIONAL:
		substitution(w);
		break;
	default:
		w->bad = true;
	}
	return !w->bad;
}

static char *keep_user_data(struct etw_wevt_reader *r, const struct walk *w)
{
	etw_text_cut(&r->text, 0);
	etw_text_puts(&r->text, "<UserData>");
	etw_text_add(&r->text, w->xml.data, w->xml.len);
	etw_text_puts(&r->text, "</UserData>");
	return etw_wevt_keep_text(r);
}

static char *keep_name(struct etw_wevt_reader *r, const struct walk *w)
{
	etw_text_cut(&r->text, 0);
	etw_text_utf16(&r->text, w->root_name, 2 * w->root_units);
	return etw_wevt_keep_text(r);
}

void etw_wevt_read_binxml(struct etw_wevt_reader *r, const uint8_t *data, size_t size,
			  const char **name, const char **user_data)
{
	struct walk w = { .p = data, .end = data + size };

	r->text_left -= size;
	if (r->text_left < 0)
		etw_wevt_bad(r, "templates overlap");
	if (r->error || !size)
		return;
	while (token(&w))
		;
	if (w.xml.error)
		r->error = -ENOMEM;
	else if (w.bad || !w.xml.len)
		etw_wevt_warn(r, "offset 0x%zx: this binary XML cannot be read",
			      (size_t)(data - r->data));
	else if (!is(&w, &w.open[0], "EventData"))
		*user_data = keep_user_data(r, &w);
	else if (w.root_units)
		*name = keep_name(r, &w);
	etw_text_free(&w.xml);
}
