/* SPDX-License-Identifier: MIT */
/*
 * xml_escape.c - append text to XML
 */
#include "xml_escape.h"

/* In an attribute, a parser reads three controls as blanks; XML allows no others. */
static void put_control(struct etw_text *text, unsigned char c)
{
	if (c == '\t' || c == '\n' || c == '\r')
		etw_text_printf(text, "&#%u;", c);
	else
		etw_text_puts(text, "\xEF\xBF\xBD");
}

void etw_text_xml(struct etw_text *text, const char *s, size_t len, enum etw_xml_style style)
{
	const char *end = s + len;

	for (; s < end; s++) {
		unsigned char c = (unsigned char)*s;

		if (c == '&')
			etw_text_puts(text, "&amp;");
		else if (c == '<')
			etw_text_puts(text, "&lt;");
		else if (c == '>')
			etw_text_puts(text, "&gt;");
		else if (c == '"' && style >= ETW_XML_QUOTED)
			etw_text_puts(text, "&quot;");
		else if (c < ' ' && style >= ETW_XML_ATTRIBUTE)
			put_control(text, c);
		else
			etw_text_char(text, (char)c);
	}
}
