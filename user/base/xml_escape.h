/* SPDX-License-Identifier: MIT */
/*
 * xml_escape.h - append text to XML
 */
#ifndef ETW_BASE_XML_ESCAPE_H
#define ETW_BASE_XML_ESCAPE_H

#include "text.h"

/* Characters that become references; each style includes the one before. */
enum etw_xml_style {
	ETW_XML_CONTENT,	/* & < > */
	ETW_XML_QUOTED,		/* the double quote */
	ETW_XML_ATTRIBUTE,	/* tabs and line ends; other control characters become U+FFFD */
};

void etw_text_xml(struct etw_text *text, const char *s, size_t len, enum etw_xml_style style);

#endif /* ETW_BASE_XML_ESCAPE_H */
