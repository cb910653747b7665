// SPDX-License-Identifier: MIT
/*
 * binxml_user.c - write the UserData of templates as binary XML
 *
 * Like mc.exe, writes element names without prefix and a namespace as an attribute
 * "xmlns".
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <libxml/parser.h>
#include <libxml/tree.h>

#include "binxml.h"

static const char *string(const xmlChar *s)
{
	return s ? (const char *)s : "";
}

static void put_attributes(struct etw_binxml *xml, xmlNode *node)
{
	xmlAttr *attribute;
	xmlChar *is;
	xmlNs *ns;

	for (ns = node->nsDef; ns; ns = ns->next)
		etw_binxml_attribute(xml, "xmlns", string(ns->href), ns->next || node->properties);
	for (attribute = node->properties; attribute; attribute = attribute->next) {
		is = xmlNodeListGetString(node->doc, attribute->children, 1);
		etw_binxml_attribute(xml, string(attribute->name), string(is), attribute->next);
		xmlFree(is);
	}
}

/* Recursion is bounded: the parser accepts at most 256 levels. */
static void put_element(struct etw_binxml *xml, xmlNode *node)
{
	struct etw_binxml_element element;
	xmlNode *child;
	xmlChar *text;

	etw_binxml_open(xml, &element, string(node->name), node->nsDef || node->properties);
	put_attributes(xml, node);
	etw_binxml_content(xml, &element);
	for (child = node->children; child; child = child->next) {
		if (child->type == XML_ELEMENT_NODE) {
			put_element(xml, child);
		} else if (child->type == XML_TEXT_NODE || child->type == XML_CDATA_SECTION_NODE) {
			text = xmlNodeGetContent(child);
			etw_binxml_put(xml, string(text));
			xmlFree(text);
		}
	}
	etw_binxml_close(xml, &element);
}

static xmlNode *first_element(xmlNode *node)
{
	while (node && node->type != XML_ELEMENT_NODE)
		node = node->next;
	return node;
}

int etw_binxml_user_data(struct etw_binxml *xml, const char *user_data)
{
	size_t len = strlen(user_data);
	xmlNode *root;
	xmlDoc *doc;

	if (len > INT_MAX)
		return -EINVAL;
	doc = xmlReadMemory(user_data, len, NULL, "UTF-8", XML_PARSE_NONET | XML_PARSE_NOBLANKS |
			    XML_PARSE_NOERROR | XML_PARSE_NOWARNING);
	root = doc ? xmlDocGetRootElement(doc) : NULL;
	if (root && !strcmp(string(root->name), "UserData"))
		root = first_element(root->children);
	if (root)
		put_element(xml, root);
	xmlFreeDoc(doc);
	if (!doc && xmlGetLastError() && xmlGetLastError()->code == XML_ERR_NO_MEMORY)
		return -ENOMEM;
	return root ? 0 : -EINVAL;
}
